package device

import (
	"slices"
	"strings"
)

// InLibc tells whether code for the DPA may take a symbol from the C library: it has the functions of string.h, and the
// formatting of stdio.h. Names with two underscores are those of the compiler's own library.
func InLibc(symbol string) bool {
	return strings.HasPrefix(symbol, "__") || symbol == "_GLOBAL_OFFSET_TABLE_" || slices.Contains(libc, symbol)
}

var libc = []string{
	"abort",
	"memchr", "memcmp", "memcpy", "memmove", "memset",
	"printf", "putchar", "puts", "snprintf", "sprintf", "vprintf", "vsnprintf", "vsprintf",
	"strcat", "strchr", "strcmp", "strcpy", "strcspn", "strlen", "strncat", "strncmp", "strncpy", "strnlen", "strpbrk", "strrchr", "strspn",
	"strstr", "strtok_r",
}
