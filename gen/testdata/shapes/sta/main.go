// Command main uses doca_sta.h: Go functions that C waits for, and arrays.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"example.com/user/bindings/sta"
	"github.com/go-doca/go-doca/generated/abi"
)

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// deep needs more stack than a goroutine has, so that it moves.
func deep(n int) int {
	var page [256]byte
	if n == 0 {
		runtime.GC()
		return int(page[0])
	}
	return deep(n-1) + int(page[n%256])
}

func main() {
	s := must(sta.Create())

	// The allocator is called for its result, and in time.
	var log []string
	memory := must(abi.MakeCSlice[byte](64))
	check(sta.SetAllocatorFunc(s, func(size uint64) unsafe.Pointer {
		log = append(log, fmt.Sprint("alloc ", size+uint64(deep(2000))))
		if size > 64 {
			return nil
		}
		return memory.Pointer()
	}, func(ptr unsafe.Pointer) {
		log = append(log, fmt.Sprint("free ", ptr == memory.Pointer()))
	}))
	zeros, more, err := sta.Work(s, 64)
	fmt.Println(zeros, more, err, log)
	_, _, err = sta.Work(s, 65)
	fmt.Println(err, errors.Is(err, abi.ErrorNoMemory))
	fmt.Println(sta.SetAllocatorFunc(s, nil, nil))

	// Errors come back as DOCA's codes.
	moved := func(to abi.Data) func(abi.Data, uint16, abi.Data, unsafe.Pointer) error {
		return func(pipe abi.Data, queue uint16, entry abi.Data, out unsafe.Pointer) error {
			fmt.Println("relocate", pipe, queue, entry)
			*(*abi.Data)(out) = to
			return nil
		}
	}
	entries := func(pipe abi.Data, n uint32) error {
		fmt.Println("entries", pipe, n)
		if n > 200 {
			return fmt.Errorf("too many: %w", abi.ErrorFull)
		}
		return nil
	}
	fmt.Println(sta.ResizeFunc(s, 2, entries, moved(60)))
	fmt.Println(sta.ResizeFunc(s, 2, entries, moved(61)))
	fmt.Println(sta.ResizeFunc(s, 3, entries, moved(60)))

	// A pipe has actions, which C reads later.
	cfg := must(sta.PipeCfgCreate())
	actions := must(abi.CSliceOf(sta.Actions{Idx: 1, Meta: 10}, sta.Actions{Idx: 2, Meta: 20}))
	masks := must(abi.CSliceOf(sta.Actions{Meta: 100}, sta.Actions{Meta: 1000}))
	ap, mp := must(abi.CPointers(actions)), must(abi.CPointers(masks))
	check(sta.PipeCfgSetActions(cfg, ap, mp))
	runtime.GC()
	actions.Values()[0].Meta = 11
	fmt.Println(sta.PipeCreate(cfg))
	check(sta.PipeCfgSetActions(cfg, ap, abi.CSlice[*sta.Actions]{}))
	fmt.Println(sta.PipeCreate(cfg))
	short := must(abi.CPointers(must(abi.CSliceOf(sta.Actions{}))))
	fmt.Println(sta.PipeCfgSetActions(cfg, ap, short))

	// Arrays that are used during the call are slices.
	results := make([]sta.Query, 2)
	check(sta.ResourcesQuery(s, []uint32{3, 4}, results))
	fmt.Println(results)
	check(sta.Accept(s, []byte{1, 2, 3}))
	fmt.Println(sta.Recover(s, []uint32{10, 20}))
	fmt.Println(sta.Recover(s, nil))
	fmt.Println(sta.Accept(s, make([]byte, 300)))

	iv := must(abi.CSliceOf[byte](1, 2, 3))
	task := must(sta.TaskGoCreate(s))
	check(sta.TaskGoSetIv(task, iv))
	fmt.Println(sta.TaskGoGetIvSum(task))
	fmt.Println(sta.KeyCheck(s, bytes.Repeat([]byte{1}, 16), sta.Key128))
	fmt.Println(sta.KeyCheck(s, bytes.Repeat([]byte{1}, 16), sta.Key256))
	fmt.Println(sta.GetName(s))
	fmt.Println(sta.Turn(0x01020307))
}
