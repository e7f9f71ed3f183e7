package model

import (
	"cmp"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// acronyms is the one table that decides capitals.
var acronyms = map[string]string{
	"aes": "AES", "api": "API", "cb": "CB", "cpu": "CPU", "cq": "CQ", "crc": "CRC", "crc32": "CRC32",
	"d2h": "D2H", "dma": "DMA", "dpa": "DPA", "dpdk": "DPDK", "dpi": "DPI", "dpu": "DPU", "eu": "EU",
	"eus": "EUs", "fd": "FD", "gcm": "GCM", "gid": "GID", "gpu": "GPU", "grh": "GRH", "h2d": "H2D",
	"http": "HTTP", "id": "ID", "io": "IO", "ip": "IP", "ipsec": "IPsec", "ipv4": "IPv4", "ipv6": "IPv6",
	"json": "JSON", "lid": "LID", "mac": "MAC", "mpls": "MPLS", "msix": "MSIX", "mtu": "MTU",
	"numa": "NUMA", "pcc": "PCC", "pci": "PCI", "pd": "PD", "pe": "PE", "pf": "PF", "qp": "QP",
	"rdma": "RDMA", "rnr": "RNR", "rpc": "RPC", "rss": "RSS", "sdk": "SDK", "sf": "SF", "sha": "SHA",
	"sha1": "SHA1", "sha256": "SHA256", "sha512": "SHA512", "sl": "SL", "tcp": "TCP", "tls": "TLS",
	"uar": "UAR", "udp": "UDP", "url": "URL", "uuid": "UUID", "vf": "VF", "vhca": "VHCA", "vlan": "VLAN",
	"vuid": "VUID", "vxlan": "VXLAN",
}

// camel joins the words of a C name in Go's way: "dev_id" is DevID.
func camel(words string) string {
	var b strings.Builder
	for w := range strings.FieldsFuncSeq(strings.ToLower(words), apart) {
		if a, ok := acronyms[w]; ok {
			b.WriteString(a)
			continue
		}
		r := []rune(w)
		r[0] = unicode.ToUpper(r[0])
		b.WriteString(string(r))
	}
	s := b.String()
	if s != "" && !unicode.IsUpper([]rune(s)[0]) { // a digit, or a letter that is neither upper nor lower case
		s = "N" + s
	}
	return s
}

// apart reports whether a character separates the words of a C name. Go has no dollar sign, which GCC permits.
func apart(r rune) bool { return r == '_' || r == '$' }

// exported is the Go name of a C name inside its library's package: doca_ goes, with what underscores are in
// front of it, and the library's own prefix ("doca_dma_create" is Create in package dma). What nothing would be left of stays
// as it is.
func exported(prefix, c string) string {
	w := strings.ToLower(c)
	if own, ok := strings.CutPrefix(strings.TrimLeft(w, "_"), "doca_"); ok {
		w = own
	}
	if prefix != "" && w != prefix {
		w = strings.TrimPrefix(w, prefix+"_")
	}
	return cmp.Or(camel(w), camel(c), "Underscores")
}

// keywords are words of C, and macros that GCC defines by itself, which no member can be called.
var keywords = map[string]bool{"auto": true, "break": true, "case": true, "char": true, "const": true, "continue": true, "default": true,
	"do": true, "double": true, "else": true, "enum": true, "extern": true, "float": true, "for": true, "goto": true, "if": true,
	"inline": true, "int": true, "long": true, "register": true, "restrict": true, "return": true, "short": true, "signed": true,
	"sizeof": true, "static": true, "struct": true, "switch": true, "typedef": true, "union": true, "unsigned": true, "void": true,
	"volatile": true, "while": true, "asm": true, "typeof": true, "linux": true, "unix": true, "bool": true, "true": true, "false": true}

// MemberName tells whether a struct can have a member of that name, in C and in Go.
func MemberName(c string) bool {
	return identifier.MatchString(c) && !keywords[c] && FieldName(c) != ""
}

// FieldName is the Go name of a struct's field that has the C name.
func FieldName(c string) string { return camel(c) }

// renamed are parameters whose plain name is taken, by Go or by the wrappers themselves.
var renamed = map[string]string{
	"len": "length", "type": "typ", "func": "fn", "range": "rng", "string": "str", "cap": "capacity",
	"error": "code", "byte": "b", "max": "maximum", "min": "minimum",
}

// ownNames are what the body of a wrapper declares or uses.
var ownNames = map[string]bool{
	"ring": true, "rc": true, "err": true, "C": true, "unsafe": true, "library": true, "abi": true, "common": true,
	"argvC": true, "args": true, "argsC": true, "message": true, "cMessage": true, "text": true, "result": true, "returned": true,
}

// param is the Go name of a C parameter.
func param(c string, index int) string {
	c = strings.TrimFunc(c, apart)
	if c == "" {
		return "arg" + strconv.Itoa(index)
	}
	s := camel(c)
	first := strings.ToLower(strings.FieldsFunc(c, apart)[0])
	s = first + s[min(len(camel(first)), len(s)):]
	if r, ok := renamed[s]; ok {
		return r
	}
	if token.IsKeyword(s) || ownNames[s] || types.Universe.Lookup(s) != nil || outName.MatchString(s) {
		return s + "Value"
	}
	return s
}

// outName matches the variables that shims write results to.
var outName = regexp.MustCompile(`^out\d+n?$`)
