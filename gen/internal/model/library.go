package model

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// Spec says which headers make up a library and which Go package binds it.
type Spec struct {
	Name    string // of the Go package
	Prefix  string // of its C names behind doca_, "sync_event"; empty for common
	Soname  string // where no shared library says another; an archive (.a) where it is for code that runs on a device
	Headers []string
	// Base is the ledger of the bindings that have the library already; nil where it is to be
	// bound. A type that the ledger does not have, or has with other members, belongs to a library
	// that is bound and declares it, else to none.
	Base *ledger.Ledger
	// Kernels is set for the headers of a program: they are functions that run on a DPA, by their names.
	Kernels map[string]KernelKind
	// Forms are Go names that no declaration gets, for what is derived from another has them: the name, and that other one.
	Forms map[string]string
}

// known are the libraries whose headers or sonames do not follow from their names, and those
// that come first because others use their types. A header that an SDK version lacks is simply
// not there.
var known = []Spec{
	{Name: "common", Soname: "libdoca_common.so.2", Headers: []string{
		"doca_error.h", "doca_types.h", "doca_compat.h", "doca_config.h", "doca_build_config.h",
		"doca_common_defines.h", "doca_version.h", "doca_bitfield.h", "doca_log.h", "doca_dev.h", "doca_ctx.h",
		"doca_pe.h", "doca_graph.h", "doca_mmap.h", "doca_mmap_advise.h", "doca_buf.h", "doca_buf_inventory.h",
		"doca_buf_pool.h", "doca_buf_array.h", "doca_umem.h", "doca_uar.h",
	}},
	{Name: "syncevent", Prefix: "sync_event", Soname: "libdoca_common.so.2", Headers: []string{"doca_sync_event.h"}},
	{Name: "dma", Prefix: "dma"},
	{Name: "dpadev", Prefix: "dpa_dev"},
	{Name: "dpa", Prefix: "dpa"},
	{Name: "rdma", Prefix: "rdma"},
	{Name: "comch", Prefix: "comch"},
	{Name: "argp", Prefix: "argp"},
	{Name: "dpdk", Prefix: "dpdk", Soname: "libdoca_dpdk_bridge.so.2"},
	{Name: "eth", Prefix: "eth"},
	{Name: "devemu", Prefix: "devemu"},
	{Name: "rmax", Prefix: "rmax"},
	{Name: "pccdev", Prefix: "pcc_dev"},
	{Name: "pccnpdev", Prefix: "pcc_np_dev"},
	{Name: "gpunetiodev", Prefix: "gpunetio_dev"},
}

// Plan groups the headers of an SDK into libraries, in the order of their dependencies as far as
// that is known. A header belongs to the library with the longest name that begins its own: of
// those that are known, and of the headers that are there (doca_flow_net.h goes with doca_flow.h).
func Plan(headers []string) []Spec {
	var prefixes []string
	listed := map[string]int{} // header -> 1 + index of known
	for i, s := range known {
		if s.Prefix != "" {
			prefixes = append(prefixes, s.Prefix)
		}
		for _, h := range s.Headers {
			listed[h] = i + 1
		}
	}
	stems := map[string]bool{}
	for _, h := range headers {
		stems[stemOf(h)] = true
	}
	byPrefix := map[string][]string{}
	for _, h := range headers {
		if listed[h] > 0 {
			s := known[listed[h]-1]
			byPrefix[s.Prefix] = append(byPrefix[s.Prefix], h)
			continue
		}
		p := family(stemOf(h), prefixes, stems)
		byPrefix[p] = append(byPrefix[p], h)
	}
	var specs []Spec
	for _, s := range known {
		if hs := byPrefix[s.Prefix]; hs != nil {
			specs = append(specs, complete(s, hs))
			delete(byPrefix, s.Prefix)
		}
	}
	others := len(specs)
	for p, hs := range byPrefix {
		specs = append(specs, complete(Spec{Name: packageName(p), Prefix: p}, hs))
	}
	slices.SortFunc(specs[others:], func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
	return specs
}

// packageName is the Go package of a library that has no line in known. Some names Go has for itself, others
// the bindings.
func packageName(prefix string) string {
	name := strings.ReplaceAll(prefix, "_", "")
	taken := []string{"main", "internal", "vendor", "testdata", ABI, "api", known[0].Name}
	if !token.IsIdentifier(name) || slices.Contains(taken, name) || types.Universe.Lookup(name) != nil {
		return "doca" + name
	}
	return name
}

func complete(s Spec, headers []string) Spec {
	order := func(h string) int {
		if i := slices.Index(s.Headers, h); i >= 0 {
			return i
		}
		return len(s.Headers)
	}
	slices.SortFunc(headers, func(a, b string) int { return cmp.Or(order(a)-order(b), strings.Compare(a, b)) })
	s.Headers = headers
	if s.Soname == "" {
		s.Soname = "libdoca_" + s.Prefix + ".so.2"
		if strings.HasSuffix(s.Prefix, "_dev") {
			s.Soname = "libdoca_" + s.Prefix + ".a"
		}
	}
	return s
}

// stemOf is what the header's name says: dma of doca_dma.h.
func stemOf(header string) string {
	return strings.TrimSuffix(strings.TrimPrefix(header, "doca_"), ".h")
}

func family(stem string, prefixes []string, stems map[string]bool) string {
	best := ""
	for _, p := range prefixes {
		if begins(stem, p) && len(p) > len(best) {
			best = p
		}
	}
	if best != "" {
		return best
	}
	if i := strings.Index(stem+"_", "_dev_"); i > 0 { // for a device: its types may be those of the host's
		return stem[:i] + "_dev"
	}
	for i := range stem {
		if stem[i] == '_' && stems[stem[:i]] {
			return stem[:i]
		}
	}
	return stem
}

func begins(stem, prefix string) bool { return stem == prefix || strings.HasPrefix(stem, prefix+"_") }

// Select returns the named libraries of specs; common is always among them, because the others
// import it. A name that is not there is returned as unknown.
func Select(specs []Spec, names []string) (selected []Spec, unknown string) {
	for _, n := range names {
		if !slices.ContainsFunc(specs, func(s Spec) bool { return s.Name == n }) {
			return nil, n
		}
	}
	for _, s := range specs {
		if s.Name == "common" || slices.Contains(names, s.Name) {
			selected = append(selected, s)
		}
	}
	return selected, ""
}
