// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// dpa makes a DPA context that is not started. It has no application: kernels are compiled for a program.
func (t *T) dpa() *common.DPA {
	d, err := dpa.Create(t.dev(NeedDPA))
	t.must("doca_dpa_create", err)
	t.onEnd(func() { _ = dpa.Destroy(t.ring, d) })
	return d
}

func dpaCase(name, rule string, source Source, run func(*T)) Case {
	return Case{Name: name, Library: "dpa", Rule: rule, Source: source, Needs: needs(NeedDPA), Run: run}
}

func dpaCases() []Case {
	return []Case{
		dpaCase("dpa/create", "A context is made and destroyed without a start.", Documented, func(t *T) {
			d, err := dpa.Create(t.dev(NeedDPA))
			t.must("doca_dpa_create", err)
			t.code("doca_dpa_destroy", dpa.Destroy(t.ring, d), success)
		}),
		dpaCase("dpa/app-null", "An application is not NULL.", Documented, func(t *T) {
			t.code("doca_dpa_set_app with NULL", dpa.SetApp(t.dpa(), nil), invalid)
		}),
		dpaCase("dpa/memory-before-start", "A context gives no memory before it is started.", Documented, func(t *T) {
			_, err := dpa.MemAlloc(t.dpa(), 64)
			t.code("doca_dpa_mem_alloc before the start", err, badState)
		}),
		dpaCase("dpa/handle-before-start", "A context has no handle before it is started.", Documented, func(t *T) {
			_, err := dpa.GetDPAHandle(t.dpa())
			t.code("doca_dpa_get_dpa_handle before the start", err, badState)
		}),
		dpaCase("dpa/hash-table-before-start", "A context makes no hash table before it is started.", Documented, func(t *T) {
			_, err := dpa.HashTableCreate(t.dpa(), 16)
			t.code("doca_dpa_hash_table_create before the start", err, badState)
		}),
		dpaCase("dpa/log-level", "The level of the log is INFO unless it is set before the start.", Documented, func(t *T) {
			d := t.dpa()
			level, err := dpa.GetLogLevel(d)
			t.must("doca_dpa_get_log_level", err)
			t.equal("doca_dpa_get_log_level", int32(level), int32(dpadev.LogLevelInfo))
			t.must("doca_dpa_set_log_level", dpa.SetLogLevel(d, dpadev.LogLevelDebug))
			level, err = dpa.GetLogLevel(d)
			t.must("doca_dpa_get_log_level", err)
			t.equal("doca_dpa_get_log_level after it was set", int32(level), int32(dpadev.LogLevelDebug))
		}),
		dpaCase("dpa/limits", "A context names its limits: threads in a kernel, and the time that one may run.", Documented, func(t *T) {
			d := t.dpa()
			n, err := dpa.GetMaxThreadsPerKernel(d)
			t.must("doca_dpa_get_max_threads_per_kernel", err)
			t.that("doca_dpa_get_max_threads_per_kernel", "1 or more", n, n > 0)
			ms, err := dpa.GetKernelMaxRunTime(d)
			t.must("doca_dpa_get_kernel_max_run_time", err)
			t.that("doca_dpa_get_kernel_max_run_time", "1 or more", ms, ms > 0)
		}),
		dpaCase("dpa/cores", "A context names its cores and execution units.", Documented, func(t *T) {
			d := t.dpa()
			cores, err := dpa.GetCoreNum(d)
			t.must("doca_dpa_get_core_num", err)
			units, err := dpa.GetNumEUsPerCore(d)
			t.must("doca_dpa_get_num_eus_per_core", err)
			t.that("doca_dpa_get_core_num and doca_dpa_get_num_eus_per_core", "1 or more of both", [2]uint32{cores, units}, cores > 0 && units > 0)
		}),
		dpaCase("dpa/no-error", "A new context has no error.", Documented, func(t *T) {
			t.code("doca_dpa_peek_at_last_error of a new context", dpa.PeekAtLastError(t.dpa()), success, badState)
		}),
		dpaCase("dpa/device-in-use", "A device with a DPA context is not closed.", Documented, func(t *T) {
			dev, err := common.DevOpen(t.info(NeedDPA))
			t.must("doca_dev_open", err)
			d, err := dpa.Create(dev)
			t.must("doca_dpa_create", err)
			t.code("doca_dev_close with a DPA context", common.DevClose(dev), inUse)
			t.must("doca_dpa_destroy", dpa.Destroy(t.ring, d))
			t.code("doca_dev_close after the context was destroyed", common.DevClose(dev), success)
		}),
	}
}

func dpaObjectCases() []Case {
	return []Case{
		dpaCase("dpa/thread-without-function", "A thread without a function does not start.", Documented, func(t *T) {
			th, err := dpa.ThreadCreate(t.dpa())
			t.must("doca_dpa_thread_create", err)
			t.onEnd(func() { _ = dpa.ThreadDestroy(t.ring, th) })
			t.code("doca_dpa_thread_start without a function", dpa.ThreadStart(t.ring, th), badState)
		}),
		dpaCase("dpa/thread-run-before-start", "A thread that is not started does not run.", Documented, func(t *T) {
			th, err := dpa.ThreadCreate(t.dpa())
			t.must("doca_dpa_thread_create", err)
			t.onEnd(func() { _ = dpa.ThreadDestroy(t.ring, th) })
			t.code("doca_dpa_thread_run before the start", dpa.ThreadRun(th), badState)
		}),
		dpaCase("dpa/completion-size", "The size of a completion queue is rounded up to a power of two.", Documented, func(t *T) {
			c, err := dpa.CompletionCreate(t.dpa(), 5)
			t.must("doca_dpa_completion_create", err)
			t.onEnd(func() { _ = dpa.CompletionDestroy(t.ring, c) })
			n, err := dpa.CompletionGetQueueSize(c)
			t.must("doca_dpa_completion_get_queue_size", err)
			t.equal("doca_dpa_completion_get_queue_size of 5", n, 8)
		}),
		dpaCase("dpa/completion-handle-before-start", "A completion queue has no handle before it is started.", Documented, func(t *T) {
			c, err := dpa.CompletionCreate(t.dpa(), 4)
			t.must("doca_dpa_completion_create", err)
			t.onEnd(func() { _ = dpa.CompletionDestroy(t.ring, c) })
			_, err = dpa.CompletionGetDPAHandle(c)
			t.code("doca_dpa_completion_get_dpa_handle before the start", err, badState)
		}),
		dpaCase("dpa/async-user-data", "User data of asynchronous operations has 24 bits.", Documented, func(t *T) {
			_, err := dpa.AsyncOpsCreate(t.dpa(), 4, 1<<24)
			t.code("doca_dpa_async_ops_create with user data of 25 bits", err, invalid)
		}),
		dpaCase("dpa/async-without-completion", "Asynchronous operations without a completion queue do not start.", Documented, func(t *T) {
			a, err := dpa.AsyncOpsCreate(t.dpa(), 4, 7)
			t.must("doca_dpa_async_ops_create", err)
			t.onEnd(func() { _ = dpa.AsyncOpsDestroy(t.ring, a) })
			v, err := dpa.AsyncOpsGetUserData(a)
			t.must("doca_dpa_async_ops_get_user_data", err)
			t.equal("doca_dpa_async_ops_get_user_data", v, 7)
			t.code("doca_dpa_async_ops_start without a completion queue", dpa.AsyncOpsStart(t.ring, a), badState)
		}),
		dpaCase("dpa/group-unset", "A group of threads does not start before each rank is set.", Documented, func(t *T) {
			g, err := dpa.ThreadGroupCreate(t.dpa(), 2)
			t.must("doca_dpa_thread_group_create", err)
			t.onEnd(func() { _ = dpa.ThreadGroupDestroy(t.ring, g) })
			n, err := dpa.ThreadGroupGetNumThreads(g)
			t.must("doca_dpa_thread_group_get_num_threads", err)
			t.equal("doca_dpa_thread_group_get_num_threads", n, 2)
			t.code("doca_dpa_thread_group_start without threads", dpa.ThreadGroupStart(t.ring, g), badState)
		}),
		dpaCase("dpa/affinity", "An affinity is set, read and cleared.", Documented, func(t *T) {
			a, err := dpa.EUAffinityCreate(t.dpa())
			t.must("doca_dpa_eu_affinity_create", err)
			t.onEnd(func() { _ = dpa.EUAffinityDestroy(t.ring, a) })
			t.must("doca_dpa_eu_affinity_set", dpa.EUAffinitySet(a, 1))
			v, err := dpa.EUAffinityGet(a)
			t.must("doca_dpa_eu_affinity_get", err)
			t.equal("doca_dpa_eu_affinity_get", v, 1)
			t.code("doca_dpa_eu_affinity_clear", dpa.EUAffinityClear(a), success)
		}),
	}
}

func msgqCases() []Case {
	msgq := func(t *T) *comch.Msgq {
		q, err := comch.MsgqCreate(t.dev(NeedDPA))
		t.must("doca_comch_msgq_create", err)
		t.onEnd(func() { _ = comch.MsgqDestroy(t.ring, q) })
		return q
	}
	one := func(name, rule string, run func(*T)) Case {
		return Case{Name: name, Library: "comch", Rule: rule, Source: Documented, Needs: needs(NeedDPA), Run: run}
	}
	return []Case{
		one("msgq/create", "A message queue is made and destroyed without a start.", func(t *T) {
			q, err := comch.MsgqCreate(t.dev(NeedDPA))
			t.must("doca_comch_msgq_create", err)
			t.code("doca_comch_msgq_destroy", comch.MsgqDestroy(t.ring, q), success)
		}),
		one("msgq/start-without-direction", "A message queue without a direction does not start.", func(t *T) {
			q := msgq(t)
			err := comch.MsgqStart(t.ring, q)
			t.that("doca_comch_msgq_start without a direction", "an error", describe(err), err != nil)
		}),
		one("msgq/objects-before-start", "A message queue has no consumers and producers before it is started.", func(t *T) {
			q := msgq(t)
			_, err := comch.MsgqConsumerCreate(q)
			t.that("doca_comch_msgq_consumer_create before the start", "an error", describe(err), err != nil)
			_, err = comch.MsgqProducerCreate(q)
			t.that("doca_comch_msgq_producer_create before the start", "an error", describe(err), err != nil)
		}),
	}
}
