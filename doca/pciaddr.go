package doca

import "strings"

// normalPCIAddr returns a PCI address in the form dddd:bb:dd.f, in lower case, and whether
// s is an address. s may lack the domain.
func normalPCIAddr(s string) (string, bool) {
	s = strings.ToLower(s)
	if len(s) == len("bb:dd.f") {
		s = "0000:" + s
	}
	const shape = "xxxx:xx:xx.x"
	if len(s) != len(shape) {
		return "", false
	}
	for i := range len(s) {
		c := s[i]
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if shape[i] == 'x' && !hex || shape[i] != 'x' && c != shape[i] {
			return "", false
		}
	}
	return s, true
}

const pciAddrForm = "want a PCI address in the form dddd:bb:dd.f or bb:dd.f"
