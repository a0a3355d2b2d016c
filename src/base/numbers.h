/* numbers: lists of 32-bit numbers in rising order. */
#ifndef ALIBI_BASE_NUMBERS_H
#define ALIBI_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts them; they may be NULL if there are none. */
void numbers_sort(uint32_t *numbers, size_t count);
/* The place of the first that is not below the number; count: all are. */
size_t numbers_find(const uint32_t *numbers, size_t count, uint32_t number);
/* Is it one of them? */
bool numbers_have(const uint32_t *numbers, size_t count, uint32_t number);

#endif
