package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// imports are the imported memories that are open.
var imports struct {
	sync.Mutex
	all map[*Memory]struct{}
}

func (m *Memory) rememberImport() {
	imports.Lock()
	defer imports.Unlock()
	if imports.all == nil {
		imports.all = map[*Memory]struct{}{}
	}
	imports.all[m] = struct{}{}
}

func (m *Memory) forgetImport() {
	imports.Lock()
	defer imports.Unlock()
	delete(imports.all, m)
}

// exportEnded asks DOCA whether the memory could still be imported. false also means that DOCA does not tell.
func (m *Memory) exportEnded() bool {
	m.mu.Lock() // so the device is open
	defer m.mu.Unlock()
	if m.raw == nil || m.destroying != nil {
		return false
	}
	raw, err := common.MmapCreateFromExport(0, m.desc, m.devs[0].raw)
	if err == nil {
		err = common.MmapDestroy(nil, raw)
	}
	return errors.Is(err, abi.ErrorInvalidValue)
}

// Explain returns the error of a task that the device has failed, with what has become of memory that the device has imported. err
// says what can be done otherwise. No lock is held.
func (c *Link) Explain(op string, code, err error) error {
	imports.Lock()
	var mine []*Memory
	for m := range imports.all {
		if len(mine) < maxExplained && slices.Contains(m.devs, c.dev) {
			mine = append(mine, m)
		}
	}
	imports.Unlock()
	var gone []string
	for _, m := range mine {
		if m.exportEnded() {
			gone = append(gone, m.Node.String())
		}
	}
	if len(gone) == 0 {
		return err
	}
	return c.Node.Fail(op, code, fmt.Sprintf("the process that exported %s has ended, or has closed it, which stops the context: "+
		"close the memory, call Start, and import what the process exports when it runs again", strings.Join(gone, " and ")))
}

// maxExplained limits how many memories are asked for.
const maxExplained = 16
