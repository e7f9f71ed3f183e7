package doxygen

import (
	"strings"
	"testing"
)

// What one line of the file cannot have is not in the comment, and all else is.
func TestWhatGoWouldTakeForSomethingElse(t *testing.T) {
	testDocs(t, []docCase{
		{"line ends", "Starts it.\r\n\r\nOne.\rTwo.\r\n", "Copy starts it.\n\nOne. Two."},
		{"the ends of C comments", "Starts it /* at */ once. //go:noinline\n@code\n/* x */ // y\n@endcode", "Copy starts it /* at */ once. //go:noinline.\n\n\t/* x */ // y"},
		{"tabs", "Starts\tit.\n@code\n\tx();\n\t\ty();\n@endcode", "Copy starts it.\n\n\tx();\n\t\ty();"},
		{"bytes that are no UTF-8", "Starts \xff\xfeit.\n@code\n\xff\n@endcode", "Copy starts ?it.\n\n\t?"},
		{"control characters", "Starts\x00 \x01it\x7f.\u2028One\ufeff.", "Copy starts it. One."},
		{"other languages", "Starts übermäßig viel.\n\n日本語。", "Copy starts übermäßig viel.\n\n日本語。."},
		{"what Go would take for something else", "Starts it.\n\n[x]: https://example.com/x\n\n#  a\n\nThe Heading\n\nMore.", "Copy starts it.\n\n[x] https://example.com/x.\n\n# a\n\nThe Heading.\n\nMore."},
		{"quotes", "Starts ``it'' '''.", `Copy starts "it" "'.`},
		{"prose is wrapped", "Starts it.\n\n" + strings.Repeat("word ", 30) + "\n@param dma " + strings.Repeat("words ", 25), `
Copy starts it.

Word word word word word word word word word word word word word word word word word word word
word word word word word word word word word word word.

Parameters:
  - dma: words words words words words words words words words words words words words words
    words words words words words words words words words words words.`},
		{"long words are not", "Starts " + strings.Repeat("x", 120) + " it.", "Copy starts\n" + strings.Repeat("x", 120) + "\nit."},
		{"no line begins an item", "Starts it.\n\n" + strings.Repeat("abcd ", 19) + "- 12. abcd.\n\n- " + strings.Repeat("abcd ", 18) + "abc - 12. abcd", `
Copy starts it.

Abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd - 12.
abcd.

  - abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd abc - 12.
    abcd.`},
	})
}
