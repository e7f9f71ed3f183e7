// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"strconv"
	"unsafe"

	"github.com/go-doca/go-doca/generated/common"
)

// Both sides of a case must use the two ends of the same port. The DPU's side names the functions of the host that it
// sees, and the host's side takes the first one that it has.

// pairedDevice opens this side's device of a pair; both sides call it once.
func (t *T) pairedDevice() *common.Dev {
	dev, _ := t.pair(false)
	return dev
}

// pairedRep does the same, and opens the representor on the DPU's side.
func (t *T) pairedRep() (*common.Dev, *common.DevRep) { return t.pair(true) }

func (t *T) pair(openRep bool) (*common.Dev, *common.DevRep) {
	if t.isHost() {
		return t.hostOfPair(), nil
	}
	dev := t.dev(NeedServer)
	reps, err := common.DevinfoRepCreateList(dev, int32(common.DevinfoRepFilterNet))
	t.must("doca_devinfo_rep_create_list", err)
	t.onEnd(func() { _ = common.DevinfoRepDestroyList(reps) })
	byAddress := map[string]*common.DevinfoRep{}
	var list []string
	for _, rep := range reps {
		s, err := common.DevinfoRepGetPCIAddrStr(rep)
		t.must("doca_devinfo_rep_get_pci_addr_str", err)
		byAddress[s] = rep
		list = append(list, s)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.skip("%v", err)
	}
	t.tell("functions", text)
	info := byAddress[string(t.hear("function"))]
	if info == nil || !openRep {
		return dev, nil
	}
	rep, err := common.DevRepOpen(info)
	t.must("doca_dev_rep_open", err)
	t.onEnd(func() { _ = common.DevRepClose(rep) })
	return dev, rep
}

func (t *T) hostOfPair() *common.Dev {
	var list []string
	if err := json.Unmarshal(t.hear("functions"), &list); err != nil {
		t.skip("%v", err)
	}
	for _, address := range list {
		for _, info := range t.devices() {
			equal, err := common.DevinfoIsEqualPCIAddr(info, address)
			if err == nil && equal && able(NeedClient, info) {
				t.tell("function", []byte(address))
				return t.open(info)
			}
		}
	}
	t.skip("this machine has none of the functions that the DPU sees: %v", list)
	return nil
}

func (t *T) isHost() bool { return t.talk != nil && t.talk.host }

// number hears a number, and tellNumber says one.
func (t *T) number(word string) uint64 {
	n, err := strconv.ParseUint(string(t.hear(word)), 10, 64)
	if err != nil {
		t.skip("%v", err)
	}
	return n
}

func (t *T) tellNumber(word string, n uint64) { t.tell(word, strconv.AppendUint(nil, n, 10)) }

// exporter is the host's side of cases about imports: it exports memory until the other side is done.
func (t *T) exporter(mask int) []byte {
	dev := t.pairedDevice()
	m, mem := t.mapped(dev, 8192, mask)
	fill(mem, 1)
	desc, err := common.MmapExportPCI(m, dev)
	t.must("doca_mmap_export_pci", err)
	t.tell("descriptor", desc)
	t.hear("done")
	return mem
}

// imported is the DPU's side of it.
func (t *T) imported() *common.Mmap {
	m, _ := t.importedOn()
	return m
}

func (t *T) importedOn() (*common.Mmap, *common.Dev) {
	dev := t.pairedDevice()
	m, err := common.MmapCreateFromExport(0, t.hear("descriptor"), dev)
	t.must("doca_mmap_create_from_export", err)
	t.onEnd(func() { _ = common.MmapDestroy(t.ring, m) })
	return m, dev
}

// range0 is the first address of a map.
func (t *T) range0(m *common.Mmap) uintptr {
	at, _, err := common.MmapGetMemrange(m)
	t.must("doca_mmap_get_memrange", err)
	return at
}

func setRangeOf(m *common.Mmap, mem []byte) error {
	return common.MmapSetMemrange(m, unsafe.Pointer(unsafe.SliceData(mem)), uint64(len(mem)))
}
