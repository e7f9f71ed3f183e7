// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/generated/common"
)

func peCases() []Case {
	return of("common", []Case{
		{
			Name: "pe/progress-without-contexts", Rule: "An engine without contexts has nothing to do.", Source: Observed,
			Run: func(t *T) { t.equal("doca_pe_progress without contexts", t.progress(t.pe()), 0) },
		},
		{
			Name: "pe/inflight-without-contexts", Rule: "An engine without contexts has no tasks in flight.", Source: Observed,
			Run: func(t *T) {
				n, err := common.PEGetNumInflightTasks(t.pe())
				t.must("doca_pe_get_num_inflight_tasks", err)
				t.equal("doca_pe_get_num_inflight_tasks without contexts", n, 0)
			},
		},
		{
			Name: "pe/destroy", Rule: "An engine without contexts is destroyed.", Source: Documented,
			Run: func(t *T) {
				pe, err := common.PECreate()
				t.must("doca_pe_create", err)
				t.code("doca_pe_destroy", common.PEDestroy(t.ring, pe), success)
			},
		},
		{
			Name: "pe/destroy-with-context", Rule: "An engine is not destroyed while a context is connected to it, started or not.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				t.code("doca_pe_destroy with an idle context", common.PEDestroy(t.ring, c.pe), inUse)
				t.must("doca_ctx_start", common.CtxStart(t.ring, c.ctx))
				t.code("doca_pe_destroy with a running context", common.PEDestroy(t.ring, c.pe), inUse)
			},
		},
		{
			Name: "pe/connect-twice", Rule: "A context is connected to one engine, once.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				t.code("doca_pe_connect_ctx a second time", common.PEConnectCtx(c.pe, c.ctx), notPermitted)
				t.code("doca_pe_connect_ctx to another engine", common.PEConnectCtx(t.pe(), c.ctx), notPermitted)
			},
		},
		{
			Name: "pe/connect-null", Rule: "NULL is not connected.", Source: Observed,
			Run: func(t *T) { t.code("doca_pe_connect_ctx with NULL", common.PEConnectCtx(t.pe(), nil), invalid) },
		},
		{
			Name: "pe/two-contexts", Rule: "An engine serves several contexts, and counts their tasks together.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				a := t.copier(1)
				b := t.copierOn(a.dev, a.pe, 1)
				a.start()
				b.start()
				b.copies(a.copyOf(64).submit(), b.copyOf(64).submit())
				n, err := common.PEGetNumInflightTasks(a.pe)
				t.must("doca_pe_get_num_inflight_tasks", err)
				t.equal("doca_pe_get_num_inflight_tasks after both", n, 0)
			},
		},
		{
			Name: "pe/event-mode", Rule: "The mode of events can be set, to one of two values.", Source: Documented,
			Run: func(t *T) {
				pe := t.pe()
				t.code("doca_pe_set_event_mode to all", common.PESetEventMode(pe, common.PEEventModeProgressAll), success)
				t.code("doca_pe_set_event_mode to selective", common.PESetEventMode(pe, common.PEEventModeProgressSelective), success)
				t.code("doca_pe_set_event_mode to 99", common.PESetEventMode(pe, 99), invalid)
			},
		},
		{
			Name: "pe/several-engines", Rule: "A program has several engines.", Source: Samples,
			Run: func(t *T) {
				for i := range 8 {
					t.equal(fmt.Sprintf("doca_pe_progress of engine %d", i), t.progress(t.pe()), 0)
				}
			},
		},
	})
}

// ready tells whether an engine's handle is readable within a time.
func (t *T) ready(handle common.NotificationHandle, wait time.Duration) bool {
	ep, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		t.skip("%v", err)
	}
	defer syscall.Close(ep)
	if err := syscall.EpollCtl(ep, syscall.EPOLL_CTL_ADD, int(handle), &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: handle}); err != nil {
		t.skip("%v", err)
	}
	for {
		n, err := syscall.EpollWait(ep, make([]syscall.EpollEvent, 1), int(wait.Milliseconds()))
		if err != syscall.EINTR {
			return n > 0
		}
	}
}

func notificationCases() []Case {
	handleOf := func(t *T, pe *common.PE) common.NotificationHandle {
		h, err := common.PEGetNotificationHandle(pe)
		t.must("doca_pe_get_notification_handle", err)
		return h
	}
	return of("common", []Case{
		{
			Name: "notification/handle", Rule: "An engine has one notification handle, a file descriptor.", Source: Documented,
			Run: func(t *T) {
				pe := t.pe()
				h := handleOf(t, pe)
				t.that("doca_pe_get_notification_handle", "a file descriptor", h, h >= 0)
				t.equal("doca_pe_get_notification_handle again", handleOf(t, pe), h)
			},
		},
		{
			Name: "notification/request-twice", Rule: "A notification can be requested twice.", Source: Observed,
			Run: func(t *T) {
				pe := t.pe()
				t.code("doca_pe_request_notification", common.PERequestNotification(pe), success)
				t.code("doca_pe_request_notification again", common.PERequestNotification(pe), success)
			},
		},
		{
			Name: "notification/clear-any-handle", Rule: "On Linux the handle that is given to doca_pe_clear_notification does not matter.", Source: Observed,
			Run: func(t *T) {
				pe := t.pe()
				t.must("doca_pe_request_notification", common.PERequestNotification(pe))
				t.code("doca_pe_clear_notification with 0", common.PEClearNotification(pe, 0), success)
				t.code("doca_pe_clear_notification with the handle", common.PEClearNotification(pe, handleOf(t, pe)), success)
			},
		},
		{
			Name: "notification/idle", Rule: "The handle of an engine without anything to do is not ready.", Source: Observed,
			Run: func(t *T) {
				pe := t.pe()
				h := handleOf(t, pe)
				t.must("doca_pe_request_notification", common.PERequestNotification(pe))
				t.equal("doca_pe_request_notification, the handle is ready after 10 ms", t.ready(h, 10*time.Millisecond), false)
			},
		},
		{
			Name: "notification/completion", Rule: "A completion makes the handle ready.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				h := handleOf(t, c.pe)
				c.start()
				t.drain()
				job := c.copyOf(4096)
				t.must("doca_pe_request_notification", common.PERequestNotification(c.pe))
				job.submit()
				t.equal("doca_pe_request_notification, the handle is ready after a task", t.ready(h, t.env.patience()/2), true)
				t.must("doca_pe_clear_notification", common.PEClearNotification(c.pe, h))
				c.copies(job)
			},
		},
		{
			Name: "notification/no-lost-wake-up", Rule: "What has been submitted before the request wakes up the waiter as well.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				h := handleOf(t, c.pe)
				c.start()
				t.drain()
				job := c.copyOf(4096).submit()
				t.must("doca_pe_request_notification", common.PERequestNotification(c.pe))
				t.equal("doca_pe_request_notification after a task, the handle is ready", t.ready(h, t.env.patience()/2), true)
				t.must("doca_pe_clear_notification", common.PEClearNotification(c.pe, 0))
				c.copies(job)
			},
		},
	})
}
