// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"regexp"
	"strings"

	"github.com/go-doca/go-doca/generated/common"
)

var pciForm = regexp.MustCompile(`^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

func deviceCases() []Case {
	return of("common", []Case{
		{
			Name: "devinfo/list", Rule: "The list of devices has at least one, or it is NOT_FOUND: it is never empty with SUCCESS.", Source: Observed,
			Run: func(t *T) {
				list, err := common.DevinfoCreateList()
				if !t.code("doca_devinfo_create_list", err, success, notFound) || err != nil {
					return
				}
				t.onEnd(func() { _ = common.DevinfoDestroyList(list) })
				t.that("doca_devinfo_create_list with SUCCESS", "1 or more devices", len(list), len(list) > 0)
			},
		},
		{
			Name: "devinfo/destroy-list", Rule: "A list of devices can be destroyed while a device of it is open.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				list, err := common.DevinfoCreateList()
				t.must("doca_devinfo_create_list", err)
				dev, err := common.DevOpen(list[0])
				t.must("doca_dev_open", err)
				t.onEnd(func() { _ = common.DevClose(dev) })
				t.code("doca_devinfo_destroy_list with an open device", common.DevinfoDestroyList(list), success)
				info, err := common.DevAsDevinfo(dev)
				t.must("doca_dev_as_devinfo", err)
				_, err = common.DevinfoGetIbdevName(info)
				t.code("doca_devinfo_get_ibdev_name of the open device", err, success)
			},
		},
		{
			Name: "devinfo/pci-address", Rule: "A PCI address has the form dddd:bb:dd.f, in lower case.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				for _, info := range t.devices() {
					s, err := common.DevinfoGetPCIAddrStr(info)
					t.must("doca_devinfo_get_pci_addr_str", err)
					t.that("doca_devinfo_get_pci_addr_str", "an address such as 0000:03:00.0", s, pciForm.MatchString(s))
				}
			},
		},
		{
			Name: "devinfo/equal-pci-address", Rule: "A device is equal to its own PCI address.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				info := t.info(NeedDevice)
				s, err := common.DevinfoGetPCIAddrStr(info)
				t.must("doca_devinfo_get_pci_addr_str", err)
				equal, err := common.DevinfoIsEqualPCIAddr(info, s)
				t.must("doca_devinfo_is_equal_pci_addr", err)
				t.equal("doca_devinfo_is_equal_pci_addr with its own address", equal, true)
			},
		},
		{
			Name: "devinfo/equal-short-pci-address", Rule: "A PCI address without its domain is that of domain 0000.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				info := t.info(NeedDevice)
				s, err := common.DevinfoGetPCIAddrStr(info)
				t.must("doca_devinfo_get_pci_addr_str", err)
				short, ok := strings.CutPrefix(s, "0000:")
				if !ok {
					t.skip("the device %s is not of domain 0000", s)
				}
				equal, err := common.DevinfoIsEqualPCIAddr(info, short)
				t.must("doca_devinfo_is_equal_pci_addr without the domain", err)
				t.equal("doca_devinfo_is_equal_pci_addr without the domain", equal, true)
			},
		},
		{
			Name: "devinfo/other-pci-address", Rule: "A device is not equal to the PCI address of another one.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				equal, err := common.DevinfoIsEqualPCIAddr(t.info(NeedDevice), "ffff:ff:1f.7")
				t.must("doca_devinfo_is_equal_pci_addr", err)
				t.equal("doca_devinfo_is_equal_pci_addr with ffff:ff:1f.7", equal, false)
			},
		},
		{
			Name: "devinfo/malformed-pci-address", Rule: "What is no PCI address is refused.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				info := t.info(NeedDevice)
				for _, s := range []string{"", "mlx5_0", "0000:03:00", "00000:03:00.0"} {
					_, err := common.DevinfoIsEqualPCIAddr(info, s)
					t.code("doca_devinfo_is_equal_pci_addr with \""+s+"\"", err, invalid)
				}
			},
		},
		{
			Name: "devinfo/ibdev-name", Rule: "Each device has the name of an RDMA device, of less than 64 bytes.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				for _, info := range t.devices() {
					s, err := common.DevinfoGetIbdevName(info)
					t.must("doca_devinfo_get_ibdev_name", err)
					t.that("doca_devinfo_get_ibdev_name", "a name of 1 to 63 bytes", s, s != "" && len(s) < common.DevinfoIbdevNameSize)
				}
			},
		},
		{
			Name: "devinfo/lid-or-mac", Rule: "A device has a LID if its link is InfiniBand, and a MAC address if it is Ethernet; the other one is NOT_SUPPORTED.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				_, lid := common.DevinfoGetLID(t.info(NeedDevice))
				_, mac := common.DevinfoGetMACAddr(t.info(NeedDevice))
				t.code("doca_devinfo_get_lid", lid, success, notSupported)
				t.code("doca_devinfo_get_mac_addr", mac, success, notSupported)
				t.that("doca_devinfo_get_lid and doca_devinfo_get_mac_addr", "one of them is supported", describe(lid)+" and "+describe(mac), (lid == nil) != (mac == nil))
			},
		},
		{
			Name: "devinfo/ipv4", Rule: "The IPv4 address of a device is there or NOT_FOUND.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				_, err := common.DevinfoGetIPv4Addr(t.info(NeedDevice))
				t.code("doca_devinfo_get_ipv4_addr", err, success, notFound)
			},
		},
		{
			Name: "devinfo/capability-flags", Rule: "Each device answers whether it can manage hot plugs.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				_, err := common.DevinfoCapIsHotplugManagerSupported(t.info(NeedDevice))
				t.code("doca_devinfo_cap_is_hotplug_manager_supported", err, success)
			},
		},
		{
			Name: "dev/open-twice", Rule: "A device that is opened twice is the same object, and must be closed twice.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				a, err := common.DevOpen(t.info(NeedDevice))
				t.must("doca_dev_open", err)
				b, err := common.DevOpen(t.info(NeedDevice))
				t.must("doca_dev_open a second time", err)
				t.that("doca_dev_open a second time", "the same device", map[bool]string{true: "the same device", false: "another one"}[a == b], a == b)
				t.code("doca_dev_close once", common.DevClose(a), success)
				info, err := common.DevAsDevinfo(b)
				t.must("doca_dev_as_devinfo", err)
				_, err = common.DevinfoGetIbdevName(info)
				t.code("doca_devinfo_get_ibdev_name while it is open once", err, success)
				t.code("doca_dev_close twice", common.DevClose(b), success)
			},
		},
		{
			Name: "dev/close-null", Rule: "To close a device that is NULL succeeds.", Source: Samples,
			Run: func(t *T) { t.code("doca_dev_close with NULL", common.DevClose(nil), success) },
		},
		{
			Name: "dev/reopen", Rule: "A device can be opened again after it was closed.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				for range 3 {
					dev, err := common.DevOpen(t.info(NeedDevice))
					t.must("doca_dev_open", err)
					t.code("doca_dev_close", common.DevClose(dev), success)
				}
			},
		},
		{
			Name: "dev/as-devinfo", Rule: "The information of an open device is that of the list.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				want, err := common.DevinfoGetPCIAddrStr(t.info(NeedDevice))
				t.must("doca_devinfo_get_pci_addr_str", err)
				info, err := common.DevAsDevinfo(t.dev(NeedDevice))
				t.must("doca_dev_as_devinfo", err)
				got, err := common.DevinfoGetPCIAddrStr(info)
				t.must("doca_devinfo_get_pci_addr_str of the open device", err)
				t.equal("doca_devinfo_get_pci_addr_str of the open device", got, want)
			},
		},
		{
			Name: "dev/completion-vectors", Rule: "Each device answers how many completion vectors there are.", Source: Documented, Needs: needs(NeedDevice),
			Run: func(t *T) {
				n, err := common.CtxCapGetNumCompletionVectors(t.info(NeedDevice))
				t.must("doca_ctx_cap_get_num_completion_vectors", err)
				t.that("doca_ctx_cap_get_num_completion_vectors", "1 or more", n, n > 0)
			},
		},
	})
}

// describe is the code of an error, or DOCA_SUCCESS.
func describe(err error) string {
	if err == nil {
		return success.String()
	}
	return err.Error()
}

func representorCases() []Case {
	list := func(t *T, dev *common.Dev, filter common.DevinfoRepFilter) []*common.DevinfoRep {
		reps, err := common.DevinfoRepCreateList(dev, int32(filter))
		t.must("doca_devinfo_rep_create_list", err)
		t.onEnd(func() { _ = common.DevinfoRepDestroyList(reps) })
		if len(reps) == 0 {
			t.skip("the device has no representors of this kind")
		}
		return reps
	}
	return of("common", []Case{
		{
			Name: "representor/none-on-the-host", Rule: "A device without representors has no list of them.", Source: Documented, Needs: needs(NeedNoRepresentor),
			Run: func(t *T) {
				_, err := common.DevinfoRepCreateList(t.dev(NeedNoRepresentor), int32(common.DevinfoRepFilterNet))
				t.code("doca_devinfo_rep_create_list of a device of the host", err, notSupported)
			},
		},
		{
			Name: "representor/pci-address", Rule: "A representor has the PCI address that its function has on the host, in the form dddd:bb:dd.f.", Source: Measured, Needs: needs(NeedRepresentors),
			Run: func(t *T) {
				for _, rep := range list(t, t.dev(NeedRepresentors), common.DevinfoRepFilterNet) {
					s, err := common.DevinfoRepGetPCIAddrStr(rep)
					t.must("doca_devinfo_rep_get_pci_addr_str", err)
					t.that("doca_devinfo_rep_get_pci_addr_str", "an address such as 0000:b1:00.0", s, pciForm.MatchString(s))
					equal, err := common.DevinfoRepIsEqualPCIAddr(rep, s)
					t.must("doca_devinfo_rep_is_equal_pci_addr", err)
					t.equal("doca_devinfo_rep_is_equal_pci_addr with its own address", equal, true)
				}
			},
		},
		{
			Name: "representor/short-pci-address", Rule: "A representor is found by its PCI address without the domain as well.", Source: Samples, Needs: needs(NeedRepresentors),
			Run: func(t *T) {
				rep := list(t, t.dev(NeedRepresentors), common.DevinfoRepFilterNet)[0]
				s, err := common.DevinfoRepGetPCIAddrStr(rep)
				t.must("doca_devinfo_rep_get_pci_addr_str", err)
				short, ok := strings.CutPrefix(s, "0000:")
				if !ok {
					t.skip("the function %s is not of domain 0000", s)
				}
				equal, err := common.DevinfoRepIsEqualPCIAddr(rep, short)
				t.must("doca_devinfo_rep_is_equal_pci_addr", err)
				t.equal("doca_devinfo_rep_is_equal_pci_addr without the domain", equal, true)
			},
		},
		{
			Name: "representor/vuid", Rule: "A representor has a VUID.", Source: Documented, Needs: needs(NeedRepresentors),
			Run: func(t *T) {
				s, err := common.DevinfoRepGetVUID(list(t, t.dev(NeedRepresentors), common.DevinfoRepFilterNet)[0])
				t.must("doca_devinfo_rep_get_vuid", err)
				t.that("doca_devinfo_rep_get_vuid", "a text of 1 to 127 bytes", s, s != "" && len(s) < common.DevinfoRepVUIDSize)
			},
		},
		{
			Name: "representor/function-type", Rule: "A representor has the type of its function: PF, VF or SF.", Source: Documented, Needs: needs(NeedRepresentors),
			Run: func(t *T) {
				typ, err := common.DevinfoRepGetPCIFuncType(list(t, t.dev(NeedRepresentors), common.DevinfoRepFilterNet)[0])
				t.must("doca_devinfo_rep_get_pci_func_type", err)
				t.that("doca_devinfo_rep_get_pci_func_type", "0, 1 or 2", int32(typ), typ >= common.PCIFuncTypePF && typ <= common.PCIFuncTypeSF)
			},
		},
		{
			Name: "representor/all-has-net", Rule: "The list of all representors has at least those of the network.", Source: Documented, Needs: needs(NeedRepresentors),
			Run: func(t *T) {
				dev := t.dev(NeedRepresentors)
				net := len(list(t, dev, common.DevinfoRepFilterNet))
				if all, err := common.DevinfoRepCapIsFilterAllSupported(t.info(NeedRepresentors)); err != nil || !all {
					t.skip("the device does not list all representors at once")
				}
				all := len(list(t, dev, common.DevinfoRepFilterAll))
				t.that("doca_devinfo_rep_create_list of all", "as many as with the filter for the network, or more", all, all >= net)
			},
		},
		{
			Name: "representor/open", Rule: "A representor is opened and closed, and its information is that of the list.", Source: Documented, Needs: needs(NeedRepresentors),
			Run: func(t *T) {
				info := list(t, t.dev(NeedRepresentors), common.DevinfoRepFilterNet)[0]
				want, err := common.DevinfoRepGetPCIAddrStr(info)
				t.must("doca_devinfo_rep_get_pci_addr_str", err)
				rep, err := common.DevRepOpen(info)
				t.must("doca_dev_rep_open", err)
				of, err := common.DevRepAsDevinfo(rep)
				t.must("doca_dev_rep_as_devinfo", err)
				got, err := common.DevinfoRepGetPCIAddrStr(of)
				t.must("doca_devinfo_rep_get_pci_addr_str of the open representor", err)
				t.equal("doca_devinfo_rep_get_pci_addr_str of the open representor", got, want)
				t.code("doca_dev_rep_close", common.DevRepClose(rep), success)
			},
		},
	})
}
