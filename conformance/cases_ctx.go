// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
)

// states lists the changes of state that a context has reported.
func (t *T) states(ctx *common.Ctx) string {
	var list []string
	for _, r := range t.of(common.KindCtxStateChanged) {
		if r.Object == unsafe.Pointer(ctx) {
			list = append(list, fmt.Sprintf("%d→%d", r.Args[0], r.Args[1]))
		}
	}
	return strings.Join(list, " ")
}

func ctxCases() []Case {
	return of("common", []Case{
		{
			Name: "ctx/start-synchronous", Rule: "A DMA context is running when the start returns, and has told so.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				t.equal("doca_ctx_get_state before the start", t.state(c.ctx), common.CtxStateIdle)
				t.code("doca_ctx_start", t.ctxStart(c.ctx), success)
				t.equal("doca_ctx_get_state after the start", t.state(c.ctx), common.CtxStateRunning)
				t.equal("doca_ctx_start, changes of state", t.states(c.ctx), "0→2")
			},
		},
		{
			Name: "ctx/stop-synchronous", Rule: "A context without tasks is idle when the stop returns, and has told so.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				t.code("doca_ctx_stop", t.ctxStop(c.ctx), success)
				t.equal("doca_ctx_get_state after the stop", t.state(c.ctx), common.CtxStateIdle)
				t.equal("doca_ctx_stop, changes of state", t.states(c.ctx), "0→2 2→0")
			},
		},
		{
			Name: "ctx/start-twice", Rule: "A running context is not started.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				t.code("doca_ctx_start when running", common.CtxStart(t.ring, c.ctx), badState)
			},
		},
		{
			Name: "ctx/stop-idle", Rule: "An idle context is stopped with SUCCESS, and no change of state.", Source: Samples, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				t.code("doca_ctx_stop when idle", t.ctxStop(c.ctx), success)
				t.equal("doca_ctx_stop, changes of state", t.states(c.ctx), "")
			},
		},
		{
			Name: "ctx/start-without-engine", Rule: "A context without an engine does not start.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				d, err := dma.Create(t.dev(NeedDMA))
				t.must("doca_dma_create", err)
				t.onEnd(func() { _ = dma.Destroy(t.ring, d) })
				ctx, err := dma.AsCtx(d)
				t.must("doca_dma_as_ctx", err)
				t.must("doca_dma_task_memcpy_set_conf", dma.TaskMemcpySetConf(d, 1))
				t.code("doca_ctx_start without an engine", common.CtxStart(t.ring, ctx), notConnected)
			},
		},
		{
			Name: "ctx/start-unconfigured", Rule: "A context without its mandatory configuration does not start.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				pe := t.pe()
				d, err := dma.Create(t.dev(NeedDMA))
				t.must("doca_dma_create", err)
				t.onEnd(func() { _ = dma.Destroy(t.ring, d) })
				ctx, err := dma.AsCtx(d)
				t.must("doca_dma_as_ctx", err)
				t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
				t.code("doca_ctx_start without tasks", common.CtxStart(t.ring, ctx), initFailed)
			},
		},
		{
			Name: "ctx/restart", Rule: "A context starts again after a stop, with another configuration.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				t.must("doca_ctx_stop", t.ctxStop(c.ctx))
				t.must("doca_dma_task_memcpy_set_conf after a stop", dma.TaskMemcpySetConf(c.dma, 2))
				t.code("doca_ctx_start after a stop", t.ctxStart(c.ctx), success)
				c.copies(c.copyOf(64).submit(), c.copyOf(64).submit())
			},
		},
		{
			Name: "ctx/user-data", Rule: "User data of a context is 0 unless it is set, and can be set.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				v, err := common.CtxGetUserData(c.ctx)
				t.must("doca_ctx_get_user_data", err)
				t.equal("doca_ctx_get_user_data before it is set", uint64(v), 0)
				t.must("doca_ctx_set_user_data", common.CtxSetUserData(c.ctx, 99))
				v, err = common.CtxGetUserData(c.ctx)
				t.must("doca_ctx_get_user_data", err)
				t.equal("doca_ctx_get_user_data", uint64(v), 99)
			},
		},
		{
			Name: "ctx/completion-vector", Rule: "Completion vectors are numbered from 0, and set before the start.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				n, err := common.CtxCapGetNumCompletionVectors(t.info(NeedDMA))
				t.must("doca_ctx_cap_get_num_completion_vectors", err)
				t.code("doca_ctx_set_completion_vector with the last one", common.CtxSetCompletionVector(c.ctx, n-1), success)
				t.code("doca_ctx_set_completion_vector with the number of vectors", common.CtxSetCompletionVector(c.ctx, n), invalid)
				c.start()
				t.code("doca_ctx_set_completion_vector when running", common.CtxSetCompletionVector(c.ctx, 0), badState)
			},
		},
		{
			Name: "ctx/datapath-when-running", Rule: "The data path of a running context is not changed.", Source: Documented, Needs: needs(NeedDMA, NeedDPA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				t.code("doca_ctx_set_datapath_on_dpa when running", common.CtxSetDatapathOnDPA(c.ctx, t.dpa()), badState)
			},
		},
		{
			Name: "ctx/destroy-running", Rule: "A running context is not destroyed.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				t.code("doca_dma_destroy when running", dma.Destroy(t.ring, c.dma), inUse)
			},
		},
		{
			Name: "ctx/device-in-use", Rule: "A device with a context is not closed.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				dev, err := common.DevOpen(t.info(NeedDMA))
				t.must("doca_dev_open", err)
				d, err := dma.Create(dev)
				t.must("doca_dma_create", err)
				t.code("doca_dev_close with a context", common.DevClose(dev), inUse)
				t.must("doca_dma_destroy", dma.Destroy(t.ring, d))
				t.code("doca_dev_close after the context was destroyed", common.DevClose(dev), success)
			},
		},
	})
}

func ctxStopCases() []Case {
	return of("common", []Case{
		{
			Name: "ctx/stop-with-tasks", Rule: "A stop with tasks in flight is IN_PROGRESS; the context is idle when they have ended and were freed, and an engine has made progress.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(16)
				c.start()
				var jobs []*job
				for range 16 {
					jobs = append(jobs, c.copyOf(4096).submit())
				}
				t.code("doca_ctx_stop with tasks in flight", t.ctxStop(c.ctx), inProgress)
				t.equal("doca_ctx_get_state after it", t.state(c.ctx), common.CtxStateStopping)
				for _, j := range jobs {
					j.end()
				}
				t.drain()
				t.equal("doca_ctx_get_state before the tasks are freed", t.state(c.ctx), common.CtxStateStopping)
				c.free()
				t.wait("doca_pe_progress", "the context is idle", func() bool { return t.state(c.ctx) == common.CtxStateIdle })
				t.equal("doca_pe_progress, changes of state", t.states(c.ctx), "0→2 2→3 3→0")
			},
		},
		{
			Name: "ctx/stop-with-finished-tasks", Rule: "A context whose tasks have ended and are freed stops at once.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(2)
				c.start()
				c.copies(c.copyOf(64).submit())
				c.free()
				t.code("doca_ctx_stop after the tasks were freed", t.ctxStop(c.ctx), success)
				t.equal("doca_ctx_get_state after it", t.state(c.ctx), common.CtxStateIdle)
			},
		},
		{
			Name: "ctx/inflight", Rule: "A task is in flight from the submission until its callback has run.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				j := c.copyOf(64)
				count := func(asked string, want int) {
					n, err := common.CtxGetNumInflightTasks(c.ctx)
					t.must("doca_ctx_get_num_inflight_tasks", err)
					t.equal("doca_ctx_get_num_inflight_tasks "+asked, n, want)
				}
				count("of an allocated task", 0)
				j.submit()
				count("of a submitted task", 1)
				c.copies(j)
				count("of a task that has ended", 0)
			},
		},
		{
			Name: "ctx/configure-when-running", Rule: "A running context is not configured.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				t.code("doca_dma_task_memcpy_set_conf when running", dma.TaskMemcpySetConf(c.dma, 2), badState)
			},
		},
		{
			Name: "ctx/connect-when-running", Rule: "A running context is not connected to an engine.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				t.code("doca_pe_connect_ctx when running", common.PEConnectCtx(t.pe(), c.ctx), badState, notPermitted)
			},
		},
	})
}

func adviseCases() []Case {
	advise := func(t *T) (*common.MmapAdvise, *common.Ctx) {
		a, err := common.MmapAdviseCreate(t.dev(NeedAdvise))
		t.must("doca_mmap_advise_create", err)
		t.onEnd(func() { _ = common.MmapAdviseDestroy(t.ring, a) })
		ctx, err := common.MmapAdviseAsCtx(a)
		t.must("doca_mmap_advise_as_ctx", err)
		return a, ctx
	}
	return of("common", []Case{
		{
			Name: "advise/start-and-stop", Rule: "A context for advice on memory starts and stops at once.", Source: Documented, Needs: needs(NeedAdvise),
			Run: func(t *T) {
				pe := t.pe()
				a, ctx := advise(t)
				t.must("doca_mmap_advise_task_invalidate_cache_set_conf", common.MmapAdviseTaskInvalidateCacheSetConf(a, 1))
				t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
				t.code("doca_ctx_start of advice on memory", t.ctxStart(ctx), success)
				t.code("doca_mmap_advise_task_invalidate_cache_set_conf when running", common.MmapAdviseTaskInvalidateCacheSetConf(a, 1), notPermitted, badState)
				t.code("doca_ctx_stop of advice on memory", t.ctxStop(ctx), success)
			},
		},
		{
			Name: "advise/limit", Rule: "There is a largest buffer to give advice on.", Source: Documented, Needs: needs(NeedAdvise),
			Run: func(t *T) {
				n, err := common.MmapAdviseTaskCacheInvalidateGetMaxBufSize(t.info(NeedAdvise))
				t.must("doca_mmap_advise_task_cache_invalidate_get_max_buf_size", err)
				t.that("doca_mmap_advise_task_cache_invalidate_get_max_buf_size", "1 or more", n, n > 0)
			},
		},
	})
}
