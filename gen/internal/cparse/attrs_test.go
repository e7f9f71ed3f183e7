package cparse

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStability(t *testing.T) {
	const macros = `
#define DOCA_USED __attribute__((used))
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED
#define DOCA_EXPERIMENTAL __attribute__((deprecated("Symbol is defined as experimental"), section(".text.experimental"))) DOCA_STABLE
#define DOCA_DEPRECATED __attribute__((deprecated("Symbol is defined as deprecated"), section(".text.deprecated"))) DOCA_STABLE
#define __DOCA_EXPERIMENTAL __attribute__((section(".text.experimental")))
#define ANOTHER_NAME DOCA_EXPERIMENTAL
`
	tests := []struct {
		c    string
		want Stability
	}{
		{"DOCA_STABLE int f(void);", Stable},
		{"DOCA_STABLE\nint f(void);", Stable},
		{"DOCA_EXPERIMENTAL int f(void);", Experimental},
		{"__DOCA_EXPERIMENTAL int f(void);", Experimental},
		{"ANOTHER_NAME int f(void);", Experimental},
		{"DOCA_DEPRECATED int f(void);", Deprecated},
		{"DOCA_EXPERIMENTAL DOCA_DEPRECATED int f(void);", Deprecated},
		{"DOCA_STABLE DOCA_EXPERIMENTAL int f(void);", Experimental},
		{"int f(void);", Unmarked},
		{"extern DOCA_EXPERIMENTAL int f(void);", Experimental},
		{"int f(void) DOCA_EXPERIMENTAL;", Experimental},
		{"int DOCA_STABLE f(void);", Stable},
		{`__attribute__((visibility("default"))) int f(void);`, Stable},
		{`__attribute__((visibility("hidden"))) int f(void);`, Unmarked},
		{`__attribute__((section(".text.experimental"))) int f(void);`, Experimental},
		{`__attribute__((deprecated)) int f(void);`, Deprecated},
		{`__attribute__((__deprecated__("use g"))) int f(void);`, Deprecated},
		{"int f(void) __attribute__((nonnull));", Unmarked},
		{"static inline int f(void) { return 0; }", Inline},
		{"static int f(void) { return 0; }", Inline},
		{"DOCA_STABLE static inline int f(void) { return 0; }", Stable},
	}
	for _, tt := range tests {
		t.Run(tt.c, func(t *testing.T) {
			assert.Equal(t, tt.want, fn(t, parseHeader(t, macros+tt.c+"\n"), "f").Stability)
		})
	}
}
