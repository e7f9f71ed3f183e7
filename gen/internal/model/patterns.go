package model

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// objects fills in what can be done with each opaque struct of the library, by the names of its functions:
// doca_dma_create, doca_dma_as_ctx, doca_mmap_set_memrange, doca_pe_get_notification_handle.
func (b *builder) objects() {
	for _, o := range b.lib.Objects {
		for _, f := range b.lib.Funcs {
			rest, ok := strings.CutPrefix(f.CName, o.CName+"_")
			if !ok || b.longerOwner(o.CName, f.CName) {
				continue
			}
			switch {
			case rest == "create":
				o.Create = f.CName
			case rest == "destroy":
				o.Destroy = f.CName
			case rest == "as_ctx":
				o.AsCtx = f.CName
			case rest == "start":
				o.Start = f.CName
			case rest == "stop":
				o.Stop = f.CName
			case strings.HasPrefix(rest, "set_"):
				o.Setters = append(o.Setters, f.CName)
			case strings.HasPrefix(rest, "get_"):
				o.Getters = append(o.Getters, f.CName)
			}
		}
	}
}

// longerOwner tells whether another object's name fits the function better:
// doca_buf_inventory_start is not a function of doca_buf.
func (b *builder) longerOwner(object, fn string) bool {
	for _, o := range b.lib.Objects {
		if len(o.CName) > len(object) && strings.HasPrefix(fn, o.CName+"_") {
			return true
		}
	}
	return false
}

// tasks finds the types of tasks by their functions: struct doca_dma_task_memcpy is one because of
// doca_dma_task_memcpy_as_task. Its setters that take a doca_buf (..._set_src) make it fit for batches.
// The shims call these functions by the table, which has no inline ones.
func (b *builder) tasks() {
	symbols, byName := b.symbols()
	for _, o := range b.lib.Objects {
		as := byName[b.asTask[o.CName]]
		if as == nil {
			continue
		}
		t := &Task{CName: o.CName, GoName: o.GoName, Header: o.Header, AsTask: as.CName}
		for _, f := range symbols {
			rest, ok := strings.CutPrefix(f.CName, o.CName+"_")
			if !ok {
				continue
			}
			// doca_rdma_task_receive_set_dst_buf_list_len is of the context, not of the task.
			ofTask := len(f.Params) > 0 && pointee(f.Params[0].C) == o.CName
			switch {
			case rest == "set_conf":
				t.SetConf = f.CName
			case rest == "alloc_init", rest == "allocate_init":
				t.AllocInit = f.CName
			case !ofTask:
			case strings.HasPrefix(rest, "set_"):
				t.Setters = append(t.Setters, f.CName)
				if f.Ret.Mode == RetVoid && len(f.Params) == 2 && isBuf(f.Params[1].C) {
					t.Buffers = append(t.Buffers, TaskField{t.bufferName(strings.TrimPrefix(rest, "set_")), f.CName})
				}
			case strings.HasPrefix(rest, "get_"):
				t.Getters = append(t.Getters, f.CName)
			}
		}
		if t.SetConf == "" && t.AllocInit == "" {
			b.several(t)
		}
		b.lib.Tasks = append(b.lib.Tasks, t)
	}
}

// bufferName is the Go name of a further buffer. In lower case it is a member in C, beside one that is called exchange.
func (t *Task) bufferName(word string) string {
	name := camel(word)
	taken := func(b TaskField) bool { return strings.EqualFold(b.GoName, name) }
	if word == "exchange" || !MemberName(strings.ToLower(name)) || slices.ContainsFunc(t.Buffers, taken) {
		name += "Buf"
	}
	for i, plain := 2, name; slices.ContainsFunc(t.Buffers, taken); i++ {
		name = plain + strconv.Itoa(i)
	}
	return name
}

// symbols are the functions of the library that have one.
func (b *builder) symbols() (all []*Func, byName map[string]*Func) {
	byName = map[string]*Func{}
	for _, f := range b.lib.Funcs {
		if !f.C.Inline {
			all, byName[f.CName] = append(all, f), f
		}
	}
	return all, byName
}

// several finds the objects that have tasks of a type under names of their own: doca_comch_task_send has
// doca_comch_client_task_send_alloc_init and doca_comch_server_task_send_alloc_init.
func (b *builder) several(t *Task) {
	symbols, byName := b.symbols()
	for _, f := range symbols {
		stem, ok := AllocStem(f.CName)
		conf := byName[stem+"_set_conf"]
		if !ok || conf == nil || !slices.ContainsFunc(f.Params, func(p *Param) bool { return p.IsTask(t) }) {
			continue
		}
		if slices.ContainsFunc(conf.Params, func(p *Param) bool { return p.Callback != nil && p.Callback.Task == t.CName }) {
			t.Of = append(t.Of, TaskOf{conf.CName, f.CName})
		}
	}
}

// AllocStem is the name of a task's family, where the function allocates such tasks: doca_dma_task_memcpy of
// doca_dma_task_memcpy_alloc_init.
func AllocStem(fn string) (stem string, ok bool) {
	if stem, ok = strings.CutSuffix(fn, "_alloc_init"); !ok {
		stem, ok = strings.CutSuffix(fn, "_allocate_init")
	}
	return stem, ok
}

// IsTask tells whether the parameter returns a task of the type: struct doca_dma_task_memcpy **task.
func (p *Param) IsTask(t *Task) bool {
	u := underlying(p.C)
	return p.Mode == OutValue && u.Kind == cparse.Pointer && pointee(u.Elem) == t.CName
}

// IsBytes tells whether the parameter is bytes that the function reads, and next their number.
func (p *Param) IsBytes(next *Param) bool {
	u := underlying(p.C)
	return u.Kind == cparse.Pointer && isConst(u.Elem) && (underlying(u.Elem).Kind == cparse.Void || isByte(u.Elem)) &&
		isInteger(next.C) && lengthName.MatchString(strings.ToLower(next.CName))
}

// isBuf recognises const struct doca_buf *src.
func isBuf(t *cparse.Type) bool {
	u := underlying(t)
	return u.Kind == cparse.Pointer && underlying(u.Elem).Name == "doca_buf"
}

// capabilities groups the `_cap_` queries by what they take: doca_dma_cap_task_memcpy_is_supported(devinfo) and
// doca_dma_cap_get_max_num_tasks(dma, &n) go to two structs, for one asks a device and one a context. A query without a
// result answers with its status.
func (b *builder) capabilities() {
	sets := map[string]*CapabilitySet{}
	for _, f := range b.lib.Funcs {
		object, query, ok := strings.Cut(f.CName, "_cap_")
		if !ok || f.Ret.Mode != RetStatus || len(f.Params) == 0 || len(f.Params) > 2 || f.Params[0].Mode != InValue || f.Params[0].Type.Kind != Handle {
			continue
		}
		q := Capability{Func: f, CName: f.CName}
		switch {
		case len(f.Params) == 1:
			q.Status, q.Type = true, &GoType{Scalar, "", "bool", "uint8_t"}
		case f.Params[1].Mode == OutValue || f.Params[1].Mode == OutBool:
			q.Type = f.Params[1].Type
		default:
			continue
		}
		for _, cut := range []string{"get_", "is_"} {
			query = strings.TrimPrefix(query, cut)
		}
		for _, cut := range []string{"_get_", "_is_"} {
			query = strings.Replace(query, cut, "_", 1)
		}
		q.GoName = camel(query)
		of := f.Params[0].Type
		key := object + " " + of.Name
		s := sets[key]
		if s == nil {
			name := exported(b.lib.Prefix, object)
			if object == "doca_"+b.lib.Prefix {
				name = ""
			}
			base := strings.TrimPrefix(of.Name, "*")
			if base != "Devinfo" && base != name && !(name == "" && of.Pkg == b.lib.Name) {
				name += "On" + base
			} else if of.Pkg == b.lib.Name && b.lib.Prefix != "" {
				name += "Instance"
			}
			s = &CapabilitySet{GoName: name + "Capabilities", Of: of, Header: f.Header}
			s.GoName = b.claim(s.GoName, "Set", "capabilities of "+key)
			sets[key] = s
		}
		field := q.GoName
		for i := 2; slices.ContainsFunc(s.Queries, func(other Capability) bool { return other.GoName == q.GoName }); i++ {
			q.GoName = field + strconv.Itoa(i)
		}
		s.Queries = append(s.Queries, q)
	}
	for _, s := range sets {
		b.lib.Capabilities = append(b.lib.Capabilities, s)
		if s.Of.Name == "*Devinfo" && b.lib.Queries == "" {
			b.lib.Queries = b.claim("Queries", "List", "all capabilities")
		}
	}
	sort.Slice(b.lib.Capabilities, func(i, j int) bool { return b.lib.Capabilities[i].GoName < b.lib.Capabilities[j].GoName })
}
