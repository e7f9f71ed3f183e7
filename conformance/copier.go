// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
)

// copier is a DMA context with memory, half of which is copied to the other half.
type copier struct {
	t     *T
	dev   *common.Dev
	pe    *common.PE
	dma   *dma.DMA
	ctx   *common.Ctx
	m     *common.Mmap
	mem   []byte
	inv   *common.BufInventory
	next  int
	tasks []*common.Task // that are to be freed
}

const copierHalf = 256 << 10

// copier makes a context that is connected to an engine of its own, and not started, with n tasks.
func (t *T) copier(n int) *copier {
	return t.copierOn(t.dev(NeedDMA), t.pe(), n)
}

func (t *T) copierOn(dev *common.Dev, pe *common.PE, n int) *copier {
	c := &copier{t: t, dev: dev, pe: pe}
	c.m, c.mem = t.mapped(dev, 2*copierHalf, -1)
	c.inv = t.inventory(4*n + 32)
	d, err := dma.Create(dev)
	t.must("doca_dma_create", err)
	t.onEnd(func() { _ = dma.Destroy(t.ring, d) })
	c.dma = d
	c.ctx, err = dma.AsCtx(d)
	t.must("doca_dma_as_ctx", err)
	t.must("doca_ctx_set_state_changed_cb", common.CtxSetStateChangedCB(c.ctx))
	t.must("doca_dma_task_memcpy_set_conf", dma.TaskMemcpySetConf(d, uint32(n)))
	t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, c.ctx))
	t.stopAtEnd(c.ctx, c.free)
	return c
}

func (c *copier) start() { c.t.must("doca_ctx_start of a DMA context", c.t.ctxStart(c.ctx)) }

// ctxStart starts a context and keeps the records.
func (t *T) ctxStart(ctx *common.Ctx) error {
	t.ring.Reset()
	err := common.CtxStart(t.ring, ctx)
	t.take()
	return err
}

// ctxStop stops a context and keeps the records.
func (t *T) ctxStop(ctx *common.Ctx) error {
	t.ring.Reset()
	err := common.CtxStop(t.ring, ctx)
	t.take()
	return err
}

func (c *copier) free() {
	for _, task := range c.tasks {
		_ = common.TaskFree(task)
	}
	c.tasks = nil
}

// job is a copy.
type job struct {
	c        *copier
	src, dst *common.Buf
	from, to []byte
	typed    *dma.TaskMemcpy
	task     *common.Task
}

// copyOf makes a copy of n bytes that no other job has.
func (c *copier) copyOf(n int) *job {
	from, to := c.mem[c.next:][:n:n], c.mem[copierHalf+c.next:][:n:n]
	c.next += (n + 63) &^ 63
	fill(from, byte(c.next>>6))
	return c.copyBetween(c.t.full(c.inv, c.m, from), c.t.empty(c.inv, c.m, to), from, to)
}

func (c *copier) copyBetween(src, dst *common.Buf, from, to []byte) *job {
	j := &job{c: c, src: src, dst: dst, from: from, to: to}
	typed, err := dma.TaskMemcpyAllocInit(c.dma, src, dst, abi.Data(len(c.tasks)+1))
	c.t.must("doca_dma_task_memcpy_alloc_init", err)
	j.typed = typed
	j.task, err = dma.TaskMemcpyAsTask(typed)
	c.t.must("doca_dma_task_memcpy_as_task", err)
	c.tasks = append(c.tasks, j.task)
	return j
}

func (j *job) submit() *job {
	j.c.t.must("doca_task_submit", common.TaskSubmit(j.task))
	return j
}

// ended tells whether the task has ended, and how.
func (j *job) ended() (done bool, status abi.Error) {
	for _, r := range j.c.t.records {
		if r.Object == unsafe.Pointer(j.typed) && (r.Kind == dma.KindTaskMemcpyCompletion || r.Kind == dma.KindTaskMemcpyError) {
			return true, r.Status
		}
	}
	return false, 0
}

// end waits for the end of the task and returns its status.
func (j *job) end() abi.Error {
	j.c.t.wait("doca_pe_progress", "the end of a copy", func() bool { done, _ := j.ended(); return done })
	return statusOf(j.task)
}

func statusOf(task *common.Task) abi.Error {
	err := common.TaskGetStatus(task)
	var call *abi.CallError
	switch {
	case err == nil:
		return abi.Success
	case errors.As(err, &call):
		return call.Code
	}
	return abi.ErrorUnknown
}

// copies waits for copies, and compares the bytes.
func (c *copier) copies(jobs ...*job) {
	for _, j := range jobs {
		c.t.equal("doca_task_get_status of a copy", j.end(), success)
		c.t.same("doca_dma_task_memcpy, the destination", j.to, j.from)
	}
}
