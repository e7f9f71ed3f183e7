package model

import (
	"slices"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// addresses are the parameters that are addresses of another process where a memory map is imported. The
// garbage collector ends a program that has one as a pointer, if this process has its heap there: they
// are numbers in Go. So C keeps what only a number refers to, and who calls such a function with
// memory of Go's has it pinned already, for the map.
var addresses = map[string][]string{
	"doca_mmap_get_memrange":               {"addr"},         // the exporter's range
	"doca_buf_get_head":                    {"head"},         // of a buffer on such a map
	"doca_buf_get_data":                    {"data"},         // the same
	"doca_buf_set_data":                    {"data"},         // the same
	"doca_buf_inventory_buf_get_by_args":   {"addr", "data"}, // within the map that is passed as well
	"doca_buf_inventory_buf_get_by_addr":   {"addr"},         // the same
	"doca_buf_inventory_buf_get_by_data":   {"data"},         // the same
	"doca_buf_inventory_buf_reuse_by_args": {"addr", "data"}, // within the map that the buffer has
	"doca_buf_inventory_buf_reuse_by_addr": {"addr"},         // the same
	"doca_buf_inventory_buf_reuse_by_data": {"data"},         // the same
}

// IsAddress tells whether a parameter is an address of memory that may be another process's.
func (p *Param) IsAddress() bool { return p.Type != nil && p.Type.Kind == Address }

// PointsToPointers tells whether a parameter is memory that the caller has with pointers in it.
func (p *Param) PointsToPointers() bool {
	if p.Mode != InValue || p.Type == nil || p.Type.Kind != Pointer {
		return false
	}
	u := underlying(p.C)
	return (u.Kind == cparse.Pointer || u.Kind == cparse.Array) && underlying(u.Elem).Kind == cparse.Pointer
}

// addressed makes a number of a parameter that came out as a pointer to memory.
func addressed(fn *Func, p *Param) {
	if slices.Contains(addresses[fn.CName], p.CName) && (p.Mode == InValue || p.Mode == OutValue) && p.Type.Kind == Pointer {
		p.Type = &GoType{Address, "", "uintptr", "uintptr_t"}
	}
}
