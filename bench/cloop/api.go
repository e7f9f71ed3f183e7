// Package cloop has loops in C that do what the Go packages do, for measurements. A loop belongs to one goroutine at a time,
// and makes everything that it needs: devices, memory, contexts. It calls the same implementation of DOCA as the Go packages.
package cloop

// #include "api.h"
import "C"

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
)

// bind finds the DOCA functions that the loops in C call.
var bind = sync.OnceValue(func() error {
	var addresses []unsafe.Pointer
	for i := 0; ; i++ {
		name := C.GoString(C.api_function(C.size_t(i)))
		if name == "" {
			break
		}
		library := "libdoca_common.so.2"
		for _, l := range []string{"dma", "comch", "rdma", "dpa"} {
			if strings.HasPrefix(name, "doca_"+l+"_") {
				library = "libdoca_" + l + ".so.2"
			}
		}
		p, err := abi.Lookup(library, name)
		if err != nil {
			return err
		}
		addresses = append(addresses, p)
	}
	C.api_bind(&addresses[0])
	return nil
})
