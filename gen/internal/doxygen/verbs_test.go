package doxygen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPredicate(t *testing.T) {
	t.Parallel()
	for brief, want := range map[string]string{
		"Apply it": "applies it", "Destroy it": "destroys it", "Pass it": "passes it", "Push it": "pushes it", "Fetch it": "fetches it",
		"Undo it": "undoes it", "Setup it": "sets up it", "Is it": "is it", "Gets it": "gets it", "Get/set it": "gets/sets it",
		"Stop, then destroy it": "stops, then destroys it", "The one": "is the one", "Connect or reconnect": "connects or reconnects",
	} {
		t.Run(brief, func(t *testing.T) {
			have, ok := predicate(brief)
			assert.True(t, ok)
			assert.Equal(t, want, have)
		})
	}
	for _, brief := range []string{"", "Size of it", "Name of it", "GET it", "42", "doca_x"} {
		t.Run(brief, func(t *testing.T) {
			have, ok := predicate(brief)
			assert.False(t, ok)
			assert.Empty(t, have)
		})
	}
}

func TestLowerFirst(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Opens it": "opens it", "A thing": "a thing", "DMA is fast": "DMA is fast", "BlueField": "BlueField", "X axis": "X axis",
		"Linux has it": "Linux has it", "InfiniBand": "InfiniBand", "[Buf] is it": "[Buf] is it", "": "", "I": "I", "Q2 it": "Q2 it", "Sf_x": "Sf_x",
	} {
		t.Run(s, func(t *testing.T) {
			assert.Equal(t, want, LowerFirst(s))
		})
	}
}
