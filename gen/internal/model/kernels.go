package model

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// KernelKind says how a program on the host starts a function on a DPA.
type KernelKind string

// How functions on a DPA are started.
const (
	Launched KernelKind = "kernel" // marked with __dpa_global__
	Called   KernelKind = "rpc"    // marked with __dpa_rpc__
)

// Kernel is a function of a program's own that runs on a DPA.
type Kernel struct {
	Decl
	Kind   KernelKind     `json:"kind"`
	C      *cparse.Func   `json:"-"`
	Params []*KernelParam `json:"params,omitempty"`
	// Thread is set where it can be the function of a DPA thread: its one parameter has 64 bits.
	Thread bool `json:"thread,omitempty"`
}

// KernelParam is a parameter of a Kernel: a number, an enumeration, or a record by value.
type KernelParam struct {
	CName  string       `json:"c"`
	GoName string       `json:"go"`
	C      *cparse.Type `json:"-"`
	Type   *GoType      `json:"type"`
}

// addKernel gives a function its typed form. One that a program cannot start is skipped, and so is one without a mark:
// other code on the device calls it.
func (b *builder) addKernel(h *cparse.Header, f *cparse.Func) {
	kind, marked := b.kernels[f.Name]
	if !marked {
		b.skip(h.Name, "function", f.Name, "not marked with __dpa_global__ or __dpa_rpc__: for code on the device alone")
		return
	}
	k := &Kernel{Decl: decl(f.Name, exported("", f.Name), h.Name, f.Doc, ""), Kind: kind, C: f}
	if err := b.kernel(k); err != nil {
		b.skip(h.Name, string(kind), f.Name, err.Error())
		return
	}
	b.lib.Kernels = append(b.lib.Kernels, k)
	b.bound()
}

func (b *builder) kernel(k *Kernel) error {
	f := k.C
	ret := underlying(f.Ret)
	switch {
	case f.Inline:
		return fmt.Errorf("it is static or inline, so the host has no symbol for it")
	case strings.Contains(f.Name, "$"):
		return fmt.Errorf("there is a dollar sign in its name, which cgo cannot write")
	case f.Label != "":
		return fmt.Errorf("its symbol is %s by a label: the host looks for that of its name", f.Label)
	case f.Variadic:
		return fmt.Errorf("it is variadic: a kernel has a fixed number of arguments")
	case k.Kind == Launched && ret.Kind != cparse.Void:
		return fmt.Errorf("it returns a value: a __dpa_global__ function returns void, and a __dpa_rpc__ function uint64_t")
	case k.Kind == Called && (ret.Kind != cparse.Int || ret.Size != 8):
		return fmt.Errorf("it does not return a 64-bit integer, as a __dpa_rpc__ function must")
	}
	seen := map[string]bool{} // what the Go functions have already
	for _, n := range []string{"dpa", "d", "ctx", "opts", "raw", "result", "err", "rc", "out", "common", "abi", "dpadev", "syncevent", "context", "library", "unsafe"} {
		seen[n] = true
	}
	for i, p := range f.Params {
		t, err := b.argument(p.Type, 0)
		if err != nil {
			return fmt.Errorf("parameter %d (%s): %w", i+1, p.Name, err)
		}
		name := param(p.Name, i)
		if seen[name] {
			name = fmt.Sprintf("%s%d", name, i+1)
		}
		seen[name] = true
		k.Params = append(k.Params, &KernelParam{p.Name, name, p.Type, t})
	}
	k.Thread = k.Kind == Launched && len(f.Params) == 1 && underlying(f.Params[0].Type).Kind == cparse.Int && underlying(f.Params[0].Type).Size == 8
	start := map[KernelKind]string{Launched: "Launch", Called: "Call"}[k.Kind]
	names := []string{start + k.GoName}
	if k.Thread {
		names = append(names, "Func"+k.GoName)
	}
	for _, n := range names {
		if err := b.claimOnly(n, f.Name); err != nil {
			return err
		}
	}
	return nil
}

// argument is the Go form of what a kernel takes. The DPA has neither floating-point numbers nor the memory of the host.
func (b *builder) argument(t *cparse.Type, depth int) (*GoType, error) {
	const deepest = 32
	u := underlying(t)
	switch u.Kind {
	case cparse.Pointer:
		return nil, fmt.Errorf("pointer to host memory, which code on the DPA cannot use: take a doca_dpa_dev_uintptr_t")
	case cparse.Float:
		return nil, fmt.Errorf("floating-point number, which the DPA does not have: take an integer")
	case cparse.Int:
		if u.Size > 8 {
			return nil, fmt.Errorf("integer of %d bytes: take two of 8", u.Size)
		}
	case cparse.Array:
		_, err := b.argument(u.Elem, depth)
		return nil, err
	case cparse.Struct, cparse.Union:
		o := b.records[tagOf(t)]
		if o == nil || !o.complete {
			return nil, fmt.Errorf("%s is not declared with its members", t)
		}
		if depth > deepest {
			return nil, fmt.Errorf("%s holds records too deeply", t)
		}
		if f := b.flexible(o.decl); f != nil {
			return nil, fmt.Errorf("%s by value, whose %s is a flexible array", o.ctype, f.Name)
		}
		if err := b.usable(o.decl, depth); err != nil {
			return nil, fmt.Errorf("%s by value: %w", o.ctype, err)
		}
	}
	if depth > 0 {
		return nil, nil // only the parameter itself needs a type
	}
	return b.resolve(t)
}

// usable looks into a record for what code on the DPA cannot use.
func (b *builder) usable(r *cparse.Record, depth int) error {
	for _, f := range r.Fields {
		var err error
		if f.Anon != nil && (f.Type.Kind == cparse.Struct || f.Type.Kind == cparse.Union) && f.Type.Name == "" {
			err = b.usable(f.Anon, depth+1)
		} else {
			_, err = b.argument(f.Type, depth+1)
		}
		if err != nil {
			return fmt.Errorf("member %s: %w", f.Name, err)
		}
	}
	return nil
}
