// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/syncevent"
)

const allOnes = ^uint64(0)

// event makes an event for the CPU, which is not started.
func (t *T) event(dev *common.Dev) *syncevent.SyncEvent {
	ev := t.bareEvent()
	t.must("doca_sync_event_add_publisher_location_cpu", syncevent.AddPublisherLocationCPU(ev, dev))
	t.must("doca_sync_event_add_subscriber_location_cpu", syncevent.AddSubscriberLocationCPU(ev, dev))
	return ev
}

func (t *T) bareEvent() *syncevent.SyncEvent {
	ev, err := syncevent.Create()
	t.must("doca_sync_event_create", err)
	t.onEnd(func() {
		_ = syncevent.Stop(t.ring, ev)
		_ = syncevent.Destroy(t.ring, ev)
	})
	return ev
}

func (t *T) startedEvent() *syncevent.SyncEvent {
	ev := t.event(t.dev(NeedSyncEvent))
	t.must("doca_sync_event_start", syncevent.Start(t.ring, ev))
	return ev
}

// value reads an event.
func (t *T) value(asked string, ev *syncevent.SyncEvent, want uint64) {
	v, err := syncevent.Get(ev)
	t.must("doca_sync_event_get", err)
	t.equal("doca_sync_event_get "+asked, v, want)
}

func syncEventCases() []Case {
	return of("syncevent", []Case{
		{
			Name: "sync-event/create-without-device", Rule: "An event is made without a device.", Source: Observed,
			Run: func(t *T) {
				ev, err := syncevent.Create()
				t.must("doca_sync_event_create", err)
				t.code("doca_sync_event_destroy", syncevent.Destroy(t.ring, ev), success)
			},
		},
		{
			Name: "sync-event/publisher-null", Rule: "A location on the CPU has a device.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_sync_event_add_publisher_location_cpu with a NULL device", syncevent.AddPublisherLocationCPU(t.bareEvent(), nil), invalid)
			},
		},
		{
			Name: "sync-event/start-unconfigured", Rule: "An event without locations does not start.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_sync_event_start without locations", syncevent.Start(t.ring, t.bareEvent()), badState)
			},
		},
		{
			Name: "sync-event/start-value", Rule: "The value of an event begins at 0.", Source: Documented, Needs: needs(NeedSyncEvent),
			Run: func(t *T) { t.value("after the start", t.startedEvent(), 0) },
		},
		{
			Name: "sync-event/set", Rule: "An event takes any value of 64 bits.", Source: Measured, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				ev := t.startedEvent()
				for _, v := range []uint64{1, 1_000_000, 1 << 40, allOnes, 0} {
					t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, v))
					t.value("after doca_sync_event_update_set", ev, v)
				}
			},
		},
		{
			Name: "sync-event/add", Rule: "doca_sync_event_update_add returns the value before, and wraps around.", Source: Documented, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				ev := t.startedEvent()
				t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, 40))
				old, err := syncevent.UpdateAdd(ev, 2)
				t.must("doca_sync_event_update_add", err)
				t.equal("doca_sync_event_update_add of 2 to 40, the value before", old, 40)
				t.value("after doca_sync_event_update_add", ev, 42)
				_, err = syncevent.UpdateAdd(ev, allOnes)
				t.must("doca_sync_event_update_add", err)
				t.value("after doca_sync_event_update_add of -1", ev, 41)
			},
		},
		{
			Name: "sync-event/wait-gt", Rule: "doca_sync_event_wait_gt returns when the value is greater, without a sign.", Source: Measured, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				ev := t.startedEvent()
				t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, 6))
				t.code("doca_sync_event_wait_gt for 5, of 6", syncevent.WaitGt(ev, 5, allOnes), success)
				t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, allOnes))
				t.code("doca_sync_event_wait_gt_yield for 5, of the largest value", syncevent.WaitGtYield(ev, 5, allOnes), success)
			},
		},
		{
			Name: "sync-event/wait-eq", Rule: "doca_sync_event_wait_eq compares the value under the mask.", Source: Documented, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				ev := t.startedEvent()
				t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, 0x1234))
				t.code("doca_sync_event_wait_eq for 0x34 under 0xff, of 0x1234", syncevent.WaitEq(ev, 0x34, 0xff), success)
				t.code("doca_sync_event_wait_eq_yield for 0x1234, of 0x1234", syncevent.WaitEqYield(ev, 0x1234, allOnes), success)
			},
		},
		{
			Name: "sync-event/wait-neq", Rule: "doca_sync_event_wait_neq returns when the value is another one.", Source: Documented, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				ev := t.startedEvent()
				t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, 7))
				t.code("doca_sync_event_wait_neq for 8, of 7", syncevent.WaitNeq(ev, 8, allOnes), success)
				t.code("doca_sync_event_wait_neq_yield for 8, of 7", syncevent.WaitNeqYield(ev, 8, allOnes), success)
			},
		},
		{
			Name: "sync-event/address", Rule: "The value of an event is where the program says.", Source: Documented, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				ev, mem := t.event(t.dev(NeedSyncEvent)), t.memory(8)
				at := (*uint64)(unsafe.Pointer(unsafe.SliceData(mem)))
				t.must("doca_sync_event_set_addr", syncevent.SetAddr(ev, unsafe.Pointer(at)))
				t.must("doca_sync_event_start", syncevent.Start(t.ring, ev))
				t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, 77))
				t.equal("doca_sync_event_set_addr, the word in memory", *at, 77)
			},
		},
		{
			Name: "sync-event/address-when-started", Rule: "The place of the value is not changed after the start.", Source: Documented, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				ev := t.startedEvent()
				t.code("doca_sync_event_set_addr when started", syncevent.SetAddr(ev, unsafe.Pointer(unsafe.SliceData(t.memory(8)))), badState)
			},
		},
		{
			Name: "sync-event/destroy-started", Rule: "A started event is destroyed without a stop.", Source: Samples, Needs: needs(NeedSyncEvent),
			Run: func(t *T) {
				dev := t.dev(NeedSyncEvent)
				ev, err := syncevent.Create()
				t.must("doca_sync_event_create", err)
				t.must("doca_sync_event_add_publisher_location_cpu", syncevent.AddPublisherLocationCPU(ev, dev))
				t.must("doca_sync_event_add_subscriber_location_cpu", syncevent.AddSubscriberLocationCPU(ev, dev))
				t.must("doca_sync_event_start", syncevent.Start(t.ring, ev))
				t.code("doca_sync_event_destroy when started", syncevent.Destroy(t.ring, ev), success)
			},
		},
		{
			Name: "sync-event/export-without-remote", Rule: "An event without a location across PCI is not exported there.", Source: Documented, Needs: needs(NeedSyncEventPCI),
			Run: func(t *T) {
				dev := t.dev(NeedSyncEventPCI)
				ev := t.event(dev)
				t.must("doca_sync_event_start", syncevent.Start(t.ring, ev))
				_, err := syncevent.ExportToRemotePCI(ev, dev)
				t.that("doca_sync_event_export_to_remote_pci without a location there", "an error", describe(err), err != nil)
			},
		},
	})
}

func syncEventTaskCases() []Case {
	// context makes an event with tasks, started as a context.
	context := func(t *T) (*syncevent.SyncEvent, *common.Ctx) {
		pe := t.pe()
		ev := t.event(t.dev(NeedSyncEvent))
		ctx, err := syncevent.AsCtx(ev)
		t.must("doca_sync_event_as_ctx", err)
		t.must("doca_sync_event_task_get_set_conf", syncevent.TaskGetSetConf(ev, 1))
		t.must("doca_sync_event_task_notify_set_set_conf", syncevent.TaskNotifySetSetConf(ev, 1))
		t.must("doca_sync_event_task_notify_add_set_conf", syncevent.TaskNotifyAddSetConf(ev, 1))
		t.must("doca_sync_event_task_wait_eq_set_conf", syncevent.TaskWaitEqSetConf(ev, 1))
		t.must("doca_sync_event_task_wait_neq_set_conf", syncevent.TaskWaitNeqSetConf(ev, 1))
		t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
		t.must("doca_ctx_start of a sync event", t.ctxStart(ctx))
		return ev, ctx
	}
	// carryOut submits a task and waits for its end.
	carryOut := func(t *T, task *common.Task, err error, kind abi.Kind) {
		t.must("doca_sync_event_task_alloc_init", err)
		t.must("doca_task_submit", common.TaskSubmit(task))
		t.await(kind, 1, "doca_pe_progress", "the end of a task of a sync event")
		t.equal("doca_task_get_status", statusOf(task), success)
		t.must("doca_task_free", common.TaskFree(task))
	}
	var cases []Case
	add := func(name, rule string, source Source, run func(*T, *syncevent.SyncEvent, *common.Ctx)) {
		cases = append(cases, Case{Name: name, Rule: rule, Source: source, Needs: needs(NeedSyncEvent), Run: func(t *T) {
			ev, ctx := context(t)
			t.stopAtEnd(ctx, func() {})
			run(t, ev, ctx)
		}})
	}
	add("sync-event/context-start", "An event that is started as a context is running when the start returns.", Documented, func(t *T, _ *syncevent.SyncEvent, ctx *common.Ctx) {
		t.equal("doca_ctx_get_state after the start", t.state(ctx), common.CtxStateRunning)
		t.code("doca_ctx_stop without tasks", t.ctxStop(ctx), success)
	})
	add("sync-event/task-get", "A task reads the value.", Documented, func(t *T, ev *syncevent.SyncEvent, _ *common.Ctx) {
		mem := t.memory(8)
		typed, err := syncevent.TaskGetAllocInit(ev, unsafe.Pointer(unsafe.SliceData(mem)), 1)
		t.must("doca_sync_event_task_get_alloc_init", err)
		task, err := syncevent.TaskGetAsDocaTask(typed)
		carryOut(t, task, err, syncevent.KindTaskGetCompletion)
		t.equal("doca_sync_event_task_get, the value", *(*uint64)(unsafe.Pointer(unsafe.SliceData(mem))), 0)
	})
	add("sync-event/task-set", "A task sets the value.", Documented, func(t *T, ev *syncevent.SyncEvent, _ *common.Ctx) {
		typed, err := syncevent.TaskNotifySetAllocInit(ev, 12, 1)
		t.must("doca_sync_event_task_notify_set_alloc_init", err)
		task, err := syncevent.TaskNotifySetAsDocaTask(typed)
		carryOut(t, task, err, syncevent.KindTaskNotifySetCompletion)
		mem := t.memory(8)
		get, err := syncevent.TaskGetAllocInit(ev, unsafe.Pointer(unsafe.SliceData(mem)), 1)
		t.must("doca_sync_event_task_get_alloc_init", err)
		task, err = syncevent.TaskGetAsDocaTask(get)
		carryOut(t, task, err, syncevent.KindTaskGetCompletion)
		t.equal("doca_sync_event_task_get, the value", *(*uint64)(unsafe.Pointer(unsafe.SliceData(mem))), 12)
	})
	add("sync-event/task-add", "A task adds to the value, and has the value before.", Documented, func(t *T, ev *syncevent.SyncEvent, _ *common.Ctx) {
		mem := t.memory(8)
		mem[0] = 99
		typed, err := syncevent.TaskNotifyAddAllocInit(ev, 5, unsafe.Pointer(unsafe.SliceData(mem)), 1)
		t.must("doca_sync_event_task_notify_add_alloc_init", err)
		task, err := syncevent.TaskNotifyAddAsDocaTask(typed)
		carryOut(t, task, err, syncevent.KindTaskNotifyAddCompletion)
		t.equal("doca_sync_event_task_notify_add, the value before", *(*uint64)(unsafe.Pointer(unsafe.SliceData(mem))), 0)
	})
	add("sync-event/task-wait", "A task that waits ends when the value is the one that it waits for.", Documented, func(t *T, ev *syncevent.SyncEvent, _ *common.Ctx) {
		wait, err := syncevent.TaskWaitEqAllocInit(ev, 9, allOnes, 1)
		t.must("doca_sync_event_task_wait_eq_alloc_init", err)
		waiting, err := syncevent.TaskWaitEqAsDocaTask(wait)
		t.must("doca_sync_event_task_wait_eq_as_doca_task", err)
		t.must("doca_task_submit", common.TaskSubmit(waiting))
		for range 100 {
			t.step()
		}
		t.equal("doca_pe_progress before the value is there, ends of the task", len(t.of(syncevent.KindTaskWaitEqCompletion)), 0)
		set, err := syncevent.TaskNotifySetAllocInit(ev, 9, 1)
		t.must("doca_sync_event_task_notify_set_alloc_init", err)
		task, err := syncevent.TaskNotifySetAsDocaTask(set)
		carryOut(t, task, err, syncevent.KindTaskNotifySetCompletion)
		t.await(syncevent.KindTaskWaitEqCompletion, 1, "doca_pe_progress", "the end of a task that waits for the value that is there")
		t.must("doca_task_free", common.TaskFree(waiting))
	})
	add("sync-event/task-wait-neq", "A task that waits for another value than one ends at once if it is another one.", Documented, func(t *T, ev *syncevent.SyncEvent, _ *common.Ctx) {
		typed, err := syncevent.TaskWaitNeqAllocInit(ev, 3, allOnes, 1)
		t.must("doca_sync_event_task_wait_neq_alloc_init", err)
		task, err := syncevent.TaskWaitNeqAsDocaTask(typed)
		carryOut(t, task, err, syncevent.KindTaskWaitNeqCompletion)
	})
	add("sync-event/pool-of-tasks", "An event has as many tasks as configured.", Documented, func(t *T, ev *syncevent.SyncEvent, _ *common.Ctx) {
		typed, err := syncevent.TaskNotifySetAllocInit(ev, 1, 1)
		t.must("doca_sync_event_task_notify_set_alloc_init", err)
		task, err := syncevent.TaskNotifySetAsDocaTask(typed)
		t.must("doca_sync_event_task_notify_set_as_doca_task", err)
		t.onEnd(func() { _ = common.TaskFree(task) })
		_, err = syncevent.TaskNotifySetAllocInit(ev, 1, 1)
		t.code("doca_sync_event_task_notify_set_alloc_init of a second of 1", err, noMemory)
	})
	add("sync-event/configure-when-running", "Tasks of a running event are not configured.", Documented, func(t *T, ev *syncevent.SyncEvent, _ *common.Ctx) {
		t.code("doca_sync_event_task_get_set_conf when running", syncevent.TaskGetSetConf(ev, 2), notPermitted)
	})
	return of("syncevent", cases)
}

func syncEventPairCases() []Case {
	// export makes an event of this side for the other one, and tells its blob.
	export := func(t *T, configure func(ev *syncevent.SyncEvent, dev *common.Dev)) *syncevent.SyncEvent {
		dev := t.pairedDevice()
		ev := t.bareEvent()
		configure(ev, dev)
		t.must("doca_sync_event_start", syncevent.Start(t.ring, ev))
		data, err := syncevent.ExportToRemotePCI(ev, dev)
		t.must("doca_sync_event_export_to_remote_pci", err)
		t.tell("event", slices.Clone(data))
		return ev
	}
	imported := func(t *T) *syncevent.SyncEvent {
		dev := t.pairedDevice()
		ev, err := syncevent.CreateFromExport(dev, t.hear("event"))
		t.must("doca_sync_event_create_from_export", err)
		t.onEnd(func() {
			_ = syncevent.Stop(t.ring, ev)
			_ = syncevent.Destroy(t.ring, ev)
		})
		t.must("doca_sync_event_start of an import", syncevent.Start(t.ring, ev))
		return ev
	}
	return of("syncevent", []Case{
		{
			Name: "sync-event/host-to-dpu", Rule: "The DPU sees the values that the host sets.", Source: Measured, Needs: needs(NeedSyncEventPCI), PeerNeeds: needs(NeedSyncEventPCI),
			Run: func(t *T) {
				ev := imported(t)
				for v := range uint64(3) {
					t.tellNumber("set", v+100)
					t.hear("was set")
					t.code("doca_sync_event_wait_gt of an import", syncevent.WaitGt(ev, v+99, allOnes), success)
					t.value("of an import", ev, v+100)
				}
				t.tellNumber("set", 0)
			},
			Peer: func(t *T) {
				ev := export(t, func(ev *syncevent.SyncEvent, dev *common.Dev) {
					t.must("doca_sync_event_add_publisher_location_cpu", syncevent.AddPublisherLocationCPU(ev, dev))
					t.must("doca_sync_event_add_subscriber_location_remote_pci", syncevent.AddSubscriberLocationRemotePCI(ev))
				})
				for v := t.number("set"); v != 0; v = t.number("set") {
					t.must("doca_sync_event_update_set", syncevent.UpdateSet(ev, v))
					t.tell("was set")
				}
			},
		},
		{
			Name: "sync-event/dpu-to-host", Rule: "The host sees the values that the DPU sets in an event of the host.", Source: Measured, Needs: needs(NeedSyncEventPCI), PeerNeeds: needs(NeedSyncEventPCI),
			Run: func(t *T) {
				ev := imported(t)
				t.must("doca_sync_event_update_set of an import", syncevent.UpdateSet(ev, 1<<40))
				t.tell("was set")
				t.hear("done")
			},
			Peer: func(t *T) {
				ev := export(t, func(ev *syncevent.SyncEvent, dev *common.Dev) {
					t.must("doca_sync_event_add_publisher_location_remote_pci", syncevent.AddPublisherLocationRemotePCI(ev))
					t.must("doca_sync_event_add_subscriber_location_cpu", syncevent.AddSubscriberLocationCPU(ev, dev))
				})
				t.hear("was set")
				t.code("doca_sync_event_wait_gt", syncevent.WaitGt(ev, 1<<39, allOnes), success)
				t.value("of the exporter", ev, 1<<40)
				t.tell("done")
			},
		},
	})
}
