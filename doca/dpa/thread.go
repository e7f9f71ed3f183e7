package dpa

import (
	"context"
	"errors"
	"runtime"
	"unsafe"

	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
)

// Func is a function that a thread can run: a kernel with one argument of 64 bits. A package that gen dpa has written returns it.
type Func struct {
	name string
	addr unsafe.Pointer
}

// FuncOf makes a Func of a symbol of the application, for code that gen dpa writes.
func FuncOf(name string, symbol unsafe.Pointer) Func { return Func{name, symbol} }

// String returns the name of the function.
func (f Func) String() string {
	if f.addr == nil {
		return "no function"
	}
	return f.name
}

// EU chooses an execution unit. The zero value leaves the choice to DOCA.
type EU struct {
	chosen bool
	id     uint32
}

// OnEU chooses an execution unit by its number.
func OnEU(id uint32) EU { return EU{true, id} }

// ThreadConfig holds the options of a Thread. Func is mandatory.
type ThreadConfig struct {
	Func Func
	Arg  uint64 // its argument, such as the address of a Memory

	// LocalStorage is what doca_dpa_dev_thread_get_local_storage returns in the thread, or nil. It is closed after the thread.
	LocalStorage *Memory

	EU EU // where the thread runs
}

// Thread is code on the DPA that completions wake: its function runs from its start at each wake-up. The DPA owns it, and closes the thread
// after the completions that wake it. Any goroutine may use it.
type Thread struct {
	*child
	o *object[*gen.Thread]
}

// NewThread creates a thread and starts it. Nothing wakes it before [Thread.Run]. Make the completions that wake it in between.
//
// Errors: ErrInvalidValue for a wrong ThreadConfig, such as a function of another application; [ErrFatal]; a [*doca.StateError] if the DPA or the storage is closed. Calls
// doca_dpa_thread_create, doca_dpa_thread_set_func_arg, doca_dpa_thread_set_local_storage, doca_dpa_thread_set_affinity with what
// doca_dpa_eu_affinity_create makes, and doca_dpa_thread_start.
func (d *DPA) NewThread(cfg ThreadConfig) (*Thread, error) {
	const op = "create thread"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	if cfg.Func.addr == nil {
		return nil, wrong(op, d.c.name, "ThreadConfig.Func is empty: use a function that gen dpa has written, such as FuncOnWake")
	}
	p := place{kind: "dpa thread"}
	if cfg.LocalStorage != nil {
		if cfg.LocalStorage.o == nil {
			return nil, noMemory(op)
		}
		p.owners = append(p.owners, cfg.LocalStorage)
	}
	var affinity *gen.EUAffinity // DOCA's, for this thread alone
	p.rest = func() error {
		if affinity == nil {
			return nil
		}
		if err := gen.EUAffinityDestroy(nil, affinity); err != nil {
			return err
		}
		affinity = nil
		return nil
	}
	destroy := func(t *gen.Thread) error { return gen.ThreadDestroy(nil, t) }
	create := func(raw *common.DPA) (*gen.Thread, error) {
		t, err := gen.ThreadCreate(raw)
		if err != nil {
			return nil, err
		}
		return steps(t,
			func() error { return gen.ThreadSetFuncArg(t, cfg.Func.addr, cfg.Arg) },
			func() error { return setStorage(t, cfg.LocalStorage, d.c.process) },
			func() (err error) {
				if !cfg.EU.chosen {
					return nil
				}
				if affinity, err = gen.EUAffinityCreate(raw); err != nil {
					return err
				}
				return errors.Join(gen.EUAffinitySet(affinity, cfg.EU.id), gen.ThreadSetAffinity(t, affinity))
			},
			func() error { return gen.ThreadStart(nil, t) })
	}
	child, o, err := newObject(d, p, create, destroy)
	if err != nil {
		return nil, err
	}
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	o.halt = func(t *gen.Thread) { _ = gen.ThreadStop(nil, t) } // or it would use queues that are gone; its destruction reports what is wrong
	return &Thread{child, o}, nil
}

func setStorage(t *gen.Thread, m *Memory, p *process) error {
	if m == nil {
		return nil
	}
	addr, err := m.o.ofLocked("create thread", p)
	if err != nil {
		return err
	}
	return gen.ThreadSetLocalStorage(t, addr)
}

// Run lets completions wake the thread. Those that came before wake it at once. Errors: ErrBadState if no completion is there to wake it; [ErrFatal]; a
// [*doca.StateError] if the thread is closed. Calls doca_dpa_thread_run.
func (t *Thread) Run() error {
	if t == nil || t.o == nil {
		return noThread("run")
	}
	defer runtime.KeepAlive(t)
	return t.o.use("run", gen.ThreadRun)
}

// ID returns DOCA's number of the thread. Errors: [ErrFatal]; a [*doca.StateError] if the thread is closed. Calls doca_dpa_thread_get_id.
func (t *Thread) ID() (id uint32, err error) {
	if t == nil || t.o == nil {
		return 0, noThread("get ID")
	}
	defer runtime.KeepAlive(t)
	err = t.o.use("get ID", func(raw *gen.Thread) (err error) {
		id, err = gen.ThreadGetID(raw)
		return err
	})
	return id, err
}

// Close ends the thread, whatever it does, after what wakes it and the groups that it is in. Closing a closed one is no error. Calls
// doca_dpa_thread_destroy.
func (t *Thread) Close() error { return t.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx for what wakes it.
func (t *Thread) Shutdown(ctx context.Context) error {
	if t == nil || t.o == nil {
		return noThread("close")
	}
	return t.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (t *Thread) String() string {
	if t == nil || t.o == nil {
		return "no dpa thread"
	}
	return t.o.name
}

// ThreadGroup is a group of threads: in each of them, doca_dpa_dev_thread_rank is its place in the group, and doca_dpa_dev_num_threads the
// number of all. The DPA owns it, and it is closed before its threads. Any goroutine may use it.
type ThreadGroup struct {
	*child
	o *object[*gen.Tg]
}

// NewThreadGroup makes a group of threads, with ranks from 0 on, and starts it. Errors: ErrInvalidValue if there are none, one is nil, of another DPA or
// there twice; [ErrFatal]; a [*doca.StateError] if the DPA or a thread is closed. Calls doca_dpa_thread_group_create,
// doca_dpa_thread_group_set_thread and doca_dpa_thread_group_start.
func (d *DPA) NewThreadGroup(threads ...*Thread) (*ThreadGroup, error) {
	const op = "create thread group"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	if len(threads) == 0 {
		return nil, wrong(op, d.c.name, "there are no threads")
	}
	p := place{kind: "dpa thread group"}
	seen := map[*Thread]bool{}
	for i, t := range threads {
		if t == nil || t.o == nil {
			return nil, wrong(op, d.c.name, "thread %d is nil or a zero value: make one with DPA.NewThread", i)
		}
		if seen[t] {
			return nil, wrong(op, d.c.name, "%v is there twice", t)
		}
		seen[t] = true
		p.owners = append(p.owners, t)
	}
	destroy := func(g *gen.Tg) error { return gen.ThreadGroupDestroy(nil, g) }
	child, o, err := newObject(d, p, func(raw *common.DPA) (*gen.Tg, error) {
		g, err := gen.ThreadGroupCreate(raw, uint32(len(threads)))
		if err != nil {
			return nil, err
		}
		return steps(g,
			func() error {
				for i, t := range threads {
					raw, err := t.o.ofLocked(op, d.c.process)
					if err != nil {
						return err
					}
					if err := gen.ThreadGroupSetThread(g, raw, uint32(i)); err != nil {
						return err
					}
				}
				return nil
			},
			func() error { return gen.ThreadGroupStart(nil, g) })
	}, destroy)
	if err != nil {
		return nil, err
	}
	return &ThreadGroup{child, o}, nil
}

// Close ends the group; its threads remain. Closing a closed one is no error. Calls doca_dpa_thread_group_destroy.
func (g *ThreadGroup) Close() error { return g.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (g *ThreadGroup) Shutdown(ctx context.Context) error {
	if g == nil || g.o == nil {
		return noThreadGroup("close")
	}
	return g.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (g *ThreadGroup) String() string {
	if g == nil || g.o == nil {
		return "no dpa thread group"
	}
	return g.o.name
}
