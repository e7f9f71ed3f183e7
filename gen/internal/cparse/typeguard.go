package cparse

// maxParts bounds the parts of a function type with the typedefs in it written
// out: cc/v4 compares two such types part by part.
const maxParts = 100_000

// typeGuard follows the tokens of a unit and counts the parts of typedefs.
type typeGuard struct {
	parts map[string]int // by typedef name
	sum   int            // of the typedef that is going on, 0 outside one
	depth int            // open brackets in it
	name  string         // that it declares, as far as one can tell
	fixed bool           // the name stood behind "(*", which nothing later changes
	prev  [2]byte        // first bytes of the last two tokens
}

// see looks at a token and returns the typedef that has too many parts.
func (g *typeGuard) see(b []byte) (name string) {
	defer func() { g.prev[0], g.prev[1] = g.prev[1], b[0] }()
	switch {
	case g.sum == 0:
		if string(b) == "typedef" {
			g.sum, g.depth, g.name, g.fixed = 1, 0, "", false
		}
		return ""
	case b[0] == '(' || b[0] == '[' || b[0] == '{':
		g.depth++
	case b[0] == ')' || b[0] == ']' || b[0] == '}':
		g.depth--
	case b[0] == ';' && g.depth <= 0:
		if g.parts == nil {
			g.parts = map[string]int{}
		}
		name, sum := g.name, g.sum
		g.parts[name], g.sum = sum, 0
		if sum > maxParts {
			return name
		}
	case isIdent(b[0]) && (b[0] < '0' || b[0] > '9'):
		g.sum = min(g.sum+g.parts[string(b)], maxParts+1)
		pointer := g.prev == [2]byte{'(', '*'} || g.prev == [2]byte{'*', '*'} && g.depth == 1
		if !g.fixed && (g.depth == 0 || g.depth == 1 && pointer) {
			g.name, g.fixed = string(b), g.depth == 1
		}
	}
	return ""
}
