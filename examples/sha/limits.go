package sha

import (
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/examples/sha/internal/doca/sha"
	"github.com/go-doca/go-doca/generated/common"
)

// Algorithm is a message digest function. The zero value is SHA256.
type Algorithm uint8

// The algorithms.
const (
	SHA256 Algorithm = iota // digests of 32 bytes
	SHA1                    // digests of 20 bytes
)

var algorithms = [...]struct {
	name string
	raw  gen.Algorithm
}{
	SHA256: {"SHA-256", gen.AlgorithmSHA256},
	SHA1:   {"SHA-1", gen.AlgorithmSHA1},
}

// String returns the algorithm's name, such as "SHA-256".
func (a Algorithm) String() string {
	if int(a) < len(algorithms) {
		return algorithms[a].name
	}
	return fmt.Sprintf("Algorithm(%d)", uint8(a))
}

// raw returns the algorithm as DOCA knows it. The error is ErrInvalidValue.
func (a Algorithm) raw() (gen.Algorithm, error) {
	if int(a) >= len(algorithms) {
		return 0, fmt.Errorf("%w: %v is not one of this package's constants", doca.ErrInvalidValue, a)
	}
	return algorithms[a].raw, nil
}

// Limits holds the limits of one task of a device.
type Limits struct {
	MaxSourceSize uint64 // bytes
	MaxListLen    uint32 // buffers of a source list; 1 means no lists
}

// Supported returns nil if the device has the algorithm, ErrNotSupported if it does not, and
// another error if the query fails. Any goroutine may call it. Calls
// doca_sha_cap_task_hash_get_supported.
func Supported(info doca.DeviceInfo, a Algorithm) error {
	algorithm, err := a.raw()
	if err != nil {
		return err
	}
	return bind.WithDevinfo(info, func(raw *common.Devinfo) error {
		return gen.CapTaskHashGetSupported(raw, algorithm)
	})
}

// LimitsOf returns the limits of one task of a device. Any goroutine may call it. Calls
// doca_sha_cap_get_max_src_buf_size and doca_sha_cap_get_max_src_list_len.
func LimitsOf(info doca.DeviceInfo) (Limits, error) {
	var l Limits
	err := bind.WithDevinfo(info, func(raw *common.Devinfo) (err error) {
		l, err = limitsOf(raw)
		return err
	})
	return l, err
}

func limitsOf(raw *common.Devinfo) (l Limits, err error) {
	if l.MaxSourceSize, err = gen.CapGetMaxSrcBufSize(raw); err != nil {
		return l, err
	}
	l.MaxListLen, err = gen.CapGetMaxSrcListLen(raw)
	return l, err
}
