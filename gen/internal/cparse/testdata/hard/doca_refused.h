/** @file
 * Valid C that costs one declaration each. */
#ifndef HARD_REFUSED_H
#define HARD_REFUSED_H
__int128 bad_int128(__int128 a);
typedef unsigned __int128 bad_u128_t;
struct bad_member { int a; __int128 b; };
void bad_user(bad_u128_t *p);
double _Complex bad_complex(void);
typedef int bad_vector_t __attribute__((vector_size(16)));
typedef int bad_mode_t __attribute__((mode(QI)));
_Float16 bad_float16(void);
__float128 bad_float128(void);
_Decimal64 bad_decimal(void);
__typeof__(int) bad_typeof(void);
void bad_declarator(int (*(*p)(int a))(char));
void bad_star(int n, int a[*]);
int bad_style(a, b) int a; char *b; { return a; }
extern const char *const bad_variable[3];
extern __thread int bad_thread;
static const int bad_constant = 4;
struct [[gnu::packed]] bad_attribute { char a; int b; };
struct hard_q { char c; int i; };
enum bad_layout { BAD_LAYOUT = sizeof(struct hard_q) };
int bad_\u00e9(void);
struct bad_incomplete;
void bad_by_value(struct bad_incomplete a);
void good_between(void);
%:define BAD_DIGRAPH 4
struct bad_digraph <% int a<:3:>; %>;
void good_last(void);
#endif
