package cparse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWeight has types that a few lines spell and that no memory could hold
// written out: they cost themselves and what uses them.
func TestWeight(t *testing.T) {
	t.Parallel()
	const n = 30
	nested := "struct doca_nested { " + strings.Repeat("struct { ", n) + "int x;"
	chain := "typedef void (*doca_c0)(int);\n"
	array := "struct doca_a0 { int x; };\n"
	for i := range n {
		nested += fmt.Sprintf(" } a%d[2], b%d;", i, i)
		array += fmt.Sprintf("struct doca_a%d { struct doca_a%d a[2], b; };\n", i+1, i)
	}
	for i := range 8 {
		chain += fmt.Sprintf("typedef doca_c%d (*doca_c%d)(doca_c%d, doca_c%d);\n", i, i+1, i, i)
	}
	h := parseHeader(t, nested+" };\n"+chain+array+"int doca_f(struct doca_a30 *a);\nvoid doca_g(doca_c8 c);\n")
	require.Len(t, h.Problems, 4)
	assert.Equal(t, "struct doca_nested: a struct in it: more than 10000 parts", h.Problems[0].Text)
	assert.Equal(t, "doca_c7: a type of more than 10000 parts", h.Problems[1].Text)
	assert.Equal(t, "typedef doca_c7 could not be read", h.Problems[2].Text)
	assert.Contains(t, h.Problems[3].Text, "doca_g: ")
	fn(t, h, "doca_f")
	assert.Len(t, h.Records, n+1, "tags are followed by nobody")
	assert.Less(t, len(strings.Join((&API{Headers: []*Header{h}}).Lines(), "")), 100_000)
}
