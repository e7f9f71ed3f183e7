/* SPDX-License-Identifier: Apache-2.0 */
/* The program: its arguments and the order of things. */

#include <pthread.h>
#include <stdlib.h>

#include <doca_argp.h>

#include "secure_channel.h"

DOCA_LOG_REGISTER(SECURE_CHANNEL);

/* ---- Arguments ---- */

static doca_error_t set_number(const char *name, int value, int max, int *number)
{
	if (value < 1 || value > max) {
		DOCA_LOG_ERR("The %s is 1 to %d", name, max);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*number = value;
	return DOCA_SUCCESS;
}

static doca_error_t set_msg_size(void *value, void *cfg)
{
	return set_number("message size", *(int *)value, CHANNEL_MAX_MSG_SIZE,
			  &((struct channel_config *)cfg)->msg_size);
}

static doca_error_t set_num_msgs(void *value, void *cfg)
{
	return set_number("number of messages", *(int *)value, INT32_MAX,
			  &((struct channel_config *)cfg)->num_msgs);
}

static doca_error_t set_pci_addr(void *value, void *cfg)
{
	struct channel_config *config = cfg;

	return sample_copy_value("PCI address", value, config->pci_addr, sizeof(config->pci_addr));
}

#ifdef DOCA_ARCH_DPU
static doca_error_t set_rep_pci_addr(void *value, void *cfg)
{
	struct channel_config *config = cfg;

	return sample_copy_value("PCI address", value, config->rep_pci_addr, sizeof(config->rep_pci_addr));
}
#endif

static doca_error_t add_params(void)
{
	TRY(sample_add_param("s", "msg-size", "Bytes of each message to send", set_msg_size, DOCA_ARGP_TYPE_INT,
			     true));
	TRY(sample_add_param("n", "num-msgs", "Number of messages to send", set_num_msgs, DOCA_ARGP_TYPE_INT, true));
	TRY(sample_add_param("p", "pci-addr", "PCI address of the Comch device", set_pci_addr,
			     DOCA_ARGP_TYPE_STRING, true));
#ifdef DOCA_ARCH_DPU
	TRY(sample_add_param("r", "rep-pci", "PCI address of the host function, as the host sees it",
			     set_rep_pci_addr, DOCA_ARGP_TYPE_STRING, true));
#endif
	return DOCA_SUCCESS;
}

/* ---- The exchange ---- */

static doca_error_t make_memory(struct channel_thread *producer, struct channel_thread *consumer)
{
	uint32_t max_tasks, num_bufs = CHANNEL_MAX_TASKS;

	TRY(doca_comch_consumer_cap_get_max_num_tasks(doca_dev_as_devinfo(consumer->channel->dev), &max_tasks));
	if (num_bufs > max_tasks)
		num_bufs = max_tasks;
	if (num_bufs > consumer->load.num_msgs)
		num_bufs = consumer->load.num_msgs;
	TRY(channel_make_memory(producer, DOCA_ACCESS_FLAG_PCI_READ_ONLY, 1));
	TRY(channel_make_memory(consumer, DOCA_ACCESS_FLAG_PCI_READ_WRITE, num_bufs));
	return DOCA_SUCCESS;
}

static doca_error_t run_threads(struct channel *channel, struct channel_thread *producer,
				struct channel_thread *consumer)
{
	pthread_t producing, consuming;
	doca_error_t result;

	REQUIRE(pthread_create(&producing, NULL, channel_producer, producer) == 0);
	if (pthread_create(&consuming, NULL, channel_consumer, consumer) != 0) {
		__atomic_store_n(&channel->has_failed, true, __ATOMIC_RELEASE);
		(void)pthread_join(producing, NULL);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	result = channel_wait(channel, &producer->has_ended);
	if (result == DOCA_SUCCESS)
		result = channel_wait(channel, &consumer->has_ended);
	if (result != DOCA_SUCCESS)
		__atomic_store_n(&channel->has_failed, true, __ATOMIC_RELEASE);
	(void)pthread_join(producing, NULL);
	(void)pthread_join(consuming, NULL);
	DOCA_ERROR_PROPAGATE(result, producer->result);
	DOCA_ERROR_PROPAGATE(result, consumer->result);
	return result;
}

static doca_error_t exchange(struct channel *channel, const struct channel_config *config,
			     struct channel_thread *producer, struct channel_thread *consumer)
{
	TRY(channel_connect(channel, config));
	TRY(channel_send_start(channel, &producer->load));
	TRY(channel_wait(channel, &channel->is_start_received));
	consumer->load = channel->peer;
	TRY(make_memory(producer, consumer));
	TRY(run_threads(channel, producer, consumer));
#ifdef DOCA_ARCH_DPU
	TRY(channel_send_end(channel));
#else
	TRY(channel_wait(channel, &channel->is_end_received));
#endif
	DOCA_LOG_INFO("Producer sent %u messages in approximately %0.4f milliseconds", producer->num_done,
		      producer->milliseconds);
	DOCA_LOG_INFO("Consumer received %u messages in approximately %0.4f milliseconds", consumer->num_done,
		      consumer->milliseconds);
	return DOCA_SUCCESS;
}

static doca_error_t run(const struct channel_config *config)
{
	struct channel channel = {0};
	struct channel_thread producer = {.channel = &channel}, consumer = {.channel = &channel};
	doca_error_t result;

	producer.load = (struct channel_load){.num_msgs = (uint32_t)config->num_msgs,
					      .msg_size = (uint32_t)config->msg_size};
	result = exchange(&channel, config, &producer, &consumer);
	if (result != DOCA_SUCCESS)
		channel.has_failed = true;
	/* The device is closed before the memory that was mapped for it is freed. */
	CLEAN(result, channel_destroy(&channel));
	CLEAN(result, channel_destroy_memory(&producer.memory));
	CLEAN(result, channel_destroy_memory(&consumer.memory));
	return result;
}

int main(int argc, char **argv)
{
	struct channel_config config = {0};
	doca_error_t result;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = doca_argp_init("doca_secure_channel", &config);
	if (result == DOCA_SUCCESS) {
		result = add_params();
		if (result == DOCA_SUCCESS)
			result = doca_argp_start(argc, argv);
		if (result == DOCA_SUCCESS)
			result = run(&config);
		(void)doca_argp_destroy();
	}
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
