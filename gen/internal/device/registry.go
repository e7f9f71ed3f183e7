package device

import (
	"fmt"
	"strings"
)

// Registry is the C that a source gets behind its own: for each kernel a function that collects the arguments of a variadic
// call, and one that calls the kernel with them. Arguments lie one after the other at multiples of 8 bytes. Their names
// begin with prefix.
func (u *Unit) Registry(prefix string) string {
	var b strings.Builder
	for _, k := range u.Kernels {
		offsets, _ := k.layout()
		fmt.Fprintf(&b, "\nvoid %scollect_%s(void *args, __builtin_va_list *ap)\n{\n\t(void)args;\n\t(void)ap;\n", prefix, k.Name)
		for i, p := range k.Params {
			fmt.Fprintf(&b, "\t{\n\t\t%s arg = __builtin_va_arg(*ap, %s);\n\t\t_Static_assert(sizeof(arg) == %d, \"size\");\n"+
				"\t\t__builtin_memcpy((char *)args + %d, &arg, sizeof(arg));\n\t}\n", p.C, p.Passed, p.Size, offsets[i])
		}
		fmt.Fprintf(&b, "}\n\n__UINT64_TYPE__ %scall_%s(const void *args)\n{\n\t(void)args;\n", prefix, k.Name)
		var names []string
		for i, p := range k.Params {
			name := fmt.Sprintf("emu_arg%d", i)
			names = append(names, name)
			fmt.Fprintf(&b, "\t%s %s;\n\t__builtin_memcpy(&%s, (const char *)args + %d, sizeof(%s));\n", p.C, name, name, offsets[i], name)
		}
		call := fmt.Sprintf("%s(%s);\n", k.Name, strings.Join(names, ", "))
		if k.RPC {
			fmt.Fprintf(&b, "\treturn (__UINT64_TYPE__)%s}\n", call)
		} else {
			fmt.Fprintf(&b, "\t%s\treturn 0;\n}\n", call)
		}
	}
	return b.String()
}

// layout places the arguments.
func (k *Kernel) layout() (offsets []int64, size int64) {
	const unit = 8
	for _, p := range k.Params {
		offsets = append(offsets, size)
		size += (p.Size + unit - 1) / unit * unit
	}
	return offsets, size
}

// Ops is the variable of the device library that points to the emulator's functions.
const Ops = "emu_dpa_dev_ops"

// App names the symbols of an application.
type App struct {
	Name   string // as the host knows it
	Symbol string // of the variable that points to its description
	Kernel string // begins the symbols of kernels; empty, these are as in their source
	Prefix string // begins all other symbols
	Ops    string // symbol of the pointer to the emulator's functions, by which the device library calls them
}

// Describe is the C of the application's description, for a source that has included emu_dpa_app.h.
func (a *App) Describe(kernels []*Kernel) string {
	var b strings.Builder
	for _, k := range kernels {
		fmt.Fprintf(&b, "extern doca_dpa_func_t %skernel_%s __asm__(\"%s%s\");\n", a.Prefix, k.Name, a.Kernel, k.Name)
		fmt.Fprintf(&b, "void %scollect_%s(void *args, va_list *ap);\nuint64_t %scall_%s(const void *args);\n", a.Prefix, k.Name, a.Prefix, k.Name)
	}
	fmt.Fprintf(&b, "\nextern const struct emu_dpa_dev_ops *%sops __asm__(\"%s\");\nconst struct emu_dpa_dev_ops *%sops;\n", a.Prefix, a.Ops, a.Prefix)
	fmt.Fprintf(&b, "\nstatic const struct emu_dpa_func %sfuncs[] = {\n", a.Prefix)
	for _, k := range kernels {
		_, size := k.layout()
		fmt.Fprintf(&b, "\t{\n\t\t.name = \"%s\",\n\t\t.func = %skernel_%s,\n\t\t.is_rpc = %d,\n\t\t.is_thread = %d,\n\t\t.args_size = %d,\n\t\t.collect = %scollect_%s,\n\t\t.call = %scall_%s,\n\t},\n",
			k.Name, a.Prefix, k.Name, number(k.RPC), number(k.Thread()), size, a.Prefix, k.Name, a.Prefix, k.Name)
	}
	fmt.Fprintf(&b, "};\n\nstatic struct doca_dpa_app %sdescription = {\n\t.abi = EMU_DPA_APP_ABI,\n\t.num_funcs = %d,\n\t.name = \"%s\",\n\t.funcs = %sfuncs,\n\t.ops = &%sops,\n};\n",
		a.Prefix, len(kernels), a.Name, a.Prefix, a.Prefix)
	fmt.Fprintf(&b, "\nextern struct doca_dpa_app *%sapp __asm__(\"%s\");\nstruct doca_dpa_app *%sapp = &%sdescription;\n", a.Prefix, a.Symbol, a.Prefix, a.Prefix)
	return b.String()
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
