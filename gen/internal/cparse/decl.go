// Package cparse reads DOCA's C headers with modernc.org/cc/v4. It knows C, not DOCA: what a
// declaration means is the business of package model.
//
// What comes in is a directory and the names of headers ([Config]); what goes out is an [API]: the
// functions, records, enumerations, typedefs and macros of each header as plain data, with comments,
// positions and DOCA's marks of stability. A header that cannot be read is a [ParseError] with file and
// line, or with Config.KeepGoing a Problem of that header alone.
//
// Parse works in units, translation units that include headers and nothing else: one for all host
// headers, one for all device headers, and one for each header that spoils those. Each goes this way:
//
//   - files.go, source.go, scan.go and overlay.go read the files for cc/v4, note their comments and
//     directives, and change what its scanner does not take, without moving a line.
//   - hostile.go preprocesses the unit and refuses what cc/v4 would not survive.
//   - translate.go has cc/v4 parse and type-check it, and takes out the declarations that cc/v4 does
//     not understand though the C compiler does. Third-party headers that are not installed are stand-ins
//     (standins.go), or their types are made up (absent.go).
//   - collect.go and what it calls (specifiers.go, types.go, records.go, macros.go, comments.go) turn
//     cc/v4's syntax tree into the API.
//
// With Config.Layouts, layout.go asks the C compiler for sizes and offsets, for cc/v4 gets some wrong.
package cparse

// API is everything a set of headers declares, in the order of Headers.
type API struct {
	Version Version   `json:"version"`
	Headers []*Header `json:"headers"`
	// Notes say what was done so that a header parses: a stand-in for a missing
	// third-party include, a rewritten construct.
	Notes []string `json:"notes,omitempty"`
}

// Version is the SDK version, read from doca_version.h.
type Version struct {
	Major  int    `json:"major"`
	Minor  int    `json:"minor"`
	Patch  int    `json:"patch"`
	String string `json:"string"` // as the header spells it, "3.0.0058"
}

// Header holds the declarations whose place is one header file.
type Header struct {
	Name     string     `json:"name"` // base name, "doca_dma.h"
	Doc      string     `json:"doc,omitempty"`
	Includes []string   `json:"includes,omitempty"` // base names of DOCA headers it includes directly
	Funcs    []*Func    `json:"functions,omitempty"`
	Enums    []*Enum    `json:"enums,omitempty"`
	Records  []*Record  `json:"records,omitempty"`
	Typedefs []*Typedef `json:"typedefs,omitempty"`
	Macros   []*Macro   `json:"macros,omitempty"`
	// FuncMacros are the names of the function-like macros, which have no value to report.
	FuncMacros []string `json:"funcMacros,omitempty"`
	// Problems are declarations that could not be read; each costs only itself.
	Problems []Problem `json:"problems,omitempty"`
	// Unread tells that the header could not be read at all: Problems has why.
	Unread bool `json:"unread,omitempty"`
}

// Pos is a place in a header.
type Pos struct {
	File string `json:"file"` // base name
	Line int    `json:"line"`
}

// Stability is the tier that a declaration's macro promises.
type Stability string

// The tiers that DOCA has; what has no macro has none.
const (
	Stable       Stability = "stable"
	Experimental Stability = "experimental"
	Deprecated   Stability = "deprecated"
	Inline       Stability = "inline" // static inline: not a symbol of the library
	Unmarked     Stability = ""
)

// Func is one function declaration or static inline definition.
type Func struct {
	Name     string  `json:"name"`
	Ret      *Type   `json:"ret"`
	Params   []Param `json:"params,omitempty"`
	Variadic bool    `json:"variadic,omitempty"`
	Inline   bool    `json:"inline,omitempty"`
	Body     string  `json:"body,omitempty"` // of an inline function: the tokens between its braces, separated by blanks
	// Label is the symbol that an assembler label gives it in place of its name, __asm__("other"), or #pragma redefine_extname.
	Label     string    `json:"label,omitempty"`
	Stability Stability `json:"stability,omitempty"`
	Doc       string    `json:"doc,omitempty"` // the raw /** */ block, stars removed
	Pos       Pos       `json:"pos"`
}

// Param is a parameter of a function or function type; Name may be empty.
type Param struct {
	Name string `json:"name"`
	Type *Type  `json:"type"`
}

// Enum is a complete enumeration.
type Enum struct {
	Name   string       `json:"name"` // tag; empty when anonymous
	Consts []*EnumConst `json:"constants"`
	Packed bool         `json:"packed,omitempty"`
	// Typedef is the first typedef name of an enumeration declared without a tag.
	Typedef string  `json:"typedef,omitempty"`
	Layout  *Layout `json:"layout,omitempty"` // see Config.Layouts
	Doc     string  `json:"doc,omitempty"`
	Pos     Pos     `json:"pos"`
}

// EnumConst is one enumerator.
type EnumConst struct {
	Name string `json:"name"`
	// Value is the enumerator's value. With Unsigned it is the bit pattern of a
	// value above the largest int64.
	Value    int64  `json:"value"`
	Unsigned bool   `json:"unsigned,omitempty"`
	Doc      string `json:"doc,omitempty"`
}

// Record is a struct or union, complete or opaque.
type Record struct {
	Kind     string   `json:"kind"` // "struct" or "union"
	Name     string   `json:"name"` // tag
	Complete bool     `json:"complete"`
	Attrs    []string `json:"attrs,omitempty"` // "packed", "aligned(8)"
	Pack     int      `json:"pack,omitempty"`  // of the #pragma pack in force, 0 where there is none
	Fields   []*Field `json:"fields,omitempty"`
	// Typedef is the first typedef name of a record declared without a tag.
	Typedef string  `json:"typedef,omitempty"`
	Layout  *Layout `json:"layout,omitempty"` // see Config.Layouts
	Doc     string  `json:"doc,omitempty"`
	Pos     Pos     `json:"pos"`
}

// Layout is what the C compiler makes of a record or an enumeration.
type Layout struct {
	Size  int `json:"size"`
	Align int `json:"align"`
	// Offsets are those of the members, by what one writes in C: "a", "in.x",
	// "list[0].y". Bit-fields have none.
	Offsets map[string]int `json:"offsets,omitempty"`
}

// Field is a member of a complete record.
type Field struct {
	Name string  `json:"name"` // empty for an anonymous member
	Type *Type   `json:"type"`
	Bits int     `json:"bits,omitempty"` // width of a bit-field
	Anon *Record `json:"anon,omitempty"` // the untagged record declared in place, of an anonymous member or a named one
	// Attrs are "packed" and "aligned(8)" on the member itself.
	Attrs []string `json:"attrs,omitempty"`
	Doc   string   `json:"doc,omitempty"`
}

// Typedef is a named type.
type Typedef struct {
	Name  string   `json:"name"`
	Type  *Type    `json:"type"`
	Attrs []string `json:"attrs,omitempty"` // "aligned(8)" on the typedef itself
	Doc   string   `json:"doc,omitempty"`
	Pos   Pos      `json:"pos"`
}

// Macro is an object-like macro.
type Macro struct {
	Name  string `json:"name"`
	Value string `json:"value"` // replacement tokens, separated by single blanks
	// Int is the value of a replacement that is an integer constant expression.
	// With Unsigned it is the bit pattern of a value above the largest int64.
	Int      *int64 `json:"int,omitempty"`
	Unsigned bool   `json:"unsigned,omitempty"`
	// Type is the type that C gives a number; nil where it is not known.
	Type *Type `json:"type,omitempty"`
	// Str are the bytes of a replacement that is a string: literals joined,
	// escapes replaced, without the NUL at the end.
	Str *string `json:"str,omitempty"`
	// Float is the value of a replacement that is a floating-point constant.
	Float *float64 `json:"float,omitempty"`
	// NoValue says why there is none of the three. Those whose value depends on
	// the layout of a struct get it with Config.Layouts.
	NoValue string `json:"noValue,omitempty"`
	Doc     string `json:"doc,omitempty"`
	Pos     Pos    `json:"pos"`
}

// Problem is a declaration that could not be read.
type Problem struct {
	Pos  Pos    `json:"pos"`
	Text string `json:"text"`
}

// Kind says what a Type is.
type Kind string

// The kinds of types.
const (
	Void    Kind = "void"
	Bool    Kind = "bool"
	Int     Kind = "int"   // Size and Signed hold; Name is the C spelling ("char", "int", "unsigned long"); char counts as signed on every machine
	Float   Kind = "float" // Size holds
	Pointer Kind = "pointer"
	Array   Kind = "array" // Len is -1 where it has none
	Struct  Kind = "struct"
	Union   Kind = "union"
	EnumT   Kind = "enum"  // Size and Signed hold: 1 or 2 bytes where the enumeration is packed, 8 where a value needs it
	Named   Kind = "named" // a typedef name; Elem is what it stands for, one level down
	FuncT   Kind = "func"
	Other   Kind = "other" // what DOCA's API has no use for, Name is the C spelling (va_list)
)

// Type is a C type as it was written: typedef names are kept.
type Type struct {
	Kind     Kind    `json:"kind"`
	Name     string  `json:"name,omitempty"` // tag, typedef name or spelling
	Const    bool    `json:"const,omitempty"`
	Volatile bool    `json:"volatile,omitempty"` // not that of a pointer itself
	Size     int     `json:"size,omitempty"`
	Signed   bool    `json:"signed,omitempty"`
	Elem     *Type   `json:"elem,omitempty"` // pointer, array, named; result of func
	Len      int     `json:"len,omitempty"`
	Params   []Param `json:"params,omitempty"`
	Variadic bool    `json:"variadic,omitempty"`
	// Decayed marks the pointer that an array parameter is; Len is then the
	// length that was written between the brackets, -1 where there was none.
	Decayed bool `json:"decayed,omitempty"`
}
