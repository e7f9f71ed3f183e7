// Command main uses all ways in which the callbacks of doca_flow.h come, and prints what they have left.
package main

import (
	"fmt"
	"sync"

	"example.com/user/bindings/flow"
	"github.com/go-doca/go-doca/generated/abi"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// show prints the records of entries and forgets them.
func show(what string, ring *abi.Ring) {
	fmt.Print(what, ":")
	for _, r := range ring.Records() {
		switch r.Kind {
		case flow.KindCfgCBEntryProcess:
			fmt.Printf(" %d/%d/%d", r.User, flow.EntryOp(r.Args[2]), r.Args[0])
		case flow.KindPortNews:
			fmt.Printf(" %q", ring.Payload(&r))
		}
	}
	fmt.Println()
	ring.Reset()
}

func main() {
	ring, err := abi.NewRing()
	must(err)
	cfg, err := flow.CfgCreate()
	must(err)
	must(flow.CfgSetCBEntryProcess(cfg))
	must(flow.Init(cfg))
	must(flow.CfgDestroy(nil, cfg))
	port, err := flow.PortOpen(0)
	must(err)
	for i := range 3 {
		_, err = flow.PipeAddEntry(4, port, abi.Data(i+1))
		must(err)
	}
	must(flow.EntriesProcess(ring, port, 4, 0, 2))
	show("with a ring", ring)

	must(flow.EntriesProcess(nil, port, 4, 0, 10))
	fmt.Println("waiting:", abi.Overflow().Waiting)
	fmt.Println("collected:", flow.Collect(ring), flow.Collect(ring))
	show("without", ring)

	_, err = flow.AgingHandle(port, 4, 0, 10)
	must(err)
	flow.Collect(ring)
	show("a function that takes none", ring)

	must(flow.PortSetNewsCB(port))
	must(flow.PortWatch(port, 3))
	_, err = flow.AgingHandle(port, 4, 0, 1)
	must(err)
	must(flow.PortWatch(port, 1))
	fmt.Println("news:", ring.Collect(func(r *abi.Record) bool { return r.Kind == flow.KindPortNews && r.Status != 0 }))
	fmt.Println("aged:", ring.Collect(func(r *abi.Record) bool { return r.Kind == flow.KindCfgCBEntryProcess }))
	show("one of two kinds", ring)
	flow.Collect(ring)
	show("on a thread of the library", ring)

	// Threads that process and one that collects, all at once: each record arrives once, in the order of its thread.
	const threads, rounds = 8, 200
	var all, adders sync.WaitGroup
	done := make(chan bool)
	seen := map[uint64]int{}
	collect := func() {
		flow.Collect(ring)
		for _, r := range ring.Records() {
			seen[uint64(r.Args[0])]++
		}
		ring.Reset()
	}
	all.Go(func() {
		for {
			select {
			case <-done:
				collect()
				return
			default:
				collect()
			}
		}
	})
	for i := range threads {
		adders.Go(func() {
			for range rounds {
				flow.AgingHandle(port, uint16(i), 0, 3)
			}
		})
	}
	adders.Wait()
	close(done)
	all.Wait()
	for i := range threads {
		if seen[uint64(i)] != 3*rounds {
			fmt.Println("thread", i, "has", seen[uint64(i)], "records")
		}
	}
	must(flow.Destroy())
	flow.Collect(ring)
	show("at the end", ring)
	fmt.Printf("%+v\n", abi.Overflow())
	ring.Free()
}
