/* The kernels of the tests. */
#ifndef DPATEST_KERNELS_H_
#define DPATEST_KERNELS_H_

#include <stdint.h>

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

/** Numbers of 64 bits in DPA memory. */
struct numbers {
	doca_dpa_dev_uintptr_t first; /**< Address of the first one. */
	uint32_t count;		      /**< How many there are. */
};

/** What a thread works with. */
struct thread_arg {
	doca_dpa_dev_completion_t completion;	      /**< Where its completions come, or 0. */
	doca_dpa_dev_notification_completion_t other; /**< Of a thread that it wakes, or 0. */
	doca_dpa_dev_sync_event_t event;	      /**< To which it adds 1, or 0. */
	uint64_t wakes;				      /**< How often it has run. */
	uint64_t completions;			      /**< How many it has got. */
	uint64_t user_data;			      /**< Of the last one. */
	uint64_t type;				      /**< Of the last one. */
	uint64_t storage;			      /**< Its local storage. */
	uint32_t rank;				      /**< In its group. */
	uint32_t num_threads;			      /**< Of its group. */
};

/** @brief Adds to numbers; each thread has those of its rank. */
__dpa_global__ void add(struct numbers numbers, uint64_t n);

/** @brief Writes the number of threads to the number of each rank. */
__dpa_global__ void ranks(struct numbers numbers);

/** @brief Does nothing. */
__dpa_global__ void nothing(void);

/** @brief Writes through a bad pointer. */
__dpa_global__ void crash(void);

/** @brief Runs until the number is not 0. */
__dpa_global__ void until(doca_dpa_dev_uintptr_t number);

/** @brief Logs a line of each level, and traces. */
__dpa_global__ void say(uint32_t number);

/** @brief Adds to an event. */
__dpa_global__ void signal_event(doca_dpa_dev_sync_event_t event, uint64_t n);

/** @brief Waits for an event, and copies its value to a number. */
__dpa_global__ void await_event(doca_dpa_dev_sync_event_t event, uint64_t greater, doca_dpa_dev_uintptr_t number);

/** @brief Copies from memory to memory. */
__dpa_global__ void copy(doca_dpa_dev_async_ops_t async, doca_dpa_dev_mmap_t dst_map, uint64_t dst, doca_dpa_dev_mmap_t src_map, uint64_t src,
			 uint64_t len);

/** @brief Takes completions until it has got as many, and counts them in a number. */
__dpa_global__ void take(doca_dpa_dev_completion_t completion, uint32_t many, doca_dpa_dev_uintptr_t number);

/** @brief Adds to a table, and writes to three numbers what it finds: the value, whether it was there, whether it is after its removal. */
__dpa_global__ void table(doca_dpa_dev_hash_table_t table, uint32_t key, uint64_t value, doca_dpa_dev_uintptr_t numbers);

/** @brief Writes address and length of a buffer of an array to two numbers. */
__dpa_global__ void look_at(doca_dpa_dev_buf_arr_t array, uint64_t index, doca_dpa_dev_uintptr_t numbers);

/** @brief Selects a device. */
__dpa_global__ void select_device(doca_dpa_dev_t device);

/** @brief Counts what wakes it. */
__dpa_global__ void on_wake(uint64_t arg);

/** @brief Never returns. */
__dpa_global__ void busy(uint64_t arg);

/** @brief Adds up numbers. */
__dpa_rpc__ uint64_t sum(struct numbers numbers);

/** @brief Returns when the number is not 0. */
__dpa_rpc__ uint64_t call_until(doca_dpa_dev_uintptr_t number);

/** @brief Waits for an event, and returns its value. */
__dpa_rpc__ uint64_t call_await(doca_dpa_dev_sync_event_t event, uint64_t greater);

/** @brief Writes through a bad pointer. */
__dpa_rpc__ uint64_t call_crash(void);

#endif
