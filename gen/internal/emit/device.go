package emit

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/device"
)

// Device is code for the DPA that a package of kernels has for the emulator, beside the functions that start it.
type Device struct {
	App     device.App
	Kernels []*device.Kernel
	AppText string // emu_dpa_app.h
	Sources []DeviceSource
	// Renamed are the symbols that the sources can see of each other. A program may have several such packages, so they
	// get names of their own: App.Kernel before each.
	Renamed []string
}

// DeviceSource is one C file. Its text needs no headers but the C library's.
type DeviceSource struct {
	Name string // of the file
	Text string
}

// hardwareTag is the build tag with which the archive of dpacc is linked in place of the sources.
const hardwareTag = "dpacc"

// deviceFiles emits the sources.
func (e *emitter) deviceFiles(files Files) error {
	d := e.opt.Device
	const head = "// " + generated + "\n\n//go:build !" + hardwareTag + "\n\n"
	add := func(name, text string) error {
		if files[name] != nil {
			return fmt.Errorf("two sources would be %s: rename one", name)
		}
		files[name] = []byte(head + text)
		return nil
	}
	var rename strings.Builder
	for _, symbol := range d.Renamed {
		fmt.Fprintf(&rename, "#pragma redefine_extname %s %s%s\n", symbol, d.App.Kernel, symbol)
	}
	const quiet = "#pragma GCC diagnostic ignored \"-Wattributes\"\n#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
	const defined = "#define DOCA_ALLOW_EXPERIMENTAL_API\n#define __dpa_global__\n#define __dpa_rpc__\n"
	for _, s := range d.Sources {
		if err := add(s.Name, quiet+defined+rename.String()+s.Text); err != nil {
			return err
		}
	}
	return add("app_device.c", d.AppText+"\n"+d.App.Describe(d.Kernels))
}

// kernelSymbol declares how C names a kernel's symbol: in the archive as the source does, else with a prefix.
func (e *emitter) kernelSymbol(extern, name string) string {
	d := e.opt.Device
	if d == nil {
		return fmt.Sprintf("%s __asm__(%q);", extern, name)
	}
	return fmt.Sprintf("#ifdef GODOCA_DPACC\n%s __asm__(%q);\n#else\n%s __asm__(%q);\n#endif", extern, name, extern, d.App.Kernel+name)
}
