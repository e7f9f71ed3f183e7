// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-doca/go-doca/generated/abi"
	_ "github.com/go-doca/go-doca/generated/argp" // to be examined, with those of the packages that the command uses
)

// byName are the libraries, each once: several packages may call functions of one.
func byName() []abi.LibraryInfo {
	var all []abi.LibraryInfo
	for _, l := range abi.Libraries() {
		if strings.HasSuffix(l.Name, ".a") { // code for the device, of which a program calls nothing
			continue
		}
		n := len(all) - 1
		if n < 0 || all[n].Name != l.Name {
			all = append(all, l)
			continue
		}
		if all[n].Err != nil {
			all[n].Err, all[n].Path = l.Err, l.Path
		}
		all[n].Symbols = append(all[n].Symbols, l.Symbols...)
	}
	return all
}

// libraries has a finding for each library that is missing, or lacks functions.
func (s System) libraries(r *Report) {
	complete := 0
	for _, l := range byName() {
		f := s.library(l, r)
		if f.Status == OK {
			complete++
			continue
		}
		r.add(f)
	}
	if complete == 0 {
		return
	}
	r.add(Finding{Check: "libraries", Status: OK, Message: fmt.Sprintf("%d libraries have all the functions that the bindings call", complete)})
}

func (s System) library(l abi.LibraryInfo, r *Report) Finding {
	if l.Err != nil {
		return s.missing(l, r)
	}
	f := Finding{Check: "library " + l.Name, Status: OK}
	own, differ, newer, lost := 0, 0, 0, 0
	for _, symbol := range l.Symbols {
		if symbol.Library != l.Name { // the other library has a finding of its own
			continue
		}
		own++
		if symbol.Err == nil {
			continue
		}
		why := "is not there"
		if missing, ok := symbol.Err.(*abi.SymbolError); ok && missing.Differs {
			why = "has another signature"
			differ++
		} else if made := release(abi.BindingsVersion); symbol.Lacks == "" && release(r.Version) == made {
			why += ", though DOCA " + made + " has it"
			lost++
		}
		if symbol.Lacks != "" {
			newer++
		}
		f.Details = append(f.Details, symbol.Name+" "+why+since(symbol))
	}
	if n := len(f.Details); n > 0 {
		f.Status = Warning
		f.Message = fmt.Sprintf("%d of %d functions cannot be called and return ErrNotSupported", n, own)
		f.Advice = "do without them, or install a release that has them"
		if differ > 0 {
			f.Message += fmt.Sprintf("; %d of them have another signature", differ)
		}
		if lost > 0 {
			f.Message += fmt.Sprintf("; %d of them should be there", lost)
			f.Advice = "reinstall the DOCA package that has it"
		}
		if n == newer { // nothing is wrong with the installed release
			f.Status = Info
			f.Message = fmt.Sprintf("%d of %d functions are newer than the installed release, and return ErrNotSupported", n, own)
		}
	}
	if have, want := fileRelease(l.Path), release(r.Version); have != "" && want != "" && have != want {
		f.Status = Warning
		f.Message = strings.TrimPrefix(f.Message+"; ", "; ") + "it is of DOCA " + have + ", libdoca_common of " + want
		f.Advice = "install one release of all DOCA packages; the file is " + l.Path
	}
	return f
}

// since tells the releases for which a function can be called.
func since(symbol abi.SymbolInfo) string {
	var when []string
	if symbol.Since != "" {
		when = append(when, "as of "+symbol.Since)
	}
	if symbol.From != "" && symbol.From != symbol.Since {
		when = append(when, "as of "+symbol.From)
	}
	if symbol.Until != "" {
		when = append(when, "before "+symbol.Until)
	}
	if len(when) == 0 {
		return ""
	}
	return ": it can be called " + strings.Join(when, " and ")
}

// missing says what is wrong with a library's files, or where they were looked for.
func (s System) missing(l abi.LibraryInfo, r *Report) Finding {
	f := Finding{Check: "library " + l.Name, Status: Warning}
	if r.Provider != abi.SDK {
		f.Status, f.Message = Info, "the "+r.Provider+" does not have it"
		return f
	}
	if broken := s.brokenFiles(l.Name); len(broken) > 0 {
		f.Message, f.Details = "it is broken: nothing of it can be called", broken
		f.Advice = mend(broken, "it")
		return f
	}
	if files := s.files(l.Name); len(files) > 0 {
		f.Message, f.Details = "it is there and cannot be loaded: nothing of it can be called", tried(l.Err)
		f.Advice = needs(l.Err, files[0])
		return f
	}
	f.Message = "it is not installed: nothing of it can be called"
	f.Advice = "install the DOCA package that has it, if the program needs it"
	if first := firstRelease(l); first != "" && older(release(r.Version), first) {
		f.Status, f.Message = Info, "DOCA "+release(r.Version)+" is not known to have it, but releases as of "+first+": nothing of it can be called"
		f.Advice = "do without it, or install a release that has it"
	}
	if old := s.otherVersions(l.Name); len(old) > 0 {
		f.Message, f.Details = "only another version of it is installed: nothing of it can be called", old
		f.Advice = "install the DOCA package of a release that has " + l.Name
	}
	return f
}

// firstRelease is the first one that is known to have a library, or nothing if all known ones have it.
func firstRelease(l abi.LibraryInfo) string {
	first := ""
	for _, symbol := range l.Symbols {
		if symbol.Library != l.Name {
			continue
		}
		if symbol.Since == "" {
			return ""
		}
		if first == "" || older(symbol.Since, first) {
			first = symbol.Since
		}
	}
	return first
}

// older compares two releases such as 2.5 and 2.10.
func older(a, b string) bool {
	var x, y [2]int
	_, errA := fmt.Sscanf(a, "%d.%d", &x[0], &x[1])
	_, errB := fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
	return errA == nil && errB == nil && (x[0] < y[0] || x[0] == y[0] && x[1] < y[1])
}

// otherVersions are files of the library with another number behind .so, as before DOCA 2.5.
func (s System) otherVersions(library string) []string {
	plain, _, _ := strings.Cut(library, ".so")
	var found []string
	dirs := s.libraryPath()
	for _, place := range abi.Places(library) {
		if filepath.IsAbs(place) {
			dirs = append(dirs, filepath.Dir(place))
		}
	}
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, plain+".so.*")) // the pattern is well formed
		found = append(found, files...)
	}
	return found
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
