// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"fmt"

	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
)

func dmaCases() []Case {
	return of("dma", []Case{
		{
			Name: "dma/largest-copy", Rule: "A device with DMA names its largest copy.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				n, err := dma.CapTaskMemcpyGetMaxBufSize(t.info(NeedDMA))
				t.must("doca_dma_cap_task_memcpy_get_max_buf_size", err)
				t.that("doca_dma_cap_task_memcpy_get_max_buf_size", "1 or more", n, n > 0)
			},
		},
		{
			Name: "dma/longest-list", Rule: "A device with DMA names its longest list: 1 means that it takes none.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				n, err := dma.CapTaskMemcpyGetMaxBufListLen(t.info(NeedDMA))
				t.must("doca_dma_cap_task_memcpy_get_max_buf_list_len", err)
				t.that("doca_dma_cap_task_memcpy_get_max_buf_list_len", "1 or more", n, n > 0)
			},
		},
		{
			Name: "dma/most-tasks", Rule: "A DMA context names its largest number of tasks.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				n, err := dma.CapGetMaxNumTasks(t.copier(1).dma)
				t.must("doca_dma_cap_get_max_num_tasks", err)
				t.that("doca_dma_cap_get_max_num_tasks", "1 or more", n, n > 0)
			},
		},
		{
			Name: "dma/no-tasks", Rule: "A DMA context is not configured for 0 tasks.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				d, err := dma.Create(t.dev(NeedDMA))
				t.must("doca_dma_create", err)
				t.onEnd(func() { _ = dma.Destroy(t.ring, d) })
				t.code("doca_dma_task_memcpy_set_conf with 0 tasks", dma.TaskMemcpySetConf(d, 0), invalid)
			},
		},
		{
			Name: "dma/too-many-tasks", Rule: "A DMA context is not configured for more tasks than it can have.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				d, err := dma.Create(t.dev(NeedDMA))
				t.must("doca_dma_create", err)
				t.onEnd(func() { _ = dma.Destroy(t.ring, d) })
				n, err := dma.CapGetMaxNumTasks(d)
				t.must("doca_dma_cap_get_max_num_tasks", err)
				if n == ^uint32(0) {
					t.skip("there is no limit")
				}
				t.code("doca_dma_task_memcpy_set_conf with more than the limit", dma.TaskMemcpySetConf(d, n+1), invalid)
			},
		},
		{
			Name: "dma/gpu-handle", Rule: "A DMA context that is not on a GPU has no handle for one.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				_, err := dma.GetGPUHandle(t.copier(1).dma)
				t.code("doca_dma_get_gpu_handle without a GPU", err, badState, notSupported)
			},
		},
		{
			Name: "dma/destroy-without-start", Rule: "A DMA context that was never started is destroyed.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				d, err := dma.Create(t.dev(NeedDMA))
				t.must("doca_dma_create", err)
				t.code("doca_dma_destroy", dma.Destroy(t.ring, d), success)
			},
		},
	})
}

func dmaTaskCases() []Case {
	return of("dma", []Case{
		{
			Name: "dma/copy", Rule: "A copy moves the data of the source, and ends with SUCCESS.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				c.copies(c.copyOf(4096).submit())
			},
		},
		{
			Name: "dma/copy-lengths", Rule: "Copies have any length: of 1 byte, odd ones, of several pages.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(6)
				c.start()
				for _, n := range []int{1, 3, 63, 65, 4097, 65537} {
					c.copies(c.copyOf(n).submit())
				}
			},
		},
		{
			Name: "dma/destination-length", Rule: "A copy extends the data of the destination by what it has moved.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				j := c.copyOf(1000).submit()
				c.copies(j)
				t.equal("doca_buf_get_data_len of the destination", t.dataLen(j.dst), 1000)
				t.equal("doca_buf_get_data_len of the source", t.dataLen(j.src), 1000)
			},
		},
		{
			Name: "dma/destination-room", Rule: "The destination may have more room than the source has data; the rest is left alone.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				from, to := c.mem[:100], c.mem[copierHalf:][:200]
				fill(from, 1)
				fill(to, 99)
				rest := bytes.Clone(to[100:])
				j := c.copyBetween(t.full(c.inv, c.m, from), t.empty(c.inv, c.m, to), from, to[:100]).submit()
				c.copies(j)
				t.same("doca_dma_task_memcpy, the destination behind the copy", to[100:], rest)
				t.equal("doca_buf_get_data_len of the destination", t.dataLen(j.dst), 100)
			},
		},
		{
			Name: "dma/no-permissions-set", Rule: "Maps whose permissions were never set are sources and destinations.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				c.copies(c.copyOf(64).submit())
			},
		},
		{
			Name: "dma/task-user-data", Rule: "The callback gets the user data of the task, which can be changed until the submission.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				j := c.copyOf(64)
				t.must("doca_task_set_user_data", common.TaskSetUserData(j.task, 4711))
				c.copies(j.submit())
				t.equal("doca_dma_task_memcpy_completion_cb, user data of the task", uint64(t.of(dma.KindTaskMemcpyCompletion)[0].User), 4711)
				v, err := common.TaskGetUserData(j.task)
				t.must("doca_task_get_user_data", err)
				t.equal("doca_task_get_user_data", uint64(v), 4711)
			},
		},
		{
			Name: "dma/task-context", Rule: "A task names its context.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				ctx, err := common.TaskGetCtx(c.copyOf(64).task)
				t.must("doca_task_get_ctx", err)
				t.equal("doca_task_get_ctx is that of the task", ctx == c.ctx, true)
			},
		},
		{
			Name: "dma/task-buffers", Rule: "A task names its buffers, and they can be changed.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(2)
				c.start()
				j, other := c.copyOf(64), c.copyOf(128)
				src, err := dma.TaskMemcpyGetSrc(j.typed)
				t.must("doca_dma_task_memcpy_get_src", err)
				dst, err := dma.TaskMemcpyGetDst(j.typed)
				t.must("doca_dma_task_memcpy_get_dst", err)
				t.equal("doca_dma_task_memcpy_get_src and _dst are those of the task", src == j.src && dst == j.dst, true)
				t.must("doca_dma_task_memcpy_set_src", dma.TaskMemcpySetSrc(j.typed, other.src))
				t.must("doca_dma_task_memcpy_set_dst", dma.TaskMemcpySetDst(j.typed, other.dst))
				j.from, j.to = other.from, other.to
				c.copies(j.submit())
			},
		},
		{
			Name: "dma/resubmit", Rule: "A task that has ended is submitted again, for other buffers.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				j := c.copyOf(64)
				c.copies(j.submit())
				for i := range 4 {
					from, to := c.mem[8192+i*512:][:200], c.mem[copierHalf+8192+i*512:][:200]
					fill(from, byte(50*i))
					t.must("doca_dma_task_memcpy_set_src", dma.TaskMemcpySetSrc(j.typed, t.full(c.inv, c.m, from)))
					t.must("doca_dma_task_memcpy_set_dst", dma.TaskMemcpySetDst(j.typed, t.empty(c.inv, c.m, to)))
					t.records = nil
					j.from, j.to = from, to
					c.copies(j.submit())
				}
			},
		},
		{
			Name: "dma/pool-of-tasks", Rule: "A context has as many tasks as configured; a task that was freed is had again.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(2)
				c.start()
				src, dst := t.full(c.inv, c.m, c.mem[:64]), t.empty(c.inv, c.m, c.mem[copierHalf:][:64])
				c.copyBetween(src, dst, nil, nil)
				c.copyBetween(src, dst, nil, nil)
				_, err := dma.TaskMemcpyAllocInit(c.dma, src, dst, 0)
				t.code("doca_dma_task_memcpy_alloc_init of a third of 2", err, noMemory)
				c.free()
				c.copyBetween(src, dst, nil, nil)
			},
		},
		{
			Name: "dma/many", Rule: "A context carries out as many tasks at once as it has.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(256)
				c.start()
				var jobs []*job
				for range 256 {
					jobs = append(jobs, c.copyOf(512).submit())
				}
				c.copies(jobs...)
			},
		},
		{
			Name: "dma/try-submit", Rule: "doca_task_try_submit carries out a task.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				j := c.copyOf(64)
				t.code("doca_task_try_submit", common.TaskTrySubmit(j.task), success)
				c.copies(j)
			},
		},
		{
			Name: "dma/flush", Rule: "Tasks submitted without a flush are carried out after doca_ctx_flush_tasks.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(4)
				c.start()
				var jobs []*job
				for range 4 {
					j := c.copyOf(4096)
					t.must("doca_task_submit_ex without flags", common.TaskSubmitEx(j.task, uint32(common.TaskSubmitFlagNone)))
					jobs = append(jobs, j)
				}
				t.must("doca_ctx_flush_tasks", common.CtxFlushTasks(c.ctx))
				c.copies(jobs...)
			},
		},
		{
			Name: "dma/optimized-reports", Rule: "Tasks with OPTIMIZE_REPORTS are reported at the latest with a later task that has no such flag and is flushed.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(8)
				c.start()
				var jobs []*job
				for i := range 8 {
					flags := common.TaskSubmitFlagOptimizeReports
					if i == 7 {
						flags = common.TaskSubmitFlagFlush
					}
					j := c.copyOf(4096)
					t.must("doca_task_submit_ex", common.TaskSubmitEx(j.task, uint32(flags)))
					jobs = append(jobs, j)
				}
				c.copies(jobs...)
			},
		},
		{
			Name: "dma/empty-source", Rule: "A copy of a source without data fails, and the context stops.", Source: Samples, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(4)
				c.start()
				j := c.copyBetween(t.empty(c.inv, c.m, c.mem[:64]), t.empty(c.inv, c.m, c.mem[copierHalf:][:64]), nil, nil).submit()
				status := j.end()
				t.that("doca_task_get_status of a copy without data", "an error", status, status != success)
				t.wait("doca_ctx_get_state after a failed copy", "STOPPING or IDLE", func() bool { return t.state(c.ctx) != common.CtxStateRunning })
			},
		},
		{
			Name: "dma/failure-flushes-others", Rule: "When a task fails, those behind it end as well, and the context is idle after all were freed.", Source: Samples, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(16)
				c.start()
				var jobs []*job
				for i := range 16 {
					if i == 2 {
						jobs = append(jobs, c.copyBetween(t.empty(c.inv, c.m, c.mem[:64]), t.empty(c.inv, c.m, c.mem[copierHalf:][:64]), nil, nil).submit())
						continue
					}
					jobs = append(jobs, c.copyOf(4096).submit())
				}
				for _, j := range jobs {
					j.end()
				}
				t.that("doca_task_get_status of the copy that fails", "an error", statusOf(jobs[2].task), statusOf(jobs[2].task) != success)
				c.free()
				t.wait("doca_pe_progress after a failed copy", "the context is idle", func() bool { return t.state(c.ctx) == common.CtxStateIdle })
				t.code("doca_ctx_start after a failed copy", t.ctxStart(c.ctx), success)
			},
		},
		{
			Name: "dma/destination-too-small", Rule: "A copy into too little room fails: doca_task_try_submit refuses it, or it ends in an error.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(1)
				c.start()
				j := c.copyBetween(t.full(c.inv, c.m, c.mem[:128]), t.empty(c.inv, c.m, c.mem[copierHalf:][:64]), nil, nil)
				if err := common.TaskTrySubmit(j.task); err != nil {
					t.code("doca_task_try_submit of a copy into too little room", err, invalid)
					return
				}
				status := j.end()
				t.that("doca_task_get_status of a copy into too little room", "an error", status, status != success)
			},
		},
		{
			Name: "dma/ordered-publication", Rule: "Of two copies of one context, the second one moves what it does after the first one's bytes are there.", Source: Measured, Needs: needs(NeedDMA),
			Run: func(t *T) {
				c := t.copier(2)
				c.start()
				for round := range 32 {
					c.next = 0
					data, word := c.copyOf(64<<10), c.copyOf(8)
					clear(data.to)
					data.submit()
					word.submit()
					c.copies(word)
					t.same(fmt.Sprintf("doca_dma_task_memcpy %d, the data when the word is there", round), data.to, data.from)
					c.copies(data)
					c.free()
					t.records = nil
					for _, b := range []*common.Buf{data.src, data.dst, word.src, word.dst} {
						_, _ = common.BufDecRefcount(b)
					}
					t.cleanups = t.cleanups[:len(t.cleanups)-4]
				}
			},
		},
		{
			Name: "dma/largest", Rule: "A copy of the largest size that the device names is carried out.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				n, err := dma.CapTaskMemcpyGetMaxBufSize(t.info(NeedDMA))
				t.must("doca_dma_cap_task_memcpy_get_max_buf_size", err)
				if n > 64<<20 {
					t.skip("copies of %d bytes need too much memory", n)
				}
				c := t.copier(1)
				c.start()
				m, mem := t.mapped(c.dev, 2*int(n), -1)
				fill(mem[:n], 3)
				j := c.copyBetween(t.full(c.inv, m, mem[:n]), t.empty(c.inv, m, mem[n:]), mem[:n], mem[n:]).submit()
				c.copies(j)
			},
		},
		{
			Name: "dma/too-large", Rule: "A copy of more than the largest size fails: doca_task_try_submit refuses it, or it ends in an error.", Source: Documented, Needs: needs(NeedDMA),
			Run: func(t *T) {
				n, err := dma.CapTaskMemcpyGetMaxBufSize(t.info(NeedDMA))
				t.must("doca_dma_cap_task_memcpy_get_max_buf_size", err)
				if n > 64<<20 {
					t.skip("copies of %d bytes need too much memory", n)
				}
				c := t.copier(1)
				c.start()
				m, mem := t.mapped(c.dev, 2*int(n)+128, -1)
				j := c.copyBetween(t.full(c.inv, m, mem[:n+1]), t.empty(c.inv, m, mem[n+64:]), nil, nil)
				if err := common.TaskTrySubmit(j.task); err != nil {
					t.code("doca_task_try_submit of a copy that is too large", err, invalid)
					return
				}
				status := j.end()
				t.that("doca_task_get_status of a copy that is too large", "an error", status, status != success)
			},
		},
		{
			Name: "dma/pull", Rule: "The DPU copies from memory that the host has exported for reading.", Source: Measured, Needs: needs(NeedDMA, NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				m, dev := t.importedOn()
				c := t.copierOn(dev, t.pe(), 1)
				c.start()
				to, want := c.mem[:8192], make([]byte, 8192)
				fill(want, 1)
				c.copies(c.copyBetween(t.fullAt(c.inv, m, t.range0(m), 8192), t.empty(c.inv, c.m, to), want, to).submit())
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(pciRead) },
		},
		{
			Name: "dma/push", Rule: "The DPU copies into memory that the host has exported for writing.", Source: Measured, Needs: needs(NeedDMA, NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				m, dev := t.importedOn()
				c := t.copierOn(dev, t.pe(), 1)
				c.start()
				fill(c.mem[:8192], 200)
				j := c.copyBetween(t.full(c.inv, c.m, c.mem[:8192]), t.emptyAt(c.inv, m, t.range0(m), 8192), nil, nil).submit()
				t.equal("doca_task_get_status of a copy to the host", j.end(), success)
				t.tell("done")
			},
			Peer: func(t *T) {
				mem, want := t.exporter(localRW|pciWrite), make([]byte, 8192)
				fill(want, 200)
				t.same("doca_dma_task_memcpy, the host's memory", mem, want)
			},
		},
		{
			Name: "dma/push-into-read-only", Rule: "A copy into memory that was exported for reading fails, and the memory is left alone.", Source: Documented, Needs: needs(NeedDMA, NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				m, dev := t.importedOn()
				c := t.copierOn(dev, t.pe(), 1)
				c.start()
				j := c.copyBetween(t.full(c.inv, c.m, c.mem[:64]), t.emptyAt(c.inv, m, t.range0(m), 64), nil, nil)
				t.refused("a copy into memory exported for reading", j)
				t.tell("done")
			},
			Peer: func(t *T) {
				mem, want := t.exporter(localRW|pciRead), make([]byte, 8192)
				fill(want, 1)
				t.same("doca_dma_task_memcpy, the host's memory", mem, want)
			},
		},
		{
			Name: "dma/exporter-gone", Rule: "After the exporter has stopped its map, a copy from it fails with IO_FAILED.", Source: Measured, Needs: needs(NeedDMA, NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				m, dev := t.importedOn()
				c := t.copierOn(dev, t.pe(), 1)
				c.start()
				j := c.copyBetween(t.fullAt(c.inv, m, t.range0(m), 64), t.empty(c.inv, c.m, c.mem[:64]), nil, nil)
				t.tell("stop")
				t.hear("stopped")
				j.submit()
				t.equal("doca_task_get_status of a copy from a map that was stopped", j.end(), ioFailed)
			},
			Peer: func(t *T) {
				dev := t.pairedDevice()
				m, _ := t.mapped(dev, 8192, localRW|pciRead)
				desc, err := common.MmapExportPCI(m, dev)
				t.must("doca_mmap_export_pci", err)
				t.tell("descriptor", desc)
				t.hear("stop")
				t.code("doca_mmap_stop of an exported map", common.MmapStop(t.ring, m), success)
				t.tell("stopped")
			},
		},
	})
}

// refused is a task that must fail, at the submission or later.
func (t *T) refused(what string, j *job) {
	if err := common.TaskTrySubmit(j.task); err != nil {
		t.code("doca_task_try_submit of "+what, err, invalid, notPermitted)
		return
	}
	status := j.end()
	t.that("doca_task_get_status of "+what, "an error", status, status != success)
}
