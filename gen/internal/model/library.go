package model

// Spec says which headers make up a library.
type Spec struct {
	Name    string
	Soname  string
	Headers []string // base names
}

// Specs are the libraries that can be generated, in the order of their dependencies.
// A header that an SDK version lacks is simply not there.
var Specs = []Spec{
	{Name: "common", Soname: "libdoca_common.so.2", Headers: []string{
		"doca_error.h", "doca_types.h", "doca_compat.h", "doca_config.h", "doca_build_config.h",
		"doca_common_defines.h", "doca_version.h", "doca_log.h", "doca_dev.h", "doca_ctx.h", "doca_pe.h",
		"doca_mmap.h", "doca_buf.h", "doca_buf_inventory.h", "doca_buf_pool.h",
	}},
	{Name: "dma", Soname: "libdoca_dma.so.2", Headers: []string{"doca_dma.h"}},
	{Name: "comch", Soname: "libdoca_comch.so.2", Headers: []string{"doca_comch.h", "doca_comch_consumer.h", "doca_comch_producer.h"}},
	{Name: "argp", Soname: "libdoca_argp.so.2", Headers: []string{"doca_argp.h"}},
}

// SpecsFor returns the named libraries in the order of their dependencies; common is
// always among them. A name that no Spec has is returned as unknown.
func SpecsFor(names []string) (specs []Spec, unknown string) {
	want := map[string]bool{"common": true}
	for _, n := range names {
		want[n] = true
	}
	for _, s := range Specs {
		if want[s.Name] {
			specs = append(specs, s)
			delete(want, s.Name)
		}
	}
	for _, n := range names {
		if want[n] {
			return nil, n
		}
	}
	return specs, ""
}
