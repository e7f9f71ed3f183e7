// Package model turns C declarations into DOCA's API: libraries, objects, tasks,
// events, capability queries, callbacks, and for every function the Go form of its
// parameters and results.
//
// What comes in is a [cparse.API] and the libraries that its headers make up ([Plan], [Spec]); what goes
// out of [Build] is a [Model]: plain data, so it can be printed as JSON (gen list -json), written as a
// ledger (ledger.go) and compared. Every declaration is in it: bound, or skipped with the reason.
//
// The package knows DOCA's naming and calling patterns, not single functions; the exceptions are the
// tables known (library.go) and addresses (addresses.go). Build goes over the headers of each library:
//
//   - owners.go decides which library a type belongs to, where several declare it.
//   - enums.go, structs.go (with layout.go and members.go) and build.go bind types and constants.
//   - params.go, pointers.go, arrays.go, gofunc.go and inline.go decide the Go form of each function; callbacks.go and slots.go
//     what a callback leaves in a record.
//   - patterns.go finds what several functions form together: objects, tasks, capability queries.
//
// names.go gives all of them their Go names. Where a pattern leaves a doubt, the careful form is taken: an
// unsafe.Pointer in place of a slice, or no binding.
package model

import (
	"cmp"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// Model is the API of one SDK version as it will be bound.
type Model struct {
	Version cparse.Version `json:"version"`
	// Release is that of the newest declarations, where they have been added to the headers of an older version: "3.2".
	Release   string     `json:"release,omitempty"`
	Libraries []*Library `json:"libraries"`
	Notes     []string   `json:"notes,omitempty"`
	// API is what the model was built from.
	API *cparse.API `json:"-"`
}

// Newest is the version of the newest declarations: that of the headers, or a release of which they have additions.
func (m *Model) Newest() string { return cmp.Or(m.Release, m.Version.String) }

// Library is one DOCA library and the Go package that binds it.
type Library struct {
	Name         string           `json:"name"`             // also the name of the Go package
	Prefix       string           `json:"prefix,omitempty"` // of its C names behind doca_
	Soname       string           `json:"soname"`           // "libdoca_dma.so.2"
	ByName       string           `json:"-"`                // the soname that follows from the name
	Base         bool             `json:"base,omitempty"`   // bound elsewhere: others use its types
	Headers      []*Header        `json:"headers"`
	Enums        []*Enum          `json:"enums,omitempty"`
	Objects      []*Object        `json:"objects,omitempty"`
	Structs      []*Struct        `json:"structs,omitempty"`
	Typedefs     []*Typedef       `json:"typedefs,omitempty"`
	Constants    []*Constant      `json:"constants,omitempty"`
	Funcs        []*Func          `json:"functions,omitempty"`
	DeviceFuncs  []*DeviceFunc    `json:"device_functions,omitempty"`
	Kernels      []*Kernel        `json:"kernels,omitempty"`
	Callbacks    []*Callback      `json:"callbacks,omitempty"`
	Tasks        []*Task          `json:"tasks,omitempty"`
	Capabilities []*CapabilitySet `json:"capabilities,omitempty"`
	Queries      string           `json:"queries,omitempty"` // the name of the list of all capabilities of a device
	Skipped      []Skip           `json:"skipped,omitempty"`
	// Declared counts the declarations of the library's headers; what is bound and
	// what is skipped add up to it.
	Declared int `json:"declared"`
	Bound    int `json:"bound"`
}

// ForDevice tells whether the library is for code that runs on a device: no program on the host
// can call it.
func (l *Library) ForDevice() bool { return strings.HasSuffix(l.Soname, ".a") }

// Header is one header of a library.
type Header struct {
	Name string `json:"name"` // "doca_dma.h"
	Doc  string `json:"doc,omitempty"`
}

// Skip is a declaration that is not bound, and why.
type Skip struct {
	Header string `json:"header"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Decl is what all declarations have in common.
type Decl struct {
	CName     string           `json:"c"`
	GoName    string           `json:"go"`
	Header    string           `json:"header"`
	Doc       string           `json:"doc,omitempty"`
	Stability cparse.Stability `json:"stability,omitempty"`
}

// Enum is an enumeration with a Go type of its own.
type Enum struct {
	Decl
	Tagged bool        `json:"tagged"` // else CName is a typedef
	Type   string      `json:"type"`   // "int32_t"
	Consts []EnumConst `json:"constants"`
}

// EnumConst is one value of an Enum.
type EnumConst struct {
	CName  string `json:"c"`
	GoName string `json:"go"`
	Value  int64  `json:"value"`
	// Unsigned is set where Value is the bit pattern of a number above the largest int64.
	Unsigned bool   `json:"unsigned,omitempty"`
	Doc      string `json:"doc,omitempty"`
}

// Object is an opaque C struct, and what can be done with it.
type Object struct {
	Decl
	Create  string   `json:"create,omitempty"`
	Destroy string   `json:"destroy,omitempty"`
	AsCtx   string   `json:"as_ctx,omitempty"`
	Start   string   `json:"start,omitempty"`
	Stop    string   `json:"stop,omitempty"`
	Setters []string `json:"set,omitempty"`
	Getters []string `json:"get,omitempty"`
}

// Typedef is a scalar typedef: an alias in Go, or a type of its own if it is Distinct.
type Typedef struct {
	Decl
	Type *GoType `json:"type"`
	// Distinct is set for what code on a device works with: handles and addresses. Their types keep a program
	// from passing one in place of another, which C does not.
	Distinct bool `json:"distinct,omitempty"`
}

// DeviceFunc is a function for code on a device. No program on the host can call it: it has no Go form, and the
// package documentation describes it.
type DeviceFunc struct {
	Decl
	C *cparse.Func `json:"-"`
}

// Constant is a macro with a value, or an enumerator without a type.
type Constant struct {
	Decl
	// Value is the Go literal: a number, or a quoted string.
	Value string `json:"value"`
	// Enumerator is set where it is of an enumeration without a tag.
	Enumerator bool `json:"enumerator,omitempty"`
}

// Callback is one role in which the library calls back: a trampoline, and the kind
// of the records it writes.
type Callback struct {
	Func     string        `json:"function"` // the function that installs it
	Param    string        `json:"param"`
	Type     string        `json:"type"` // the C callback type
	GoName   string        `json:"go"`   // "TaskMemcpyCompletion"; the constant has Kind in front
	CName    string        `json:"c"`    // of the trampoline
	Hash     uint32        `json:"hash"`
	Header   string        `json:"header"`
	Args     []CallbackArg `json:"args"`
	Task     string        `json:"task,omitempty"` // struct tag of the task it completes
	AsTask   string        `json:"as_task,omitempty"`
	Failed   bool          `json:"failed,omitempty"` // the task failed: the record takes its status
	Ctx      *CtxPath      `json:"ctx,omitempty"`    // set where the user data of the context is no argument
	Function *cparse.Type  `json:"-"`
}

// CtxPath leads from an object that a callback is given to the user data of the context that
// the callback belongs to: three functions, each called with the result of the one before.
type CtxPath struct {
	Object   string `json:"object"` // struct tag
	Owner    string `json:"owner"`  // doca_comch_server_get_server_ctx
	AsCtx    string `json:"as_ctx"` // doca_comch_server_as_ctx
	UserData string `json:"user_data"`
}

// CallbackArg is a parameter of a callback and its place in the record.
type CallbackArg struct {
	Name  string `json:"name"`
	CType string `json:"type"`
	Slot  Slot   `json:"slot"`
	Index int    `json:"index,omitempty"` // of Args
	Len   string `json:"len,omitempty"`   // the parameter that holds a payload's length, or the number of an array's elements
	// Type and GoName are of what follows the record: an element of the array, or the number.
	Type   *GoType `json:"-"`
	GoName string  `json:"go,omitempty"`
}

// Slot is a place in a record.
type Slot string

// The places of a record.
const (
	SlotObject  Slot = "Object"
	SlotPeer    Slot = "Peer"
	SlotUser    Slot = "User"
	SlotCtx     Slot = "Ctx"
	SlotArg     Slot = "Args"
	SlotPayload Slot = "Payload"
	SlotMore    Slot = "More" // behind the record, in its payload
	SlotNone    Slot = ""     // a type tag without content, or a payload's length
)

// Task is a task type of a context.
type Task struct {
	CName     string      `json:"c"`  // struct tag
	GoName    string      `json:"go"` // "TaskMemcpy"
	Header    string      `json:"header"`
	SetConf   string      `json:"set_conf,omitempty"`
	AllocInit string      `json:"alloc_init,omitempty"`
	AsTask    string      `json:"as_task,omitempty"`
	Buffers   []TaskField `json:"buffers,omitempty"`
	Setters   []string    `json:"set,omitempty"`
	Getters   []string    `json:"get,omitempty"`
	// Of are the objects that have such tasks, where there is more than one: SetConf and
	// AllocInit are empty then.
	Of []TaskOf `json:"of,omitempty"`
}

// TaskOf is what one of several objects has for a task type.
type TaskOf struct {
	SetConf   string `json:"set_conf"`
	AllocInit string `json:"alloc_init"`
}

// Once tells that a task does one operation: nothing can aim it at another.
func (t *Task) Once() bool { return len(t.Setters) == 0 && len(t.Pools()) > 0 }

// Pools are the objects that have such tasks, one or more.
func (t *Task) Pools() []TaskOf {
	if t.SetConf != "" && t.AllocInit != "" {
		return []TaskOf{{t.SetConf, t.AllocInit}}
	}
	return t.Of
}

// TaskField is a buffer of a task that a setter can exchange.
type TaskField struct {
	GoName string `json:"go"` // "Src"
	Setter string `json:"setter"`
}

// CapabilitySet is all capability queries of one object that need the same thing.
type CapabilitySet struct {
	GoName  string       `json:"go"` // "Capabilities", "MmapCapabilities"
	Of      *GoType      `json:"of"` // what the queries take
	Header  string       `json:"header"`
	Queries []Capability `json:"queries"`
}

// Capability is one query of a set.
type Capability struct {
	Func   *Func   `json:"-"`
	CName  string  `json:"c"`
	GoName string  `json:"go"`   // the field
	Type   *GoType `json:"type"` // of the field
	Status bool    `json:"status,omitempty"`
}
