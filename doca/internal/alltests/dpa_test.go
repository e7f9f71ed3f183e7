package alltests

import (
	"log/slog"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
)

// onDPA is a DPA with one object of each kind.
type onDPA struct {
	dev          *doca.Device
	dpa          *dpa.DPA
	extended     *dpa.DPA
	event        *syncevent.Event
	mem          *dpa.Memory
	mapped       *doca.Memory
	array        *dpa.BufArray
	table        *dpa.HashTable
	thread       *dpa.Thread
	group        *dpa.ThreadGroup
	completion   *dpa.Completion
	notification *dpa.NotificationCompletion
	async        *dpa.AsyncOps
}

// openDPA makes one of each kind with p, which returns what it is given or ends the side.
func openDPA(p *play) *onDPA {
	d := &onDPA{dev: opened(doca.OpenDevice(doctest.DPU0))(p)}
	d.dpa = opened(dpa.New(d.dev, dpa.Config{App: dpatest.App(), Log: slog.DiscardHandler, LogLevel: doca.LogDebug}))(p)
	d.extended = opened(d.dpa.Extend(d.dev))(p)
	d.event = opened(syncevent.New(d.dev, syncevent.Config{Publishers: syncevent.CPU | syncevent.DPA, DPA: d.dpa}))(p)
	d.mem = opened(d.dpa.Alloc(1024))(p)
	d.mapped = opened(d.mem.Map(doca.AccessLocalReadWrite))(p)
	d.array = opened(d.dpa.NewBufArray(dpa.BufArrayConfig{Memory: d.mapped, Elements: 4, Size: 64}))(p)
	d.table = opened(d.dpa.NewHashTable(8))(p)
	p.check(dpa.Put(d.mem, 0, dpatest.ThreadArg{}))
	d.thread = opened(d.dpa.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake(), Arg: uint64(d.mem.Addr()), LocalStorage: d.mem, EU: dpa.OnEU(1)}))(p)
	d.group = opened(d.dpa.NewThreadGroup(d.thread))(p)
	d.completion = opened(d.dpa.NewCompletion(dpa.CompletionConfig{Thread: d.thread}))(p)
	d.notification = opened(d.dpa.NewNotificationCompletion(d.thread))(p)
	d.async = opened(d.dpa.NewAsyncOps(dpa.AsyncOpsConfig{Completion: d.completion}))(p)
	p.check(d.thread.Run())
	return d
}

// useDPA uses all that openDPA has made.
func useDPA(p *play) {
	d := openDPA(p)
	info := got(d.dpa.Info())(p)
	p.want("the application", "dpatest_app", info.AppName)
	got(d.dpa.Handle())(p)
	got(d.dpa.UARID())(p)
	got(d.table.Handle())(p)
	got(d.array.Handle())(p)
	got(d.notification.Handle())(p)
	got(d.thread.ID())(p)
	completion, async := got(d.completion.Handle())(p), got(d.async.Handle())(p)
	event, mmap := got(d.event.DPAHandle(d.dpa))(p), got(d.dpa.MmapHandle(d.mapped))(p)
	p.check(dpa.Put(d.mem, 0, dpatest.ThreadArg{Completion: completion, Event: event}))
	p.check(d.mem.Fill(512, 64, 7))
	start := opened(syncevent.New(d.dev, syncevent.Config{Subscribers: syncevent.CPU | syncevent.DPA, DPA: d.dpa}))(p)
	l := got(dpatest.LaunchCopy(d.dpa, dpa.LaunchOptions{Wait: start, WaitThreshold: 1}, async, mmap, uint64(d.mem.Addr())+768, mmap, uint64(d.mem.Addr())+512, 64))(p)
	p.check(start.Set(p.ctx, 1))
	p.check(l.Wait(p.ctx))
	got(d.event.WaitGreater(p.ctx, 0, syncevent.AllBits))(p) // the copy has woken the thread
	p.want("the copy", byte(7), got(dpa.Get[byte](d.mem, 768+63))(p))
	p.check(got(dpatest.LaunchNothing(d.dpa, dpa.LaunchOptions{Completion: d.event, CompletionCount: 10, Add: true}))(p).Wait(p.ctx))
	p.check(dpa.Put(d.mem, 512, uint64(5), 6))
	p.want("the sum", uint64(11), got(dpatest.CallSum(p.ctx, d.dpa, dpatest.Numbers{First: d.mem.Addr() + 512, Count: 2}))(p))
	p.check(d.async.Close())
	p.check(d.thread.Close())
	p.check(d.dpa.Close())
}

func ofDPA(t testing.TB, target func(*onDPA) closer) stage {
	t.Helper()
	p := &play{ctx: limit(t), cancel: func() {}}
	var d *onDPA
	p.run(func(p *play) { d = openDPA(p) })
	if len(p.errs) > 0 {
		t.Fatal(p.errs)
	}
	return stage{target: target(d), rest: []closer{d.dev}, kept: []any{d}}
}
