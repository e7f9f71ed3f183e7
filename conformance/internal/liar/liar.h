/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIAR_H_
#define LIAR_H_

#include <stdint.h>

enum liar_kind { LIE_NONE, LIE_CODE, LIE_RESULT, LIE_OUT, LIE_IN, LIE_TEXT };

void liar_set_version(const char *version);
void *liar_real(const char *library, const char *name);
void *liar_thunk(const char *library, const char *name);
void liar_tell(const char *name, int kind, int nth, int arg, int32_t code, int32_t real, int any,
	       const char *text);
void liar_reset(void);
int liar_count(void);
int liar_calls(int i);
const char *liar_name(int i);

#endif /* LIAR_H_ */
