// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"github.com/go-doca/go-doca/generated/common"
)

// longestDescriptor is what programs keep descriptors in.
const longestDescriptor = 4096

func exportCases() []Case {
	return append(exportOneSided(), of("common", []Case{
		{
			Name: "export/import", Rule: "Memory that one side exports across PCI is imported by the other, with the exporter's address and length.", Source: Measured,
			Needs: needs(NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				dev := t.pairedDevice()
				desc := t.hear("descriptor")
				m, err := common.MmapCreateFromExport(0, desc, dev)
				t.must("doca_mmap_create_from_export", err)
				t.onEnd(func() { _ = common.MmapDestroy(t.ring, m) })
				at, n, err := common.MmapGetMemrange(m)
				t.must("doca_mmap_get_memrange of an import", err)
				t.equal("doca_mmap_get_memrange of an import, the address", at, t.number("address"))
				t.equal("doca_mmap_get_memrange of an import, the length", n, 8192)
				imported, err := common.MmapGetFromExport(m)
				t.must("doca_mmap_get_from_export", err)
				t.equal("doca_mmap_get_from_export of an import", imported, true)
				t.tell("done")
			},
			Peer: func(t *T) {
				dev := t.pairedDevice()
				m, mem := t.mapped(dev, 8192, localRW|pciWrite)
				desc, err := common.MmapExportPCI(m, dev)
				t.must("doca_mmap_export_pci", err)
				t.tell("descriptor", desc)
				t.tellNumber("address", uint64(address(mem)))
				t.hear("done")
			},
		},
		{
			Name: "export/import-needs-no-start", Rule: "An import is usable at once: it is not started, and destroyed without a stop.", Source: Measured,
			Needs: needs(NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				m := t.imported()
				b, err := common.BufInventoryBufGetByData(t.inventory(1), m, t.range0(m), 64)
				t.must("doca_buf_inventory_buf_get_by_data of an import", err)
				t.drop(b)
				t.code("doca_mmap_start of an import", common.MmapStart(t.ring, m), notPermitted, success)
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(localRW | pciRead) },
		},
		{
			Name: "export/import-thread-safety", Rule: "Thread safety can be enabled for a map that was just imported.", Source: Samples,
			Needs: needs(NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				t.code("doca_mmap_enable_thread_safety of an import", common.MmapEnableThreadSafety(t.imported()), success)
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(localRW | pciWrite) },
		},
		{
			Name: "export/import-twice", Rule: "The same export can be imported twice in a process.", Source: Measured,
			Needs: needs(NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				dev, desc := t.pairedDevice(), t.hear("descriptor")
				for range 2 {
					m, err := common.MmapCreateFromExport(0, desc, dev)
					t.code("doca_mmap_create_from_export", err, success)
					if err == nil {
						t.onEnd(func() { _ = common.MmapDestroy(t.ring, m) })
					}
				}
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(localRW | pciWrite) },
		},
		{
			Name: "export/import-stop", Rule: "An import can be stopped.", Source: Samples,
			Needs: needs(NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				t.code("doca_mmap_stop of an import", common.MmapStop(t.ring, t.imported()), success)
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(localRW | pciWrite) },
		},
		{
			Name: "export/import-is-not-exported-to-pci", Rule: "An import is not exported across PCI.", Source: Documented,
			Needs: needs(NeedImport, NeedExport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				dev := t.pairedDevice()
				m, err := common.MmapCreateFromExport(0, t.hear("descriptor"), dev)
				t.must("doca_mmap_create_from_export", err)
				t.onEnd(func() { _ = common.MmapDestroy(t.ring, m) })
				_, err = common.MmapExportPCI(m, dev)
				t.code("doca_mmap_export_pci of an import", err, notPermitted)
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(localRW | pciWrite) },
		},
		{
			Name: "export/import-for-rdma", Rule: "An import is exported for RDMA: peers across the network reach the host's memory through the DPU.", Source: Measured,
			Needs: needs(NeedImport, NeedRDMA), PeerNeeds: needs(NeedExport),
			Differences: []Difference{{Releases: "2.5", Want: "DOCA_ERROR_NOT_PERMITTED"}},
			Run: func(t *T) {
				m, dev := t.importedOn()
				_, err := common.MmapExportRDMA(m, dev)
				t.code("doca_mmap_export_rdma of an import", err, success)
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(localRW | pciWrite | rdmaRead | rdmaWrite) },
		},
		{
			Name: "export/import-settings", Rule: "Permissions and memory range of an import are not changed.", Source: Documented,
			Needs: needs(NeedImport), PeerNeeds: needs(NeedExport),
			Run: func(t *T) {
				m, mem := t.imported(), t.memory(64)
				t.that("doca_mmap_set_permissions of an import", "an error", describe(common.MmapSetPermissions(m, uint32(localRW))), common.MmapSetPermissions(m, uint32(localRW)) != nil)
				err := setRangeOf(m, mem)
				t.that("doca_mmap_set_memrange of an import", "an error", describe(err), err != nil)
				t.tell("done")
			},
			Peer: func(t *T) { t.exporter(localRW | pciWrite) },
		},
	})...)
}

func exportOneSided() []Case {
	return of("common", []Case{
		{
			Name: "export/descriptor", Rule: "A descriptor of memory for PCI has at most 4096 bytes, and the map is then exported.", Source: Measured, Needs: needs(NeedExport),
			Run: func(t *T) {
				dev := t.dev(NeedExport)
				m, _ := t.mapped(dev, 4096, localRW|pciWrite)
				desc, err := common.MmapExportPCI(m, dev)
				t.must("doca_mmap_export_pci", err)
				t.that("doca_mmap_export_pci, the length", "1 to 4096", len(desc), len(desc) > 0 && len(desc) <= longestDescriptor)
				exported, err := common.MmapGetExported(m)
				t.must("doca_mmap_get_exported", err)
				t.equal("doca_mmap_get_exported", exported, true)
			},
		},
		{
			Name: "export/twice", Rule: "An exported map can be exported again.", Source: Documented, Needs: needs(NeedExport),
			Run: func(t *T) {
				dev := t.dev(NeedExport)
				m, _ := t.mapped(dev, 4096, localRW|pciWrite)
				_, err := common.MmapExportPCI(m, dev)
				t.must("doca_mmap_export_pci", err)
				_, err = common.MmapExportPCI(m, dev)
				t.code("doca_mmap_export_pci a second time", err, success)
			},
		},
		{
			Name: "export/not-started", Rule: "A map that is not started is not exported.", Source: Documented, Needs: needs(NeedExport),
			Run: func(t *T) {
				dev, m := t.dev(NeedExport), t.mmap()
				t.must("doca_mmap_set_memrange", setRangeOf(m, t.memory(4096)))
				t.must("doca_mmap_set_permissions", common.MmapSetPermissions(m, uint32(localRW|pciWrite)))
				t.must("doca_mmap_add_dev", common.MmapAddDev(m, dev))
				_, err := common.MmapExportPCI(m, dev)
				t.code("doca_mmap_export_pci before the start", err, notPermitted)
			},
		},
		{
			Name: "export/without-permission", Rule: "A map without permission for PCI is not exported.", Source: Documented, Needs: needs(NeedExport),
			Run: func(t *T) {
				dev := t.dev(NeedExport)
				m, _ := t.mapped(dev, 4096, localRW)
				_, err := common.MmapExportPCI(m, dev)
				t.code("doca_mmap_export_pci without permission", err, notPermitted)
			},
		},
		{
			Name: "export/relaxed-alone", Rule: "PCI_RELAXED_ORDERING alone is no permission for PCI.", Source: Measured, Needs: needs(NeedExport),
			Run: func(t *T) {
				dev := t.dev(NeedExport)
				m, _ := t.mapped(dev, 4096, localRW|relaxed)
				_, err := common.MmapExportPCI(m, dev)
				t.code("doca_mmap_export_pci with PCI_RELAXED_ORDERING alone", err, notPermitted)
			},
		},
		{
			Name: "export/device-not-in-map", Rule: "A map is exported for its own devices alone.", Source: Documented, Needs: needs(NeedExport),
			Run: func(t *T) {
				dev := t.dev(NeedExport)
				m, _ := t.mapped(nil, 4096, localRW|pciWrite)
				_, err := common.MmapExportPCI(m, dev)
				t.code("doca_mmap_export_pci for a device that is not in the map", err, notFound)
			},
		},
		{
			Name: "export/null-device", Rule: "A map is not exported for NULL.", Source: Observed,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, localRW|pciWrite)
				_, err := common.MmapExportPCI(m, nil)
				t.code("doca_mmap_export_pci with a NULL device", err, invalid)
			},
		},
		{
			Name: "export/stop", Rule: "An exported map can be stopped.", Source: Samples, Needs: needs(NeedExport),
			Run: func(t *T) {
				dev := t.dev(NeedExport)
				m, _ := t.mapped(dev, 4096, localRW|pciWrite)
				_, err := common.MmapExportPCI(m, dev)
				t.must("doca_mmap_export_pci", err)
				t.code("doca_mmap_stop when exported", common.MmapStop(t.ring, m), success)
			},
		},
		{
			Name: "export/rdma", Rule: "A map with RDMA permissions is exported for RDMA; one without is not.", Source: Documented, Needs: needs(NeedRDMA),
			Run: func(t *T) {
				dev := t.dev(NeedRDMA)
				m, _ := t.mapped(dev, 4096, localRW|rdmaRead|rdmaWrite)
				desc, err := common.MmapExportRDMA(m, dev)
				t.must("doca_mmap_export_rdma", err)
				t.that("doca_mmap_export_rdma, the length", "1 to 4096", len(desc), len(desc) > 0 && len(desc) <= longestDescriptor)
				local, _ := t.mapped(dev, 4096, localRW)
				_, err = common.MmapExportRDMA(local, dev)
				t.code("doca_mmap_export_rdma without permission", err, notPermitted)
			},
		},
		{
			Name: "export/rdma-import", Rule: "An RDMA export is imported with the exporter's address and length.", Source: Measured, Needs: needs(NeedRDMA),
			Run: func(t *T) {
				dev := t.dev(NeedRDMA)
				m, mem := t.mapped(dev, 4096, localRW|rdmaRead|rdmaWrite)
				desc, err := common.MmapExportRDMA(m, dev)
				t.must("doca_mmap_export_rdma", err)
				imported, err := common.MmapCreateFromExport(0, desc, dev)
				t.must("doca_mmap_create_from_export", err)
				t.onEnd(func() { _ = common.MmapDestroy(t.ring, imported) })
				at, n, err := common.MmapGetMemrange(imported)
				t.must("doca_mmap_get_memrange of an import", err)
				t.equal("doca_mmap_get_memrange of an import, the address", at, address(mem))
				t.equal("doca_mmap_get_memrange of an import, the length", n, 4096)
			},
		},
	})
}
