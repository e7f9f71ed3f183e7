package doca

import "github.com/go-doca/go-doca/generated/common"

// Access says who may do what with a memory: a set of enum doca_access_flag. The
// device's local reads are always allowed. PCI flags are about the peer across PCI,
// the host for a BlueField's Arm side and the other way round; RDMA flags about peers
// on the network.
type Access uint32

// The access flags. AccessLocalReadOnly is 0 in DOCA; here it has a value of its own so
// that it can be told from no choice at all.
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

// mask returns DOCA's bits; nil leaves the choice to DOCA.
func (a Access) mask() *uint32 {
	if a == 0 {
		return nil
	}
	bits := uint32(a &^ AccessLocalReadOnly)
	return &bits
}
