// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// The access masks.
const (
	localRW    = int(common.AccessFlagLocalReadWrite)
	rdmaRead   = int(common.AccessFlagRDMARead)
	rdmaWrite  = int(common.AccessFlagRDMAWrite)
	rdmaAtomic = int(common.AccessFlagRDMAAtomic)
	pciRead    = int(common.AccessFlagPCIReadOnly)
	pciWrite   = int(common.AccessFlagPCIReadWrite)
	relaxed    = int(common.AccessFlagPCIRelaxedOrdering)
)

// aMask asks for permissions on a new map.
func (t *T) aMask(mask int, want ...abi.Error) {
	m, err := common.MmapCreate()
	t.must("doca_mmap_create", err)
	t.code(fmt.Sprintf("doca_mmap_set_permissions with %#x", mask), common.MmapSetPermissions(m, uint32(mask)), want...)
	t.must("doca_mmap_destroy", common.MmapDestroy(t.ring, m))
}

func mmapCases() []Case {
	setRange := func(t *T, m *common.Mmap, mem []byte) error {
		return common.MmapSetMemrange(m, unsafe.Pointer(unsafe.SliceData(mem)), uint64(len(mem)))
	}
	return of("common", []Case{
		{
			Name: "mmap/start-without-range", Rule: "A map without a memory range does not start.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_mmap_start without a memory range", common.MmapStart(t.ring, t.mmap()), badState)
			},
		},
		{
			Name: "mmap/start-without-device", Rule: "A map starts without a device.", Source: Observed,
			Run: func(t *T) {
				m := t.mmap()
				t.must("doca_mmap_set_memrange", setRange(t, m, t.memory(4096)))
				t.code("doca_mmap_start with a range and no device", common.MmapStart(t.ring, m), success)
			},
		},
		{
			Name: "mmap/start-twice", Rule: "A started map can be started.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_start when started", common.MmapStart(t.ring, m), success)
			},
		},
		{
			Name: "mmap/stop-never-started", Rule: "A map that was never started can be stopped.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_mmap_stop when never started", common.MmapStop(t.ring, t.mmap()), success)
			},
		},
		{
			Name: "mmap/stop-twice", Rule: "A stopped map can be stopped.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_stop", common.MmapStop(t.ring, m), success)
				t.code("doca_mmap_stop when stopped", common.MmapStop(t.ring, m), success)
			},
		},
		{
			Name: "mmap/restart", Rule: "A stopped map starts again.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.must("doca_mmap_stop", common.MmapStop(t.ring, m))
				t.code("doca_mmap_start after a stop", common.MmapStart(t.ring, m), success)
			},
		},
		{
			Name: "mmap/stop-with-buffers", Rule: "A map stops while buffers of it are out.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				t.empty(t.inventory(1), m, mem)
				t.code("doca_mmap_stop with a buffer out", common.MmapStop(t.ring, m), success)
			},
		},
		{
			Name: "mmap/destroy-with-buffers", Rule: "A map is not destroyed while buffers of it are out.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				t.empty(t.inventory(1), m, mem)
				t.code("doca_mmap_destroy with a buffer out", common.MmapDestroy(t.ring, m), notPermitted)
			},
		},
		{
			Name: "mmap/destroy-thread-safe-with-buffers", Rule: "With thread safety, buffers are not counted: the map is destroyed while they are out.", Source: Documented,
			Run: func(t *T) {
				mem := t.memory(4096)
				m, err := common.MmapCreate()
				t.must("doca_mmap_create", err)
				t.must("doca_mmap_enable_thread_safety", common.MmapEnableThreadSafety(m))
				t.must("doca_mmap_set_memrange", setRange(t, m, mem))
				t.must("doca_mmap_start", common.MmapStart(t.ring, m))
				inv := t.inventory(1)
				b, err := common.BufInventoryBufGetByAddr(inv, m, address(mem), 64)
				t.must("doca_buf_inventory_buf_get_by_addr", err)
				t.code("doca_mmap_destroy with thread safety and a buffer out", common.MmapDestroy(t.ring, m), success)
				_, _ = common.BufDecRefcount(b)
			},
		},
		{
			Name: "mmap/destroy-started", Rule: "A started map is destroyed without a stop.", Source: Observed,
			Run: func(t *T) {
				m, err := common.MmapCreate()
				t.must("doca_mmap_create", err)
				t.must("doca_mmap_set_memrange", setRange(t, m, t.memory(4096)))
				t.must("doca_mmap_start", common.MmapStart(t.ring, m))
				t.code("doca_mmap_destroy when started", common.MmapDestroy(t.ring, m), success)
			},
		},
		{
			Name: "mmap/range-null", Rule: "A memory range has an address.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_mmap_set_memrange with NULL", common.MmapSetMemrange(t.mmap(), nil, 4096), invalid)
			},
		},
		{
			Name: "mmap/range-empty", Rule: "A memory range has a length.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_mmap_set_memrange of 0 bytes", common.MmapSetMemrange(t.mmap(), unsafe.Pointer(unsafe.SliceData(t.memory(1))), 0), invalid)
			},
		},
		{
			Name: "mmap/range-overflow", Rule: "A memory range does not go beyond the last address.", Source: Documented,
			Run: func(t *T) {
				t.code("doca_mmap_set_memrange that overflows", common.MmapSetMemrange(t.mmap(), unsafe.Pointer(unsafe.SliceData(t.memory(64))), ^uint64(0)), invalid)
			},
		},
		{
			Name: "mmap/range-twice", Rule: "The memory range is set once.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mmap(), t.memory(4096)
				t.must("doca_mmap_set_memrange", setRange(t, m, mem))
				t.code("doca_mmap_set_memrange a second time", setRange(t, m, mem), notPermitted)
			},
		},
		{
			Name: "mmap/range-when-started", Rule: "The memory range of a started map cannot be set.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_set_memrange when started", setRange(t, m, mem), badState)
			},
		},
		{
			Name: "mmap/range-after-stop", Rule: "A stop does not allow another memory range.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				t.must("doca_mmap_stop", common.MmapStop(t.ring, m))
				t.code("doca_mmap_set_memrange after a stop", setRange(t, m, mem), notPermitted)
			},
		},
		{
			Name: "mmap/get-range-before", Rule: "There is no memory range to read before one is set.", Source: Observed,
			Run: func(t *T) {
				_, _, err := common.MmapGetMemrange(t.mmap())
				t.code("doca_mmap_get_memrange before one is set", err, badState)
			},
		},
		{
			Name: "mmap/get-range", Rule: "The memory range is read as it was set, also when started.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				at, n, err := common.MmapGetMemrange(m)
				t.must("doca_mmap_get_memrange", err)
				t.equal("doca_mmap_get_memrange, the address", at, address(mem))
				t.equal("doca_mmap_get_memrange, the length", n, 4096)
			},
		},
		{
			Name: "mmap/permissions-both-pci", Rule: "PCI_READ_ONLY and PCI_READ_WRITE exclude each other.", Source: Observed,
			Run: func(t *T) { t.aMask(pciRead|pciWrite, invalid) },
		},
		{
			Name: "mmap/permissions-unknown", Rule: "Bits that mean nothing are refused.", Source: Observed,
			Run: func(t *T) { t.aMask(1<<7, invalid); t.aMask(1<<20|localRW, invalid) },
		},
		{
			Name: "mmap/permissions-rdma-write-alone", Rule: "RDMA_WRITE needs LOCAL_READ_WRITE.", Source: Observed,
			Run: func(t *T) { t.aMask(rdmaWrite, invalid) },
		},
		{
			Name: "mmap/permissions-rdma-atomic-alone", Rule: "RDMA_ATOMIC needs LOCAL_READ_WRITE.", Source: Observed,
			Run: func(t *T) { t.aMask(rdmaAtomic, invalid) },
		},
		{
			Name: "mmap/permissions-rdma-with-local", Rule: "RDMA_WRITE and RDMA_ATOMIC are accepted with LOCAL_READ_WRITE.", Source: Observed,
			Run: func(t *T) {
				t.aMask(localRW|rdmaWrite, success)
				t.aMask(localRW|rdmaRead|rdmaWrite|rdmaAtomic, success)
			},
		},
		{
			Name: "mmap/permissions-readers", Rule: "RDMA_READ, PCI_READ_ONLY and PCI_READ_WRITE are accepted alone.", Source: Observed,
			Run: func(t *T) {
				t.aMask(rdmaRead, success)
				t.aMask(pciRead, success)
				t.aMask(pciWrite, success)
				t.aMask(0, success)
			},
		},
		{
			Name: "mmap/permissions-all-masks", Rule: "Of the 256 masks of 8 bits, those are accepted that have no unknown bit, not both PCI flags, and RDMA_WRITE and RDMA_ATOMIC with LOCAL_READ_WRITE alone.", Source: Observed,
			Run: func(t *T) {
				for mask := range 256 {
					if mask&relaxed != 0 && mask&(pciRead|pciWrite) != 0 {
						continue // mmap/permissions-relaxed
					}
					want := success
					if mask >= 128 || mask&pciRead != 0 && mask&pciWrite != 0 || mask&(rdmaWrite|rdmaAtomic) != 0 && mask&localRW == 0 {
						want = invalid
					}
					t.aMask(mask, want)
				}
			},
		},
		{
			Name: "mmap/permissions-relaxed", Rule: "PCI access with relaxed ordering is accepted.", Source: Observed,
			Differences: []Difference{{Releases: "3.2..", Want: "DOCA_ERROR_INVALID_VALUE", Note: "cards refuse the combination"}},
			Run:         func(t *T) { t.aMask(pciRead|relaxed, success); t.aMask(localRW|pciWrite|relaxed, success) },
		},
		{
			Name: "mmap/permissions-when-started", Rule: "Permissions of a started map are not changed, whatever the mask is.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_set_permissions when started", common.MmapSetPermissions(m, uint32(localRW)), badState)
				t.code("doca_mmap_set_permissions when started, with a mask that is wrong", common.MmapSetPermissions(m, uint32(pciRead|pciWrite)), badState)
			},
		},
		{
			Name: "mmap/permissions-after-stop", Rule: "Permissions of a stopped map are changed.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.must("doca_mmap_stop", common.MmapStop(t.ring, m))
				t.code("doca_mmap_set_permissions after a stop", common.MmapSetPermissions(m, uint32(localRW)), success)
			},
		},
		{
			Name: "mmap/free-callback-when-started", Rule: "The free callback of a started map cannot be set.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_set_free_cb when started", common.MmapSetFreeCB(m, 1), badState)
			},
		},
		{
			Name: "mmap/user-data-when-started", Rule: "User data of a started map cannot be set.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_set_user_data when started", common.MmapSetUserData(m, 1), badState)
			},
		},
		{
			Name: "mmap/user-data", Rule: "User data is 0 unless it is set.", Source: Documented,
			Run: func(t *T) {
				m := t.mmap()
				v, err := common.MmapGetUserData(m)
				t.must("doca_mmap_get_user_data", err)
				t.equal("doca_mmap_get_user_data before it is set", uint64(v), 0)
				t.must("doca_mmap_set_user_data", common.MmapSetUserData(m, 0x1122334455667788))
				v, err = common.MmapGetUserData(m)
				t.must("doca_mmap_get_user_data", err)
				t.equal("doca_mmap_get_user_data", uint64(v), uint64(0x1122334455667788))
			},
		},
		{
			Name: "mmap/free-callback", Rule: "The free callback runs once when a map that was started is destroyed, with the address, the length and the program's value.", Source: Observed,
			Run: func(t *T) {
				mem := t.memory(4096)
				m, err := common.MmapCreate()
				t.must("doca_mmap_create", err)
				t.must("doca_mmap_set_memrange", setRange(t, m, mem))
				t.must("doca_mmap_set_free_cb", common.MmapSetFreeCB(m, 77))
				t.must("doca_mmap_start", common.MmapStart(t.ring, m))
				t.ring.Reset()
				t.must("doca_mmap_destroy", common.MmapDestroy(t.ring, m))
				t.take()
				calls := t.of(common.KindMmapFree)
				if t.equal("doca_mmap_destroy, calls of the free callback", len(calls), 1) {
					t.equal("doca_mmap_destroy, address in the free callback", uintptr(calls[0].Object), address(mem))
					t.equal("doca_mmap_destroy, length in the free callback", calls[0].Args[0], 4096)
					t.equal("doca_mmap_destroy, the program's value in the free callback", uint64(calls[0].User), 77)
				}
			},
		},
		{
			Name: "mmap/free-callback-never-started", Rule: "The free callback does not run for a map that was never started.", Source: Documented,
			Run: func(t *T) {
				m, err := common.MmapCreate()
				t.must("doca_mmap_create", err)
				t.must("doca_mmap_set_memrange", setRange(t, m, t.memory(4096)))
				t.must("doca_mmap_set_free_cb", common.MmapSetFreeCB(m, 77))
				t.ring.Reset()
				t.must("doca_mmap_destroy", common.MmapDestroy(t.ring, m))
				t.take()
				t.equal("doca_mmap_destroy, calls of the free callback", len(t.of(common.KindMmapFree)), 0)
			},
		},
		{
			Name: "mmap/number-of-buffers", Rule: "A map counts its buffers.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(2)
				t.empty(inv, m, mem)
				t.empty(inv, m, mem)
				n, err := common.MmapGetNumBufs(m)
				t.must("doca_mmap_get_num_bufs", err)
				t.equal("doca_mmap_get_num_bufs with two out", n, 2)
			},
		},
		{
			Name: "mmap/flags-of-a-new-map", Rule: "A new map is neither exported nor imported.", Source: Documented,
			Run: func(t *T) {
				m := t.mmap()
				exported, err := common.MmapGetExported(m)
				t.must("doca_mmap_get_exported", err)
				t.equal("doca_mmap_get_exported", exported, false)
				imported, err := common.MmapGetFromExport(m)
				t.must("doca_mmap_get_from_export", err)
				t.equal("doca_mmap_get_from_export", imported, false)
			},
		},
		{
			Name: "mmap/thread-safety-when-started", Rule: "Thread safety of a started map cannot be enabled.", Source: Documented,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_enable_thread_safety when started", common.MmapEnableThreadSafety(m), notPermitted)
			},
		},
		{
			Name: "mmap/import-garbage", Rule: "What is no descriptor is not imported.", Source: Observed, Needs: needs(NeedDevice),
			Run: func(t *T) {
				_, err := common.MmapCreateFromExport(0, make([]byte, 64), t.dev(NeedDevice))
				t.code("doca_mmap_create_from_export of zeros", err, invalid)
				_, err = common.MmapCreateFromExport(0, []byte("this is no descriptor of memory at all"), t.dev(NeedDevice))
				t.code("doca_mmap_create_from_export of a text", err, invalid)
			},
		},
		{
			Name: "mmap/import-without-device", Rule: "An import needs a device.", Source: Observed,
			Run: func(t *T) {
				_, err := common.MmapCreateFromExport(0, make([]byte, 64), nil)
				t.code("doca_mmap_create_from_export with a NULL device", err, invalid)
			},
		},
	})
}

func mmapDeviceCases() []Case {
	return of("common", []Case{
		{
			Name: "mmap/max-devices-zero", Rule: "A map is for at least one device.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_mmap_set_max_num_devices with 0", common.MmapSetMaxNumDevices(t.mmap(), 0), invalid)
			},
		},
		{
			Name: "mmap/max-devices-default", Rule: "A map is for one device by default.", Source: Observed,
			Run: func(t *T) {
				n, err := common.MmapGetMaxNumDevices(t.mmap())
				t.must("doca_mmap_get_max_num_devices", err)
				t.equal("doca_mmap_get_max_num_devices", n, 1)
			},
		},
		{
			Name: "mmap/max-devices", Rule: "The number of devices is set before the start.", Source: Documented,
			Run: func(t *T) {
				m := t.mmap()
				t.must("doca_mmap_set_max_num_devices", common.MmapSetMaxNumDevices(m, 4))
				n, err := common.MmapGetMaxNumDevices(m)
				t.must("doca_mmap_get_max_num_devices", err)
				t.equal("doca_mmap_get_max_num_devices", n, 4)
				started, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_set_max_num_devices when started", common.MmapSetMaxNumDevices(started, 4), notPermitted)
			},
		},
		{
			Name: "mmap/add-device-null", Rule: "NULL is no device.", Source: Observed,
			Run: func(t *T) { t.code("doca_mmap_add_dev with NULL", common.MmapAddDev(t.mmap(), nil), invalid) },
		},
		{
			Name: "mmap/remove-device-null", Rule: "NULL cannot be removed.", Source: Observed,
			Run: func(t *T) { t.code("doca_mmap_rm_dev with NULL", common.MmapRmDev(t.mmap(), nil), invalid) },
		},
		{
			Name: "mmap/add-device-twice", Rule: "A device is added once.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				m, dev := t.mmap(), t.dev(NeedDevice)
				t.must("doca_mmap_set_max_num_devices", common.MmapSetMaxNumDevices(m, 2))
				t.must("doca_mmap_add_dev", common.MmapAddDev(m, dev))
				t.code("doca_mmap_add_dev a second time", common.MmapAddDev(m, dev), alreadyExist)
			},
		},
		{
			Name: "mmap/add-too-many-devices", Rule: "A map takes no more devices than it was made for.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				list := t.devices()
				if len(list) < 2 {
					t.skip("there is one device, and two are needed")
				}
				m := t.mmap()
				t.must("doca_mmap_add_dev", common.MmapAddDev(m, t.open(list[0])))
				t.code("doca_mmap_add_dev of a second device", common.MmapAddDev(m, t.open(list[1])), noMemory)
			},
		},
		{
			Name: "mmap/add-device-when-started", Rule: "A started map takes no device.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_mmap_add_dev when started", common.MmapAddDev(m, t.dev(NeedDevice)), notPermitted)
			},
		},
		{
			Name: "mmap/remove-device", Rule: "A device is removed once, before the start.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				m, dev := t.mmap(), t.dev(NeedDevice)
				t.must("doca_mmap_add_dev", common.MmapAddDev(m, dev))
				t.code("doca_mmap_rm_dev", common.MmapRmDev(m, dev), success)
				t.code("doca_mmap_rm_dev of a device that was not added", common.MmapRmDev(m, dev), notFound)
			},
		},
		{
			Name: "mmap/remove-device-when-started", Rule: "A started map keeps its devices.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				dev := t.dev(NeedDevice)
				m, _ := t.mapped(dev, 4096, -1)
				t.code("doca_mmap_rm_dev when started", common.MmapRmDev(m, dev), notPermitted)
			},
		},
		{
			Name: "mmap/two-maps-of-the-same-memory", Rule: "The same memory can be in two maps.", Source: Measured, Needs: needs(NeedDevice),
			Run: func(t *T) {
				dev, mem := t.dev(NeedDevice), t.memory(4096)
				t.mapOf(dev, mem, localRW)
				m := t.mmap()
				t.must("doca_mmap_set_memrange", common.MmapSetMemrange(m, unsafe.Pointer(unsafe.SliceData(mem)), 4096))
				t.must("doca_mmap_add_dev", common.MmapAddDev(m, dev))
				t.code("doca_mmap_start of a second map of the same memory", common.MmapStart(t.ring, m), success)
			},
		},
		{
			Name: "mmap/destroy-after-device-closed", Rule: "A map is destroyed after its device was closed.", Source: Samples, Needs: needs(NeedDevice),
			Run: func(t *T) {
				dev, err := common.DevOpen(t.info(NeedDevice))
				t.must("doca_dev_open", err)
				m, err := common.MmapCreate()
				t.must("doca_mmap_create", err)
				t.must("doca_mmap_set_memrange", common.MmapSetMemrange(m, unsafe.Pointer(unsafe.SliceData(t.memory(4096))), 4096))
				t.must("doca_mmap_add_dev", common.MmapAddDev(m, dev))
				t.must("doca_mmap_start", common.MmapStart(t.ring, m))
				t.code("doca_dev_close with a started map", common.DevClose(dev), success)
				t.code("doca_mmap_destroy after the device was closed", common.MmapDestroy(t.ring, m), success)
			},
		},
	})
}
