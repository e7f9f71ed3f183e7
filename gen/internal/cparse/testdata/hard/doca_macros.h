/** @file
 * Macros of every kind. */
#ifndef HARD_MACROS_H
#define HARD_MACROS_H
#include <stdint.h>
#include <stddef.h>
#include <limits.h>
#include <stdbool.h>
enum hard_e { HARD_E_A = 5, HARD_E_B };
#define HARD_INT 12
#define HARD_NEGATIVE -12
#define HARD_HEX 0x7F
#define HARD_OCTAL 017
#define HARD_BINARY 0b101
#define HARD_SUFFIX 10ULL
#define HARD_CHAR 'x'
#define HARD_CHAR_ESCAPE '\n'
#define HARD_CHAR_OCTAL '\377'
#define HARD_CHAR_WIDE L'x'
#define HARD_SHIFT (1ULL << 40)
#define HARD_TOP (1ULL << 63)
#define HARD_MAX 0xFFFFFFFFFFFFFFFFULL
#define HARD_MIN INT64_MIN
#define HARD_U64 UINT64_C(0xfedcba9876543210)
#define HARD_I64 INT64_C(-5)
#define HARD_CAST ((uint8_t)300)
#define HARD_CAST_SIGNED ((int8_t)200)
#define HARD_ALL_ONES ((uint32_t)-1)
#define HARD_NOT (~0U)
#define HARD_SIZEOF (sizeof(uint32_t) * CHAR_BIT)
#define HARD_FLAGS (HARD_INT | HARD_HEX)
#define HARD_TERNARY (HARD_INT > 3 ? HARD_OCTAL : 0)
#define HARD_ENUMERATOR (HARD_E_A + HARD_E_B)
#define HARD_NULL ((void *)0)
#define HARD_TRUE true
#define HARD_CONTINUED \
	1 + \
	2
#define HARD_BLANK_BEHIND 1 \  
	+ 2
#define HARD_CALL(x) ((x) + 1)
#define HARD_CALLED HARD_CALL(HARD_INT)
#define HARD_PASTE(a, b) a##b
#define HARD_PASTED HARD_PASTE(1, 2)
#define HARD_TEXT(x) #x
#define HARD_STRING "text"
#define HARD_ESCAPES "a\tb\\\"\x41\101\0z\u00e9"
#define HARD_JOINED "a" "b" \
	"c"
#define HARD_STRINGIFIED HARD_TEXT(some text)
#define HARD_EMPTY_STRING ""
#define HARD_IN_BRACKETS ("text")
#define HARD_UTF8 "été"
#define HARD_FLOAT 1.5f
#define HARD_EXPONENT -1e10
#define HARD_DOLLAR$ 4
#define HARD_DIVISION 7 / 2
#define HARD_LOGIC (1 && !0)
/* Without a value: */
#define HARD_UNDECLARED not_declared
#define HARD_NO_FUNCTION f(3)
#define HARD_LIST {1, 2}
#define HARD_TYPE struct hard_x
#define HARD_LOOP do { } while (0)
#define HARD_FILE __FILE__
#define HARD_LINE (__LINE__ + 1)
#define HARD_ZERO_DIVISION (1 / 0)
#define HARD_BIG 99999999999999999999999
#define HARD_BRACKET )
#define HARD_APOSTROPHE don't
#define HARD_QUOTE "not closed
#define HARD_ATTRIBUTE __attribute__((visibility("default")))
#define HARD_WIDE_STRING L"wide"
#define HARD_SELF HARD_SELF
#define HARD_TWICE 1
#undef HARD_TWICE
#define HARD_TWICE 2
#define HARD_TWICE_TEXT "a"
#undef HARD_TWICE_TEXT
#define HARD_TWICE_TEXT "b"
#define HARD_VARIADIC(fmt, ...) f(fmt, ##__VA_ARGS__)
#define HARD_NAMED_VARIADIC(args...) f(args)
int hard_last_macro(void);
#endif
