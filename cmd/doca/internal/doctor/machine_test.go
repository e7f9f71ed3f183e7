// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plant makes a system of these files. A text that begins with -> is a link.
func plant(t *testing.T, files map[string]string) System {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, ok := strings.CutPrefix(text, "->"); ok {
			require.NoError(t, os.Symlink(target, path))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return System{Root: root, Getenv: func(string) string { return "" }}
}

func only(t *testing.T, look func(*Report)) Finding {
	t.Helper()
	r := &Report{}
	look(r)
	require.Len(t, r.Findings, 1)
	return r.Findings[0]
}

func TestCards(t *testing.T) {
	t.Parallel()
	none := plant(t, map[string]string{"sys/bus/pci/devices/0000:00:01.0/vendor": "0x8086\n"})
	assert.Equal(t, Info, only(t, none.cards).Status)

	card := map[string]string{
		"sys/bus/pci/devices/0000:03:00.0/vendor": "0x15b3\n",
		"sys/bus/pci/devices/0000:03:00.0/class":  "0x020000\n",
		"sys/bus/pci/devices/0000:03:00.0/device": "0xa2dc\n",
		"sys/bus/pci/devices/0000:03:00.0/driver": "->../../../../bus/pci/drivers/mlx5_core",
		"sys/bus/pci/devices/0000:03:00.2/vendor": "0x15b3\n", // the card's management interface
		"sys/bus/pci/devices/0000:03:00.2/class":  "0x080100\n",
	}
	bound := only(t, plant(t, card).cards)
	assert.Equal(t, OK, bound.Status)
	assert.Equal(t, []string{"0000:03:00.0 (device 0xa2dc)"}, bound.Details)

	card["sys/bus/pci/devices/0000:03:00.0/driver"] = "->../../../../bus/pci/drivers/vfio-pci"
	unbound := only(t, plant(t, card).cards)
	assert.Equal(t, Warning, unbound.Status)
	assert.Equal(t, "1 of 1 PCI functions of NVIDIA's network devices are without the driver mlx5_core", unbound.Message)
}

func TestDeviceFiles(t *testing.T) {
	t.Parallel()
	none := only(t, plant(t, nil).deviceFiles)
	assert.Equal(t, Warning, none.Status)
	assert.Equal(t, "/dev/infiniband has no files", none.Message)

	s := plant(t, map[string]string{"dev/infiniband/uverbs0": "", "dev/infiniband/rdma_cm": "->nowhere"})
	some := only(t, s.deviceFiles)
	assert.Equal(t, Warning, some.Status)
	assert.Equal(t, "this user may not open 1 of 2 files in /dev/infiniband", some.Message)
	assert.Equal(t, []string{"/dev/infiniband/rdma_cm: no such file or directory"}, some.Details)

	all := only(t, plant(t, map[string]string{"dev/infiniband/uverbs0": ""}).deviceFiles)
	assert.Equal(t, OK, all.Status)
}

func TestLockedMemory(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"proc/self/status": "Name:\tdoca\nCapEff:\t000001ffffffffff\n"})
	assert.Equal(t, "no limit for this user (CAP_IPC_LOCK)", only(t, root.lockedMemory).Message)
	user := plant(t, map[string]string{"proc/self/status": "CapEff:\t0000000000000000\n"})
	assert.NotContains(t, only(t, user.lockedMemory).Message, "CAP_IPC_LOCK")
}

func TestHugePages(t *testing.T) {
	t.Parallel()
	assert.Contains(t, only(t, plant(t, nil).hugePages).Message, "none are reserved")
	some := plant(t, map[string]string{"proc/meminfo": "HugePages_Total:      64\nHugePages_Free:       60\nHugepagesize:       2048 kB\n"})
	assert.Equal(t, "64 of 2048 KiB are reserved, 60 are free", only(t, some.hugePages).Message)
}
