/** @file
 * Uses a library that is not installed. */
#ifndef HARD_FOREIGN_H
#define HARD_FOREIGN_H
#include <stdint.h>
#include <foo/bar.h>
#include "foo_more.h"
FOO_BEGIN_DECLS
foo_ctx_t *hard_pointers_ok(foo_ctx_t *c, const struct foo_s *s, foo_fn_t **f);
int hard_value(foo_val_t v);
int hard_struct_value(struct foo_s v);
foo_val_t hard_result(void);
typedef void (*hard_foreign_cb_t)(foo_val_t v, void *u);
void hard_uses_cb(hard_foreign_cb_t cb);
struct hard_has_value { int a; foo_val_t v; };
struct hard_has_pointer { foo_ctx_t *c; struct foo_s *s; };
void hard_uses_structs(struct hard_has_value *a, struct hard_has_pointer *b);
struct hard_length { char n[FOO_MAX]; };
enum hard_foreign_e { HARD_FOREIGN_A = FOO_ONE, HARD_FOREIGN_B };
FOO_EXPORT int hard_exported(void);
int hard_nameless(foo_val_t);
static inline int hard_calls(foo_ctx_t *c) { return foo_call(c) + FOO_MAX; }
uint8_t hard_enum_value(enum foo_e e);
#define HARD_FOREIGN_MACRO FOO_MAX
_Static_assert(sizeof(foo_val_t) == FOO_MAX, "size");
int hard_foreign_last(void);
FOO_END_DECLS
#endif
