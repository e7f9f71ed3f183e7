/** @file
 * Functions and function types of every kind. */
#ifndef HARD_FUNCTIONS_H
#define HARD_FUNCTIONS_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <uchar.h>
#include <wchar.h>
#ifdef __cplusplus
extern "C" {
#endif
#ifdef _WIN32
#error "this isn't for Windows"
#endif
struct hard_s;
typedef int hard_fn_t(int a, void *b);
typedef int(hard_fn2_t)(int a);
typedef int (*hard_fp_t)(const char *fmt, ...);
typedef int (**hard_pp_t)(int);
typedef unsigned long long (*hard_value_cb_t)(void *user, const char *s);
typedef struct hard_s *(*hard_pointer_cb_t)(void);
typedef void (*hard_nested_cb_t)(void (*)(int), int (*[2])(void), char *[], const char[4]);
typedef int (*hard_array_t)[4];
typedef uint8_t hard_id_t[16];
__extension__ typedef long long hard_ll_t;

void hard_types(hard_fn_t *a, hard_fn_t **b, hard_fn_t c, hard_pp_t d, hard_array_t e, hard_id_t f, const hard_id_t g);
void hard_pointers(int (**p)(int a), struct hard_s ***s, const void *const *v, const struct hard_s *const t);
void (*hard_signal(int sig, void (*func)(int)))(int);
int hard_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int hard_vprintf(const char *fmt, va_list ap);
int hard_words(char16_t a, char32_t b, wchar_t c, wint_t d, bool e, _Bool f, long double g, FILE *h);
int hard_qualifiers(const char *restrict a, volatile int *b, register int c, int *const volatile d, char *__restrict e);
int hard_arrays(int a[static 3], int n, int c[n], int d[2][3], int (*e)[5], char *f[]);
_Noreturn void hard_stop(void);
[[nodiscard]] int hard_nodiscard([[maybe_unused]] int a);
int hard_old();
int hard_label(int) __asm__("hard_other") __attribute__((nothrow));
int(hard_brackets)(int(a)), hard_second(void), *hard_third(void);
int hard_attributes(int a __attribute__((unused)), char *b __attribute__((nonnull))) __attribute__((nonnull(2))) __attribute__((warn_unused_result));
extern int hard_extern(void);
void hard_atomic(_Atomic int *a, _Atomic(int) *b);
int hard$dollar(int $a);
int hard_été(int b);
int hard_\
joined(vo\
id);
hard_fn_t hard_by_typedef;
#if __has_attribute(packed) && __has_include(<stdint.h>) && !__has_include(<no/such.h>)
int hard_has(void);
#endif
#if 0
this isn't C, "nor is this
#foo
#elif defined(__linux__)
int hard_linux(void);
#endif

static inline int hard_one(int a) { return a + 1; }
static inline __attribute__((always_inline)) int hard_always(int a) { int b = a; for (int i = 0; i < 3; i++) b += i; return b; }
static __inline__ unsigned long hard_asm(void) { unsigned long a, d; __asm__ volatile("rdtsc" : "=a"(a), "=d"(d)::"memory"); return a | d << 32; }
static inline int hard_statement(int a) { return ({ int b = a; b + 1; }); }
static inline int hard_builtins(int *p, unsigned a)
{
	__sync_synchronize();
	__atomic_store_n(p, 1, __ATOMIC_RELEASE);
	if (__builtin_expect(!!(a), 0))
		return __builtin_clz(a);
	return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED) + __builtin_bswap32(a);
}
static inline int hard_control(int a) { switch (a) { case 1 ... 5: goto out; default: break; } out: return a ?: 3; }
static inline int hard_generic(int a) { return _Generic(a, int: 1, default: 2); }
static inline void *hard_labels(void) { l: return &&l; }
_Static_assert(sizeof(int) == 4);
int hard_last(void);
#ifdef __cplusplus
}
#endif
#endif
