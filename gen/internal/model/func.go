package model

import "github.com/go-doca/go-doca/gen/internal/cparse"

// Func is a C function and its Go form.
type Func struct {
	Decl
	C      *cparse.Func `json:"-"`
	Soname string       `json:"soname,omitempty"` // of the library that exports it; none of an inline function
	Params []*Param     `json:"params,omitempty"`
	Ret    Ret          `json:"ret"`
	// Ring is set where callbacks may run during the call: the Go form takes the
	// ring that they write to.
	Ring bool `json:"ring,omitempty"`
	// Launch is set for a variadic function that starts code on a device: the Go form takes
	// any number of integers and handles for it.
	Launch bool `json:"launch,omitempty"`
	// Inline is the body of a static inline function, in tokens.
	Inline []string `json:"inline,omitempty"`
	// Format is set for a printf-like function: the Go form takes the finished text.
	Format bool `json:"format,omitempty"`
	// Calls are the library functions that an inline function's body uses.
	Calls []string `json:"-"`
	// Opens are the records whose members an inline function's body uses, as C names them.
	Opens []string `json:"-"`
}

// Ret is what a C function returns.
type Ret struct {
	Mode RetMode `json:"mode"`
	Type *GoType `json:"type,omitempty"`
}

// RetMode says what becomes of the return value.
type RetMode string

// What a C function can return.
const (
	RetStatus RetMode = "status" // doca_error_t, the Go error
	RetVoid   RetMode = "void"
	RetValue  RetMode = "value"
	RetString RetMode = "string" // const char *
	RetRecord RetMode = "record" // a complete record by value
)

// Param is one C parameter.
type Param struct {
	CName  string       `json:"c"`
	GoName string       `json:"go"`
	C      *cparse.Type `json:"-"`
	Mode   Mode         `json:"mode"`
	Type   *GoType      `json:"type,omitempty"`
	// Pair is the index of the parameter that goes with it: the length of bytes, the
	// count of a list.
	Pair int `json:"pair,omitempty"`
	// Dims are the parameters that are the dimensions of a matrix.
	Dims []int `json:"dims,omitempty"`
	// Counts are the arrays that a count is for, if there are several.
	Counts []int `json:"counts,omitempty"`
	// Size is the size of a fixed buffer, SizeMacro where it comes from.
	Size      int           `json:"size,omitempty"`
	SizeMacro string        `json:"size_macro,omitempty"`
	Sizes     map[int64]int `json:"sizes,omitempty"` // in bytes, by the value of an enumeration
	Callback  *Callback     `json:"-"`
	Go        *GoFunc       `json:"-"` // of a callback that C waits for, if there is a Go form
}

// Width is the size of a number in bytes.
func (p *Param) Width() int { return underlying(p.C).Size }

// Number is the Go form of a number, of one that Go implies as well.
func (p *Param) Number() *GoType {
	if w, ok := wordTypes[p.C.Name]; ok {
		return &w
	}
	return intType(underlying(p.C))
}

// Mode says how a C parameter appears in Go.
type Mode string

// The modes of parameters, by direction.
const (
	InValue  Mode = "in"       // a scalar, an enum, a handle, a pointer, union doca_data
	InString Mode = "string"   // const char *
	InBytes  Mode = "bytes"    // const void * and the next parameter, a length
	InData   Mode = "data"     // const union doca_data *, by value in Go
	InList   Mode = "list"     // T **, a slice that a list function returned
	InArgv   Mode = "argv"     // char **, with the count in front
	InRaw    Mode = "raw"      // a C function pointer
	InGo     Mode = "go"       // a Go function, in the other form of a function with C function pointers
	InFormat Mode = "format"   // the format of a printf-like function
	InTramp  Mode = "callback" // a generated trampoline
	InSlice  Mode = "slice"    // T[] and its count, used during the call
	InC      Mode = "c-slice"  // the same, in memory of C: it may be used later
	InMatrix Mode = "matrix"   // uint8_t * to as many bytes as the product of Dims
	InSized  Mode = "sized"    // const void * to as many bytes as the next parameter, an enumeration, stands for
	InArray  Mode = "array"    // const uint8_t[N]
	InStruct Mode = "struct"   // a pointer to a complete record
	InRecord Mode = "record"   // a complete record by value
	OutValue Mode = "out"      // T *: a scalar, an enum, a handle, a pointer, union doca_data
	OutBool  Mode = "out-bool" // uint8_t * that is a flag
	OutText  Mode = "out-text" // const char **
	OutChars Mode = "out-str"  // char * of a known size
	OutArray Mode = "out-arr"  // uint8_t * of a known size
	OutList  Mode = "out-list" // T *** and its count
	OutView  Mode = "out-view" // const void ** and its length
	Implied  Mode = "implied"  // the length or count of another parameter
)

// IsOut tells whether the parameter is a result in Go.
func (m Mode) IsOut() bool {
	switch m {
	case OutValue, OutBool, OutText, OutChars, OutArray, OutList, OutView:
		return true
	}
	return false
}

// GoType is the Go form of a C type.
type GoType struct {
	Kind TypeKind `json:"kind"`
	Pkg  string   `json:"pkg,omitempty"` // "abi", a library, or empty for a predeclared type
	Name string   `json:"name"`
	C    string   `json:"c"` // how the shim's prototype spells it
}

// TypeKind groups the Go types by how they cross the border.
type TypeKind string

// The kinds of Go types.
const (
	Scalar  TypeKind = "scalar" // bool, integers, floats
	EnumK   TypeKind = "enum"
	Handle  TypeKind = "handle"  // pointer to an opaque struct
	Pointer TypeKind = "pointer" // void *
	Address TypeKind = "address" // void * that may be no address of this process: a number
	DataK   TypeKind = "data"    // union doca_data
	Record  TypeKind = "record"  // complete struct or union
)
