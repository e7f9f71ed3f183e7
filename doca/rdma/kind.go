package rdma

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// kind is a kind of operation that this side begins. Each has tasks of its own type.
type kind uint8

const (
	kindWrite kind = iota
	kindWriteImm
	kindRead
	kindSend
	kindSendImm
	kindCompareAndSwap
	kindFetchAdd
	kindEventGet
	kindEventSet
	kindEventAdd
	numKinds
)

// kindInfo says how to work with the tasks of a kind.
type kindInfo struct {
	name    string  // of the operation, in errors
	local   bool    // the devices do it without the peer's program, which need not have posted a receive
	size    uintptr // of an item
	setConf func(raw *gen.RDMA, n uint32) error
	alloc   func(raw *gen.RDMA, conn *gen.Connection) (typed unsafe.Pointer, err error)
	asTask  func(typed unsafe.Pointer) (*common.Task, error)
	submit  func(ring *abi.Ring, queue *abi.Queue, batch *abi.Batch, wait bool) error
	has     func(Capabilities) bool
	done    abi.Kind // of the records of batches that go on or have ended
	failed  abi.Kind // and of those of failures
}

var kinds = [numKinds]kindInfo{
	kindWrite: {
		name: "write", local: true, size: unsafe.Sizeof(gen.TaskWriteItem{}), setConf: gen.TaskWriteSetConfQueued, submit: gen.TaskWriteSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskWriteAllocateInit(raw, conn, nil, nil, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskWriteAsTask((*gen.TaskWrite)(t)) },
		has:    func(c Capabilities) bool { return c.Write },
		done:   gen.KindTaskWriteSuccessfulTaskCompletion, failed: gen.KindTaskWriteErrorTaskCompletion,
	},
	kindWriteImm: {
		name: "write", size: unsafe.Sizeof(gen.TaskWriteImmItem{}), setConf: gen.TaskWriteImmSetConfQueued, submit: gen.TaskWriteImmSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskWriteImmAllocateInit(raw, conn, nil, nil, 0, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskWriteImmAsTask((*gen.TaskWriteImm)(t)) },
		has:    func(c Capabilities) bool { return c.WriteImm },
		done:   gen.KindTaskWriteImmSuccessfulTaskCompletion, failed: gen.KindTaskWriteImmErrorTaskCompletion,
	},
	kindRead: {
		name: "read", local: true, size: unsafe.Sizeof(gen.TaskReadItem{}), setConf: gen.TaskReadSetConfQueued, submit: gen.TaskReadSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskReadAllocateInit(raw, conn, nil, nil, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskReadAsTask((*gen.TaskRead)(t)) },
		has:    func(c Capabilities) bool { return c.Read },
		done:   gen.KindTaskReadSuccessfulTaskCompletion, failed: gen.KindTaskReadErrorTaskCompletion,
	},
	kindSend: {
		name: "send", size: unsafe.Sizeof(gen.TaskSendItem{}), setConf: gen.TaskSendSetConfQueued, submit: gen.TaskSendSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskSendAllocateInit(raw, conn, nil, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskSendAsTask((*gen.TaskSend)(t)) },
		has:    func(c Capabilities) bool { return c.Send },
		done:   gen.KindTaskSendSuccessfulTaskCompletion, failed: gen.KindTaskSendErrorTaskCompletion,
	},
	kindSendImm: {
		name: "send", size: unsafe.Sizeof(gen.TaskSendImmItem{}), setConf: gen.TaskSendImmSetConfQueued, submit: gen.TaskSendImmSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskSendImmAllocateInit(raw, conn, nil, 0, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskSendImmAsTask((*gen.TaskSendImm)(t)) },
		has:    func(c Capabilities) bool { return c.SendImm },
		done:   gen.KindTaskSendImmSuccessfulTaskCompletion, failed: gen.KindTaskSendImmErrorTaskCompletion,
	},
	kindCompareAndSwap: {
		name: "compare and swap", local: true, size: unsafe.Sizeof(gen.TaskAtomicCmpSwpItem{}), setConf: gen.TaskAtomicCmpSwpSetConfQueued, submit: gen.TaskAtomicCmpSwpSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskAtomicCmpSwpAllocateInit(raw, conn, nil, nil, 0, 0, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) {
			return gen.TaskAtomicCmpSwpAsTask((*gen.TaskAtomicCmpSwp)(t))
		},
		has:  func(c Capabilities) bool { return c.CompareAndSwap },
		done: gen.KindTaskAtomicCmpSwpSuccessfulTaskCompletion, failed: gen.KindTaskAtomicCmpSwpErrorTaskCompletion,
	},
	kindFetchAdd: {
		name: "fetch and add", local: true, size: unsafe.Sizeof(gen.TaskAtomicFetchAddItem{}), setConf: gen.TaskAtomicFetchAddSetConfQueued, submit: gen.TaskAtomicFetchAddSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskAtomicFetchAddAllocateInit(raw, conn, nil, nil, 0, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) {
			return gen.TaskAtomicFetchAddAsTask((*gen.TaskAtomicFetchAdd)(t))
		},
		has:  func(c Capabilities) bool { return c.FetchAdd },
		done: gen.KindTaskAtomicFetchAddSuccessfulTaskCompletion, failed: gen.KindTaskAtomicFetchAddErrorTaskCompletion,
	},
	kindEventGet: {
		name: "get event", local: true, size: unsafe.Sizeof(gen.TaskRemoteNetSyncEventGetItem{}), setConf: gen.TaskRemoteNetSyncEventGetSetConfQueued, submit: gen.TaskRemoteNetSyncEventGetSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskRemoteNetSyncEventGetAllocateInit(raw, conn, nil, nil, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) {
			return gen.TaskRemoteNetSyncEventGetAsTask((*gen.TaskRemoteNetSyncEventGet)(t))
		},
		has:  func(c Capabilities) bool { return c.EventGet },
		done: gen.KindTaskRemoteNetSyncEventGetSuccessfulTaskCompletion, failed: gen.KindTaskRemoteNetSyncEventGetErrorTaskCompletion,
	},
	kindEventSet: {
		name: "set event", local: true, size: unsafe.Sizeof(gen.TaskRemoteNetSyncEventNotifySetItem{}), setConf: gen.TaskRemoteNetSyncEventNotifySetSetConfQueued, submit: gen.TaskRemoteNetSyncEventNotifySetSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskRemoteNetSyncEventNotifySetAllocateInit(raw, conn, nil, nil, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) {
			return gen.TaskRemoteNetSyncEventNotifySetAsTask((*gen.TaskRemoteNetSyncEventNotifySet)(t))
		},
		has:  func(c Capabilities) bool { return c.EventSet },
		done: gen.KindTaskRemoteNetSyncEventNotifySetSuccessfulTaskCompletion, failed: gen.KindTaskRemoteNetSyncEventNotifySetErrorTaskCompletion,
	},
	kindEventAdd: {
		name: "add to event", local: true, size: unsafe.Sizeof(gen.TaskRemoteNetSyncEventNotifyAddItem{}), setConf: gen.TaskRemoteNetSyncEventNotifyAddSetConfQueued, submit: gen.TaskRemoteNetSyncEventNotifyAddSubmitQueued,
		alloc: func(raw *gen.RDMA, conn *gen.Connection) (unsafe.Pointer, error) {
			t, err := gen.TaskRemoteNetSyncEventNotifyAddAllocateInit(raw, conn, nil, nil, 0, 0)
			return unsafe.Pointer(t), err
		},
		asTask: func(t unsafe.Pointer) (*common.Task, error) {
			return gen.TaskRemoteNetSyncEventNotifyAddAsTask((*gen.TaskRemoteNetSyncEventNotifyAdd)(t))
		},
		has:  func(c Capabilities) bool { return c.EventAdd },
		done: gen.KindTaskRemoteNetSyncEventNotifyAddSuccessfulTaskCompletion, failed: gen.KindTaskRemoteNetSyncEventNotifyAddErrorTaskCompletion,
	},
}
