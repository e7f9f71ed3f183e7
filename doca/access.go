package doca

import "github.com/go-doca/go-doca/generated/common"

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

// mask returns DOCA's bits, or nil for DOCA's default.
func (a Access) mask() *uint32 {
	if a == 0 {
		return nil
	}
	bits := uint32(a &^ AccessLocalReadOnly)
	return &bits
}
