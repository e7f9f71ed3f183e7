// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
	"golang.org/x/sys/unix"
)

const (
	mellanox = "0x15b3" // the PCI vendor
	driver   = "mlx5_core"
)

// cards looks for NVIDIA's network devices on the PCI bus, whatever DOCA sees of them.
func (s System) cards(r *Report) {
	dirs, _ := filepath.Glob(s.path("sys/bus/pci/devices/*")) // the pattern is well formed
	var bound, unbound []string
	for _, dir := range dirs {
		// Classes 02 are network controllers; the cards have others, such as storage, beside.
		if s.read(dir, "vendor") != mellanox || !strings.HasPrefix(s.read(dir, "class"), "0x02") {
			continue
		}
		name := filepath.Base(dir) + " (device " + s.read(dir, "device") + ")"
		if link, err := os.Readlink(filepath.Join(dir, "driver")); err == nil && filepath.Base(link) == driver {
			bound = append(bound, name)
		} else {
			unbound = append(unbound, name)
		}
	}
	switch {
	case len(unbound) > 0:
		r.add(Finding{Check: "cards", Status: Warning, Message: fmt.Sprintf("%d of %d PCI functions of NVIDIA's network devices are without the driver %s",
			len(unbound), len(bound)+len(unbound), driver), Details: unbound, Advice: "modprobe " + driver + "; DOCA sees no function without it"})
	case len(bound) > 0:
		r.add(Finding{Check: "cards", Status: OK, Message: fmt.Sprintf("%d PCI functions of NVIDIA's network devices, with the driver %s", len(bound), driver), Details: bound})
	default:
		r.add(Finding{Check: "cards", Status: Info, Message: "no network device of NVIDIA on the PCI bus"})
	}
}

func (s System) read(dir, file string) string {
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// devices says what DOCA sees, and on which side of a DPU it runs: only the DPU's side has representors.
func (s System) devices(r *Report) {
	infos, err := doca.Devices()
	switch {
	case err != nil:
		r.add(Finding{Check: "devices", Status: Warning, Message: "DOCA cannot list the devices: " + err.Error(),
			Advice: "see the library findings above; doca devices tries again"})
		return
	case len(infos) == 0:
		r.add(Finding{Check: "devices", Status: Warning, Message: "DOCA sees no device",
			Advice: "check the card (lspci -d 15b3:), its driver (lsmod | grep mlx5) and the permissions of /dev/infiniband"})
		return
	}
	f := Finding{Check: "devices", Status: OK}
	dpu, failed := 0, 0
	for _, info := range infos {
		side := "host"
		representors, err := Representors(info.PCIAddr)
		switch {
		case errors.Is(err, doca.ErrNotSupported):
		case err != nil:
			failed++
			f.Details = append(f.Details, info.String()+": cannot be opened: "+err.Error())
			continue
		default:
			side = fmt.Sprintf("DPU, %d representors", len(representors))
			if len(representors) == 1 {
				side = "DPU, 1 representor"
			}
			dpu++
		}
		f.Details = append(f.Details, info.String()+": "+side)
	}
	f.Message = fmt.Sprintf("DOCA sees %d devices: %d on the DPU's side, %d on the host's", len(infos), dpu, len(infos)-dpu-failed)
	if failed > 0 {
		f.Status = Warning
		f.Message += fmt.Sprintf("; %d cannot be opened", failed)
		f.Advice = "run as root, or as a user who may open /dev/infiniband"
	}
	r.add(f)
}

// Representors opens a device and lists its representors. It returns ErrNotSupported on the host's side, where a device has none, and an error if
// the device cannot be opened.
func Representors(pciAddr string) (_ []doca.RepresentorInfo, err error) {
	dev, err := doca.OpenDevice(pciAddr)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	return dev.Representors(doca.RepresentorsAll)
}

// deviceFiles looks for files that this user may not open.
func (s System) deviceFiles(r *Report) {
	if r.Provider == emulator.Name {
		return
	}
	files, _ := filepath.Glob(s.path("dev/infiniband/*"))
	var closed []string
	for _, file := range files {
		if err := unix.Access(file, unix.R_OK|unix.W_OK); err != nil {
			closed = append(closed, "/"+strings.TrimPrefix(strings.TrimPrefix(file, s.Root), "/")+": "+err.Error())
		}
	}
	switch {
	case len(files) == 0:
		r.add(Finding{Check: "device files", Status: Warning, Message: "/dev/infiniband has no files",
			Advice: "modprobe ib_uverbs mlx5_ib; in a container, pass --device=/dev/infiniband"})
	case len(closed) > 0:
		r.add(Finding{Check: "device files", Status: Warning, Message: fmt.Sprintf("this user may not open %d of %d files in /dev/infiniband", len(closed), len(files)),
			Details: closed, Advice: "run as root, or give the user's group access with a udev rule"})
	default:
		r.add(Finding{Check: "device files", Status: OK, Message: fmt.Sprintf("this user may open the %d files in /dev/infiniband", len(files))})
	}
}

// plentyLocked is so much locked memory that a program seldom meets the limit.
const plentyLocked = 1 << 30

// lockedMemory looks at the limit of memory that a device may reach, for registering pins it.
func (s System) lockedMemory(r *Report) {
	var limit unix.Rlimit
	f := Finding{Check: "locked memory", Status: OK}
	switch err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); {
	case err != nil:
		f.Status, f.Message = Info, "the limit is not known: "+err.Error()
	case s.mayLockAll():
		f.Message = "no limit for this user (CAP_IPC_LOCK)"
	case limit.Cur == unix.RLIM_INFINITY:
		f.Message = "no limit"
	default:
		f.Message = fmt.Sprintf("the limit is %d KiB", limit.Cur>>10)
		if limit.Cur < plentyLocked {
			f.Status = Warning
			f.Message += ": with a device, registering more memory fails"
			f.Advice = "ulimit -l unlimited, or LimitMEMLOCK=infinity in the systemd unit"
		}
	}
	r.add(f)
}

// mayLockAll reports whether the process has the capability CAP_IPC_LOCK.
func (s System) mayLockAll() bool {
	const ipcLock = 14
	mask, err := strconv.ParseUint(s.field("proc/self/status", "CapEff:"), 16, 64)
	return err == nil && mask&(1<<ipcLock) != 0
}

// field is the first word behind the name of a line.
func (s System) field(file, name string) string {
	text, err := os.ReadFile(s.path(file))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			return words[1]
		}
	}
	return ""
}

// hugePages are for programs with DPDK. These bindings need none.
func (s System) hugePages(r *Report) {
	total, free, size := s.field("proc/meminfo", "HugePages_Total:"), s.field("proc/meminfo", "HugePages_Free:"), s.field("proc/meminfo", "Hugepagesize:")
	f := Finding{Check: "huge pages", Status: Info, Message: "none are reserved; only DOCA's libraries on DPDK, such as Flow, need them"}
	if total != "" && total != "0" {
		f.Message = fmt.Sprintf("%s of %s KiB are reserved, %s are free", total, size, free)
	}
	r.add(f)
}
