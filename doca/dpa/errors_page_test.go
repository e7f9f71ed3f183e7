package dpa_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
)

func TestErrorsPage(t *testing.T) {
	row := doctest.Row
	doctest.ErrorsPage(t, "doca/dpa", map[string]error{"dpa.ErrFatal": dpa.ErrFatal, "context.DeadlineExceeded": context.DeadlineExceeded}, []doctest.ErrorRow{
		row("A kernel or thread has crashed, run too long, or used a handle that is not valid", "`Launch.Wait`, `DPA.Err`, `DPA.Alloc`, `Event.WaitGreater`",
			"`dpa.ErrFatal`, `doca.ErrBadState`", func(t *testing.T) []error {
				d := newDPA(t)
				ev := toHost(t, d)
				return []error{must(dpatest.LaunchCrash(d, dpa.LaunchOptions{}))(t).Wait(soonish(t)), d.Err(), second(d.Alloc(8)),
					second(ev.WaitGreater(soonish(t), 0, syncevent.AllBits))}
			}),
		row("A kernel or function does not return in time", "`Launch.Wait`, `CallFunction`, `DPA.Shutdown`", "`context.DeadlineExceeded`", func(t *testing.T) []error {
			d := newDPA(t)
			m, _ := numbers(t, d, 1)
			ev := toDPA(t, d)
			defer func() { doctest.Check(t, ev.Set(t.Context(), 1)) }()
			h := must(ev.DPAHandle(d))(t)
			l := must(dpatest.LaunchAwaitEvent(d, dpa.LaunchOptions{}, h, 0, m.Addr()))(t)
			return []error{l.Wait(soon(t)), second(dpatest.CallCallAwait(soon(t), d, h, 0)), d.Shutdown(soon(t))}
		}),
		row("The application does not have the function, or the event does not have the DPA", "`DPA.NewThread`, `LaunchKernel`, `Event.DPAHandle`", "`doca.ErrInvalidValue`",
			func(t *testing.T) []error {
				d := newDPA(t)
				plain := closed(t, must(syncevent.New(d.Device(), syncevent.Config{}))(t))
				return []error{second(d.NewThread(dpa.ThreadConfig{Func: foreign(t)})),
					second(dpatest.LaunchNothing(d, dpa.LaunchOptions{Completion: plain, CompletionCount: 1})), second(plain.DPAHandle(d))}
			}),
		row("The range is outside of the memory", "`Memory.WriteAt`, `Memory.Fill`, `Put`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			m, _ := numbers(t, newDPA(t), 1)
			return []error{second(m.WriteAt(make([]byte, 9), 0)), m.Fill(8, 1, 0), dpa.Put(m, 1, uint64(1))}
		}),
		row("The memory is not registered with the DPA's device", "`DPA.MmapHandle`", "`doca.ErrNotFound`", func(t *testing.T) []error {
			d := newDPA(t)
			other := closed(t, must(doca.OpenDevice("03:00.1"))(t))
			far := closed(t, must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{other}}))(t))
			return []error{second(d.MmapHandle(far))}
		}),
		row("Nothing can wake the thread", "`Thread.Run`", "`doca.ErrBadState`", func(t *testing.T) []error {
			return []error{closed(t, must(newDPA(t).NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()}))(t)).Run()}
		}),
		row("The object or its DPA is closed", "`Memory.WriteAt`, `Completion.Handle`, `DPA.Alloc`, `Launch.Wait`", "`doca.ErrClosed`, `doca.ErrBadState`", func(t *testing.T) []error {
			d := newDPA(t)
			m, _ := numbers(t, d, 1)
			q := closed(t, must(d.NewCompletion(dpa.CompletionConfig{}))(t))
			start := toDPA(t, d)
			l := must(dpatest.LaunchNothing(d, dpa.LaunchOptions{Wait: start, WaitThreshold: 1}))(t)
			doctest.Check(t, d.Close())
			return []error{second(m.WriteAt([]byte{1}, 0)), second(q.Handle()), second(d.Alloc(8)), l.Wait(soonish(t))}
		}),
	})
}
