/** @file
 * Completes a struct of another header, and repeats a typedef and a function. */
#ifndef HARD_LATER_H
#define HARD_LATER_H
#include "doca_records.h"
struct hard_later { struct hard_packed p; };
typedef int hard_aligned_t __attribute__((aligned(16)));
void hard_later_use(struct hard_later *l);
#endif
