// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/compress"
	"github.com/go-doca/go-doca/generated/dma"
	"github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/erasurecoding"
	"github.com/go-doca/go-doca/generated/rdma"
	"github.com/go-doca/go-doca/generated/syncevent"
)

// able tells whether a device has what is needed.
func able(need Need, info *common.Devinfo) bool {
	yes := func(supported bool, err error) bool { return err == nil && supported }
	switch need {
	case NeedDevice:
		return true
	case NeedDMA:
		return dma.CapTaskMemcpyIsSupported(info) == nil
	case NeedServer:
		return comch.CapServerIsSupported(info) == nil && able(NeedRepresentors, info)
	case NeedClient:
		return comch.CapClientIsSupported(info) == nil
	case NeedExport:
		return yes(common.MmapCapIsExportPCISupported(info))
	case NeedImport:
		return yes(common.MmapCapIsCreateFromExportPCISupported(info))
	case NeedSyncEvent:
		return syncevent.CapTaskGetIsSupported(info) == nil
	case NeedSyncEventPCI:
		return syncevent.CapIsExportToRemotePCISupported(info) == nil && syncevent.CapIsCreateFromExportSupported(info) == nil
	case NeedRDMA:
		return rdma.CapTaskWriteIsSupported(info) == nil && rdma.CapTransportTypeIsSupported(info, rdma.TransportTypeRc) == nil
	case NeedDPA:
		return dpa.CapIsSupported(info) == nil
	case NeedRepresentors:
		return yes(common.DevinfoRepCapIsFilterNetSupported(info))
	case NeedNoRepresentor:
		return !able(NeedRepresentors, info)
	case NeedAdvise:
		return common.MmapAdviseCapTaskCacheInvalidateIsSupported(info) == nil
	case NeedCompress:
		return compress.CapTaskDecompressDeflateIsSupported(info) == nil
	case NeedErasureCoding:
		return erasurecoding.EcCapTaskCreateIsSupported(info) == nil
	}
	return false
}

// devices lists the devices of this machine, for the rest of the case.
func (t *T) devices() []*common.Devinfo {
	if t.infos == nil {
		list, err := common.DevinfoCreateList()
		if err != nil {
			t.skip("there is no device: %v", err)
		}
		t.infos = list
		t.onEnd(func() { _ = common.DevinfoDestroyList(list) })
	}
	return t.infos
}

// require skips the case if a need cannot be met.
func (t *T) require(needs []Need) {
	for _, n := range needs {
		if t.find(n) == nil {
			where := ""
			if t.env.device != "" {
				where = ", and it must be " + t.env.device
			}
			t.skip("needs %s%s", n, where)
		}
	}
}

// find returns the first device with what is needed; nil if there is none. In a case of two sides the options' device
// is that of the DPU, unless the sides are apart.
func (t *T) find(need Need) *common.Devinfo {
	for _, info := range t.devices() {
		chosen := t.env.device == "" || t.c.Peer != nil && !t.env.apart && need == NeedClient
		if !chosen {
			equal, err := common.DevinfoIsEqualPCIAddr(info, t.env.device)
			chosen = err == nil && equal
		}
		if chosen && able(need, info) {
			return info
		}
	}
	return nil
}

// info is the device that the case uses for a need.
func (t *T) info(need Need) *common.Devinfo {
	info := t.find(need)
	if info == nil {
		t.skip("needs %s", need)
	}
	return info
}

// dev opens a device for the rest of the case.
func (t *T) dev(need Need) *common.Dev { return t.open(t.info(need)) }

func (t *T) open(info *common.Devinfo) *common.Dev {
	dev, err := common.DevOpen(info)
	t.must("doca_dev_open", err)
	t.onEnd(func() { _ = common.DevClose(dev) })
	return dev
}

// pe makes an engine, on which wait and hear make progress.
func (t *T) pe() *common.PE {
	pe, err := common.PECreate()
	t.must("doca_pe_create", err)
	t.engines = append(t.engines, pe)
	t.onEnd(func() {
		t.engines = slices.DeleteFunc(t.engines, func(e *common.PE) bool { return e == pe })
		_ = common.PEDestroy(t.ring, pe)
	})
	return pe
}

// memory is n bytes of C memory.
func (t *T) memory(n int) []byte {
	mem, err := abi.Alloc[byte](n)
	if err != nil {
		t.skip("%v", err)
	}
	t.onEnd(func() { abi.Free(mem) })
	return mem
}

// bytesOf is a text in C memory.
func (t *T) bytesOf(text string) abi.CSlice[byte] {
	mem, err := abi.CSliceOf([]byte(text)...)
	if err != nil {
		t.skip("%v", err)
	}
	t.onEnd(mem.Free)
	return mem
}

func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

// mmap makes a memory map without anything.
func (t *T) mmap() *common.Mmap {
	m, err := common.MmapCreate()
	t.must("doca_mmap_create", err)
	t.onEnd(func() { _ = common.MmapDestroy(t.ring, m) })
	return m
}

// mapped makes a started map of n bytes for a device, which may be nil. A mask of -1 leaves the permissions.
func (t *T) mapped(dev *common.Dev, n, mask int) (*common.Mmap, []byte) {
	mem := t.memory(n)
	return t.mapOf(dev, mem, mask), mem
}

func (t *T) mapOf(dev *common.Dev, mem []byte, mask int) *common.Mmap {
	m := t.mmap()
	t.must("doca_mmap_set_memrange", common.MmapSetMemrange(m, unsafe.Pointer(unsafe.SliceData(mem)), uint64(len(mem))))
	if mask >= 0 {
		t.must("doca_mmap_set_permissions", common.MmapSetPermissions(m, uint32(mask)))
	}
	if dev != nil {
		t.must("doca_mmap_add_dev", common.MmapAddDev(m, dev))
	}
	t.must("doca_mmap_start", common.MmapStart(t.ring, m))
	return m
}

// inventory makes a started inventory.
func (t *T) inventory(n int) *common.BufInventory {
	inv, err := common.BufInventoryCreate(uint64(n))
	t.must("doca_buf_inventory_create", err)
	t.onEnd(func() { _ = common.BufInventoryDestroy(t.ring, inv) })
	t.must("doca_buf_inventory_start", common.BufInventoryStart(t.ring, inv))
	return inv
}

// empty takes a buffer without data, as a destination is.
func (t *T) empty(inv *common.BufInventory, m *common.Mmap, mem []byte) *common.Buf {
	return t.emptyAt(inv, m, address(mem), len(mem))
}

func (t *T) emptyAt(inv *common.BufInventory, m *common.Mmap, at uintptr, n int) *common.Buf {
	b, err := common.BufInventoryBufGetByAddr(inv, m, at, uint64(n))
	t.must("doca_buf_inventory_buf_get_by_addr", err)
	t.drop(b)
	return b
}

// full takes a buffer that is all data, as a source is.
func (t *T) full(inv *common.BufInventory, m *common.Mmap, mem []byte) *common.Buf {
	return t.fullAt(inv, m, address(mem), len(mem))
}

func (t *T) fullAt(inv *common.BufInventory, m *common.Mmap, at uintptr, n int) *common.Buf {
	b, err := common.BufInventoryBufGetByData(inv, m, at, uint64(n))
	t.must("doca_buf_inventory_buf_get_by_data", err)
	t.drop(b)
	return b
}

func (t *T) drop(b *common.Buf) { t.onEnd(func() { _, _ = common.BufDecRefcount(b) }) }

// dataLen returns the data length of a buffer.
func (t *T) dataLen(b *common.Buf) uint64 {
	n, err := common.BufGetDataLen(b)
	t.must("doca_buf_get_data_len", err)
	return n
}

// state returns the state of a context.
func (t *T) state(c *common.Ctx) common.CtxStates {
	s, err := common.CtxGetState(c)
	t.must("doca_ctx_get_state", err)
	return s
}

// stopAtEnd brings a context to idle at the end of a case, as far as that can be done. free frees its tasks.
func (t *T) stopAtEnd(c *common.Ctx, free func()) {
	t.onEnd(func() {
		_ = common.CtxStop(t.ring, c)
		for range 20000 {
			t.ring.Reset()
			t.step()
			if n, err := common.CtxGetNumInflightTasks(c); err != nil || n == 0 {
				free()
			}
			if s, err := common.CtxGetState(c); err != nil || s == common.CtxStateIdle {
				return
			}
		}
	})
}

// fill fills memory with a pattern that begins with a byte.
func fill(mem []byte, first byte) {
	for i := range mem {
		mem[i] = first + byte(i)
	}
}

// same compares bytes, and says where they differ.
func (t *T) same(asked string, got, want []byte) {
	if bytes.Equal(got, want) {
		t.that(asked, fmt.Sprintf("%d bytes as they were", len(want)), fmt.Sprintf("%d bytes as they were", len(want)), true)
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.that(asked, fmt.Sprintf("%d bytes as they were", len(want)), fmt.Sprintf("%d bytes, which differ from byte %d on", len(got), at), false)
}

// describeDevices names the devices of this machine.
func describeDevices() string {
	list, err := common.DevinfoCreateList()
	if err != nil {
		return "none: " + err.Error()
	}
	defer func() { _ = common.DevinfoDestroyList(list) }()
	var names []string
	for _, info := range list {
		pci, _ := common.DevinfoGetPCIAddrStr(info)
		name, _ := common.DevinfoGetIbdevName(info)
		names = append(names, strings.TrimSpace(pci+" "+name))
	}
	return strings.Join(names, ", ")
}

// hasRepresentors tells whether this machine is the DPU's side.
func hasRepresentors() bool {
	list, err := common.DevinfoCreateList()
	if err != nil {
		return false
	}
	defer func() { _ = common.DevinfoDestroyList(list) }()
	for _, info := range list {
		if able(NeedRepresentors, info) {
			return true
		}
	}
	return false
}
