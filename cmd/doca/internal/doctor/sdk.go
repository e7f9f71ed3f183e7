// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
)

const commonLibrary = "libdoca_common.so.2"

// sdk says which implementation is in use and why, and what is wrong with the SDK's files. It reports whether there is
// an implementation at all.
func (s System) sdk(r *Report) bool {
	r.Bindings = abi.BindingsVersion
	info, err := abi.Active()
	r.Provider, r.Version, r.Path = info.Name, info.Version, info.Path
	wanted := s.Getenv("DOCA_PROVIDER")
	broken := s.brokenFiles(commonLibrary)
	switch {
	case err != nil:
		r.add(s.none(err, broken))
		return false
	case info.Name == abi.SDK:
		r.add(s.versions(info), s.chosen(wanted, "it is installed"))
		return true
	case wanted == info.Name:
		r.add(s.chosen(wanted, ""), Finding{Check: "sdk", Status: Info, Message: "an installed SDK is not looked at: DOCA_PROVIDER=" + wanted,
			Advice: "unset DOCA_PROVIDER to examine the SDK"})
	case len(broken) > 0:
		r.add(Finding{Check: "sdk", Status: Unusable, Message: "an SDK is there, and it is broken: programs use the " + info.Name + ", or fail",
			Details: broken, Advice: mend(broken, commonLibrary)})
	case len(s.files(commonLibrary)) > 0:
		r.add(Finding{Check: "sdk", Status: Unusable, Message: "an SDK is there, and it cannot be loaded: programs use the " + info.Name + ", or fail",
			Details: tried(abi.SDKError()), Advice: needs(abi.SDKError(), s.files(commonLibrary)[0])})
	case len(s.others()) > 0:
		r.add(Finding{Check: "sdk", Status: Unusable, Message: "an SDK is there without " + commonLibrary + ", which all its libraries need: programs use the " +
			info.Name + ", or fail", Details: s.others(), Advice: "install the DOCA package that has " + commonLibrary})
	default:
		r.add(Finding{Check: "sdk", Status: Warning, Message: "no DOCA SDK is installed: programs use the " + info.Name + ", or fail",
			Details: abi.Places(commonLibrary),
			Advice:  "install the DOCA SDK from NVIDIA where the program is to use a device; put its directory into LD_LIBRARY_PATH if it is elsewhere"})
	}
	if wanted == "" {
		r.add(s.chosen(wanted, "no SDK can be loaded"))
	}
	return true
}

// none is the finding where there is no implementation.
func (s System) none(err error, broken []string) Finding {
	f := Finding{Check: "sdk", Status: Unusable}
	var provider *abi.ProviderError
	switch {
	case len(broken) > 0:
		f.Message, f.Details = "an SDK is there, and it is broken", broken
		f.Advice = mend(broken, commonLibrary)
	case abi.SDKError() != nil && len(s.files(commonLibrary)) > 0:
		f.Message, f.Details = "an SDK is there, and it cannot be loaded", tried(abi.SDKError())
		f.Advice = needs(abi.SDKError(), s.files(commonLibrary)[0])
	case abi.SDKError() != nil && len(s.others()) > 0:
		f.Message, f.Details = "an SDK is there without "+commonLibrary+", which all its libraries need", s.others()
		f.Advice = "install the DOCA package that has " + commonLibrary
	case errors.As(err, &provider) && provider.Cause != nil:
		f.Message, f.Details = "no DOCA SDK is installed", tried(provider.Cause)
		f.Advice = "install it, or unset DOCA_PROVIDER to use the emulator"
	default:
		f.Message, f.Advice = err.Error(), "unset DOCA_PROVIDER"
	}
	return f
}

func (s System) chosen(wanted, why string) Finding {
	info, _ := abi.Active()
	if wanted != "" {
		why = "DOCA_PROVIDER=" + wanted
	}
	f := Finding{Check: "provider", Status: OK, Message: info.String() + ", because " + why}
	if info.Name == emulator.Name {
		f.Status = Info
	}
	return f
}

// versions compares the SDK's release with that of the bindings.
func (s System) versions(info abi.ProviderInfo) Finding {
	f := Finding{Check: "sdk", Status: OK, Message: "DOCA " + info.Version + " in " + filepath.Dir(info.Path)}
	switch have, made := release(info.Version), release(abi.BindingsVersion); {
	case info.Path == "":
		f.Status, f.Message = Unusable, commonLibrary+" has not even doca_version_runtime: it is not DOCA's"
		f.Details, f.Advice = s.files(commonLibrary), "reinstall the DOCA package that has "+commonLibrary
	case have == "":
		f.Status, f.Message = Warning, "the SDK in "+filepath.Dir(info.Path)+" does not tell its version"
		f.Advice = "reinstall it: doca_version_runtime of libdoca_common returns no version"
	case have != made:
		f.Status = Info
		f.Message += "; the bindings were made from " + abi.BindingsVersion
		f.Advice = "functions that differ are not called and return ErrNotSupported; the libraries below say which"
	}
	return f
}

var releaseNumber = regexp.MustCompile(`^(\d+\.\d+)\.`)

// release is the first two numbers of a version.
func release(version string) string {
	m := releaseNumber.FindStringSubmatch(version + ".")
	if m == nil {
		return ""
	}
	return m[1]
}

// tried is each place of a library that could not be loaded.
func tried(err error) []string {
	var library *abi.LibraryError
	if errors.As(err, &library) {
		return library.Tried
	}
	return []string{err.Error()}
}

// needs says what to do about a whole file that cannot be loaded.
func needs(err error, file string) string {
	switch text := strings.Join(tried(err), "\n"); {
	case strings.Contains(text, "none of the functions"):
		return "reinstall the DOCA package that has it; the file is " + file
	case strings.Contains(text, "undefined symbol"):
		return "install one release of all DOCA packages; the file is " + file
	}
	return "install what it needs: ldd " + file
}

// brokenFiles names the files of a library that the loader would find and cannot use. Where there is none, it is the name without a
// number that the loader looks for.
func (s System) brokenFiles(library string) []string {
	files := s.files(library)
	if len(files) == 0 {
		plain, _, _ := strings.Cut(library, ".so")
		files = s.files(plain + ".so")
	}
	var problems []string
	for _, path := range files {
		if problem := judge(path); problem != "" {
			problems = append(problems, path+" "+problem)
		}
	}
	return problems
}

// files are the files of a library, in the order of the loader.
func (s System) files(library string) []string {
	var paths []string
	for _, dir := range s.libraryPath() {
		paths = append(paths, filepath.Join(dir, library))
	}
	paths = append(paths, cached(library)...)
	for _, path := range abi.Places(library) {
		if filepath.IsAbs(path) {
			paths = append(paths, path)
		}
	}
	var there []string
	for _, path := range paths {
		if exists(path) {
			there = append(there, path)
		}
	}
	return there
}

// libraryPath is the directories in LD_LIBRARY_PATH, between which the dynamic linker takes semicolons, too.
func (s System) libraryPath() []string {
	return filepath.SplitList(strings.ReplaceAll(s.Getenv("LD_LIBRARY_PATH"), ";", ":"))
}

// others are the files of the other libraries that the bindings call.
func (s System) others() []string {
	var found []string
	for _, l := range abi.Libraries() {
		if l.Name != commonLibrary && !strings.HasSuffix(l.Name, ".a") {
			found = append(found, s.files(l.Name)...)
		}
	}
	return found
}

// cached is what the linker's cache has of a library.
func cached(library string) []string {
	ldconfig := "ldconfig"
	if _, err := exec.LookPath(ldconfig); err != nil {
		ldconfig = "/sbin/ldconfig" // not in the path of every user
	}
	out, err := exec.Command(ldconfig, "-p").Output()
	if err != nil {
		return nil // there is no cache to ask, as with musl
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		if name, path, ok := strings.Cut(strings.TrimSpace(line), " => "); ok && strings.HasPrefix(name, library+" ") {
			paths = append(paths, path)
		}
	}
	return paths
}
