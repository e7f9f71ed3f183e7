// Command probe calls a few functions of the bindings and prints what they return.
package main

import (
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
	"github.com/go-doca/go-doca/generated/dpa"
)

func main() {
	info, err := abi.Active()
	show("active", info, err)
	list, err := common.DevinfoCreateList()
	show("devices", len(list), err)
	mmap, err := common.MmapCreate()
	show("mmap", mmap != nil, err)
	show("thread safety", nil, common.MmapEnableThreadSafety(mmap))
	_, err = dma.AsCtx(nil)
	show("dma", nil, err)
	show("dma tasks", nil, dma.TaskMemcpySetConf(nil, 1))
	show("dma tasks of batches", nil, dma.TaskMemcpySetConfBatched(nil, 1))
	_, err = dma.TaskMemcpyAsTask(nil)
	show("dma task", nil, err)
	_, err = common.BufArrCreate(8)
	show("buf array", nil, err)
	args := make([]abi.Arg, 33)
	for i := range args {
		args[i] = abi.ArgOf(uint64(i))
	}
	args[0] = abi.ArgOf(uint64(30))
	sum, err := dpa.RPC(nil, nil, args[:32]...)
	show("rpc", sum, err)
	_, err = dpa.RPC(nil, nil, args...)
	show("rpc of 33", nil, err)
}

func show(what string, v any, err error) {
	var missing *abi.SymbolError
	var library *abi.LibraryError
	var provider *abi.ProviderError
	kind := "none"
	switch {
	case errors.As(err, &provider):
		kind = "provider"
	case errors.As(err, &missing):
		kind = "symbol"
	case errors.As(err, &library):
		kind = "library"
	case err != nil:
		kind = "call"
	}
	fmt.Printf("%s: value=%v error=%s unsupported=%v: %v\n", what, v, kind, errors.Is(err, abi.ErrorNotSupported), err)
}
