// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/rdma"
	"unsafe"
)

// queuePair is an RDMA context with memory, half of which the peer may access.
type queuePair struct {
	t      *T
	dev    *common.Dev
	pe     *common.PE
	rdma   *rdma.RDMA
	ctx    *common.Ctx
	conn   *rdma.Connection
	blob   []byte // connection details
	m      *common.Mmap
	mem    []byte
	inv    *common.BufInventory
	remote *common.Mmap // the peer's memory
	at     uintptr      // where it begins
	tasks  []*common.Task
}

const (
	queuePairTasks  = 8
	queuePairMemory = 64 << 10
	allRDMA         = localRW | rdmaRead | rdmaWrite | rdmaAtomic
)

// bareRDMA makes a context without configuration.
func (t *T) bareRDMA(dev *common.Dev) *rdma.RDMA {
	r, err := rdma.Create(dev)
	t.must("doca_rdma_create", err)
	t.onEnd(func() { _ = rdma.Destroy(t.ring, r) })
	return r
}

// queuePair makes a context that is configured, with permissions, and not started.
func (t *T) queuePair(dev *common.Dev, pe *common.PE, permissions int) *queuePair {
	q := &queuePair{t: t, dev: dev, pe: pe}
	q.m, q.mem = t.mapped(dev, queuePairMemory, allRDMA)
	q.inv = t.inventory(32)
	q.rdma = t.bareRDMA(dev)
	ctx, err := rdma.AsCtx(q.rdma)
	t.must("doca_rdma_as_ctx", err)
	q.ctx = ctx
	t.must("doca_ctx_set_state_changed_cb", common.CtxSetStateChangedCB(ctx))
	t.must("doca_rdma_set_permissions", rdma.SetPermissions(q.rdma, uint32(permissions)))
	if t.env.gidIndex != nil {
		t.must("doca_rdma_set_gid_index", rdma.SetGIDIndex(q.rdma, *t.env.gidIndex))
		t.must("doca_rdma_set_grh_enabled", rdma.SetGRHEnabled(q.rdma, 1))
	}
	t.must("doca_rdma_task_send_set_conf", rdma.TaskSendSetConf(q.rdma, queuePairTasks))
	t.must("doca_rdma_task_send_imm_set_conf", rdma.TaskSendImmSetConf(q.rdma, queuePairTasks))
	t.must("doca_rdma_task_receive_set_conf", rdma.TaskReceiveSetConf(q.rdma, queuePairTasks))
	t.must("doca_rdma_task_write_set_conf", rdma.TaskWriteSetConf(q.rdma, queuePairTasks))
	t.must("doca_rdma_task_write_imm_set_conf", rdma.TaskWriteImmSetConf(q.rdma, queuePairTasks))
	t.must("doca_rdma_task_read_set_conf", rdma.TaskReadSetConf(q.rdma, queuePairTasks))
	t.must("doca_rdma_task_atomic_fetch_add_set_conf", rdma.TaskAtomicFetchAddSetConf(q.rdma, queuePairTasks))
	t.must("doca_rdma_task_atomic_cmp_swp_set_conf", rdma.TaskAtomicCmpSwpSetConf(q.rdma, queuePairTasks))
	t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
	t.stopAtEnd(ctx, q.free)
	return q
}

func (q *queuePair) free() {
	for _, task := range q.tasks {
		_ = common.TaskFree(task)
	}
	q.tasks = nil
}

// start starts the context and makes the details of a connection.
func (q *queuePair) start() *queuePair {
	t := q.t
	t.must("doca_ctx_start of an RDMA context", t.ctxStart(q.ctx))
	blob, conn, err := rdma.Export(q.rdma)
	t.must("doca_rdma_export", err)
	q.blob, q.conn = blob, conn
	return q
}

// export is the descriptor of the memory.
func (q *queuePair) export() []byte {
	desc, err := common.MmapExportRDMA(q.m, q.dev)
	q.t.must("doca_mmap_export_rdma", err)
	return desc
}

// connect connects to the peer, and imports its memory.
func (q *queuePair) connect(blob, desc []byte) {
	t := q.t
	t.must("doca_rdma_connect", rdma.Connect(q.rdma, blob, q.conn))
	m, err := common.MmapCreateFromExport(0, desc, q.dev)
	t.must("doca_mmap_create_from_export", err)
	t.onEnd(func() { _ = common.MmapDestroy(t.ring, m) })
	q.remote, q.at = m, t.range0(m)
}

// loop connects two contexts of one device with each other.
func (t *T) loop(permissions int) (a, b *queuePair) {
	dev := t.dev(NeedRDMA)
	pe := t.pe()
	a, b = t.queuePair(dev, pe, allRDMA).start(), t.queuePair(dev, pe, permissions).start()
	a.connect(b.blob, b.export())
	b.connect(a.blob, a.export())
	return a, b
}

// run submits a task and waits for its end.
func (q *queuePair) run(task *common.Task, ok, failed abi.Kind) {
	t := q.t
	q.submit(task)
	before := len(t.of(ok)) + len(t.of(failed))
	t.wait("doca_pe_progress", "an RDMA task has ended", func() bool { return len(t.of(ok))+len(t.of(failed)) > before })
}

func (q *queuePair) submit(task *common.Task) {
	q.tasks = append(q.tasks, task)
	q.t.must("doca_task_submit of an RDMA task", common.TaskSubmit(task))
}

// write writes the first n bytes of this side's memory to a place of the peer's.
func (q *queuePair) write(n, to int) abi.Error {
	t := q.t
	typed, err := rdma.TaskWriteAllocateInit(q.rdma, q.conn, t.full(q.inv, q.m, q.mem[:n]), t.emptyAt(q.inv, q.remote, q.at+uintptr(to), n), 1)
	t.must("doca_rdma_task_write_allocate_init", err)
	task, err := rdma.TaskWriteAsTask(typed)
	t.must("doca_rdma_task_write_as_task", err)
	q.run(task, rdma.KindTaskWriteSuccessfulTaskCompletion, rdma.KindTaskWriteErrorTaskCompletion)
	return statusOf(task)
}

// read reads n bytes from a place of the peer's memory into b.
func (q *queuePair) read(b *common.Buf, n, from int) (*rdma.TaskRead, abi.Error) {
	t := q.t
	typed, err := rdma.TaskReadAllocateInit(q.rdma, q.conn, t.fullAt(q.inv, q.remote, q.at+uintptr(from), n), b, 1)
	t.must("doca_rdma_task_read_allocate_init", err)
	task, err := rdma.TaskReadAsTask(typed)
	t.must("doca_rdma_task_read_as_task", err)
	q.run(task, rdma.KindTaskReadSuccessfulTaskCompletion, rdma.KindTaskReadErrorTaskCompletion)
	return typed, statusOf(task)
}

// receive posts a receive.
func (q *queuePair) receive(b *common.Buf) *rdma.TaskReceive {
	t := q.t
	typed, err := rdma.TaskReceiveAllocateInit(q.rdma, b, 1)
	t.must("doca_rdma_task_receive_allocate_init", err)
	task, err := rdma.TaskReceiveAsTask(typed)
	t.must("doca_rdma_task_receive_as_task", err)
	q.submit(task)
	return typed
}

// send submits a message.
func (q *queuePair) send(mem []byte) *common.Task {
	t := q.t
	typed, err := rdma.TaskSendAllocateInit(q.rdma, q.conn, t.full(q.inv, q.m, mem), 1)
	t.must("doca_rdma_task_send_allocate_init", err)
	task, err := rdma.TaskSendAsTask(typed)
	t.must("doca_rdma_task_send_as_task", err)
	q.submit(task)
	return task
}

// received waits until a receive has ended.
func (q *queuePair) received(typed *rdma.TaskReceive) {
	t := q.t
	t.wait("doca_pe_progress", "an RDMA receive has ended", func() bool {
		for _, r := range t.of(rdma.KindTaskReceiveSuccessfulTaskCompletion) {
			if r.Object == unsafe.Pointer(typed) {
				return true
			}
		}
		return false
	})
}
