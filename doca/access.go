package doca

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/generated/common"
)

// Access is a set of permissions for a memory, enum doca_access_flag. The devices of the
// memory may always read it. The PCI flags are for the peer across PCI: the host for a
// BlueField's Arm side, and the other way round. The RDMA flags are for peers on the
// network.
type Access uint32

// The access flags. DOCA's value for local read-only access is 0. [AccessLocalReadOnly] has
// a value of its own, because 0 stands for the default (see [MemoryConfig]).
const (
	AccessLocalReadWrite            = Access(common.AccessFlagLocalReadWrite)
	AccessRDMARead                  = Access(common.AccessFlagRDMARead)
	AccessRDMAWrite                 = Access(common.AccessFlagRDMAWrite)
	AccessRDMAAtomic                = Access(common.AccessFlagRDMAAtomic)
	AccessPCIReadOnly               = Access(common.AccessFlagPCIReadOnly)  // not with AccessPCIReadWrite
	AccessPCIReadWrite              = Access(common.AccessFlagPCIReadWrite) // not with AccessPCIReadOnly
	AccessPCIRelaxedOrdering        = Access(common.AccessFlagPCIRelaxedOrdering)
	AccessLocalReadOnly      Access = 1 << 31
)

var accessNames = []struct {
	flag Access
	name string
}{
	{AccessLocalReadOnly, "local-read-only"},
	{AccessLocalReadWrite, "local-read-write"},
	{AccessRDMARead, "rdma-read"},
	{AccessRDMAWrite, "rdma-write"},
	{AccessRDMAAtomic, "rdma-atomic"},
	{AccessPCIReadOnly, "pci-read-only"},
	{AccessPCIReadWrite, "pci-read-write"},
	{AccessPCIRelaxedOrdering, "pci-relaxed-ordering"},
}

// String returns the names of the flags with "|" between them, such as
// "local-read-write|pci-read-only", and "default" for 0.
func (a Access) String() string {
	if a == 0 {
		return "default"
	}
	var names []string
	for _, n := range accessNames {
		if a&n.flag != 0 {
			names = append(names, n.name)
			a &^= n.flag
		}
	}
	if a != 0 {
		names = append(names, fmt.Sprintf("%#x", uint32(a)))
	}
	return strings.Join(names, "|")
}

// MarshalText returns the names of String. It returns ErrInvalidValue if there are other flags.
func (a Access) MarshalText() ([]byte, error) {
	if unknown := a.unknown(); unknown != 0 {
		return nil, fail("marshal access", "", ErrInvalidValue, unknown.advice())
	}
	return []byte(a.String()), nil
}

// UnmarshalText reads names of String, in capital or small letters; an empty text is 0. It returns
// ErrInvalidValue for another text.
func (a *Access) UnmarshalText(text []byte) error {
	var out Access
	for name := range strings.SplitSeq(string(text), "|") {
		flag, ok := accessOf(strings.TrimSpace(name))
		if !ok {
			return fail("read access", fmt.Sprintf("%q", text), ErrInvalidValue, fmt.Sprintf("there is no flag %q: want default, or one or more of %s with | between them", name, allAccess()))
		}
		out |= flag
	}
	if a == nil {
		return fail("read access", "", ErrInvalidValue, "the Access is nil")
	}
	*a = out
	return nil
}

func accessOf(name string) (Access, bool) {
	for _, n := range accessNames {
		if strings.EqualFold(n.name, name) {
			return n.flag, true
		}
	}
	return 0, name == "" || strings.EqualFold(name, "default")
}

func allAccess() string {
	var all Access
	for _, n := range accessNames {
		all |= n.flag
	}
	return strings.ReplaceAll(all.String(), "|", ", ")
}

// unknown returns the flags that do not exist.
func (a Access) unknown() Access {
	for _, n := range accessNames {
		a &^= n.flag
	}
	return a
}

// advice says what is wrong with flags that do not exist.
func (a Access) advice() string {
	return fmt.Sprintf("there is no access flag %#x: use AccessLocalReadWrite and the constants after it", uint32(a))
}

// check returns what is wrong with the flags, or "".
func (a Access) check() string {
	const (
		pci    = AccessPCIReadOnly | AccessPCIReadWrite
		local  = AccessLocalReadOnly | AccessLocalReadWrite
		writes = AccessRDMAWrite | AccessRDMAAtomic
	)
	switch {
	case a.unknown() != 0:
		return a.unknown().advice()
	case a&pci == pci:
		return "AccessPCIReadOnly and AccessPCIReadWrite exclude each other: use one of them"
	case a&local == local:
		return "AccessLocalReadOnly and AccessLocalReadWrite exclude each other: use one of them"
	case a&writes != 0 && a&AccessLocalReadWrite == 0:
		return "AccessRDMAWrite and AccessRDMAAtomic need AccessLocalReadWrite as well"
	}
	return ""
}

// mask returns DOCA's bits, or nil for DOCA's default.
func (a Access) mask() *uint32 {
	if a == 0 {
		return nil
	}
	bits := uint32(a &^ AccessLocalReadOnly)
	return &bits
}
