/* numbers: see numbers.h. */
#include "base/numbers.h"
#include "base/bisect.h"

#include <stdlib.h>

static int by_number(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

void numbers_sort(uint32_t *numbers, size_t count)
{
	if (count)
		qsort(numbers, count, sizeof *numbers, by_number);
}

size_t numbers_find(const uint32_t *numbers, size_t count, uint32_t number)
{
	size_t at;
	bisect(at, 0, count, numbers[at] < number);
	return at;
}

bool numbers_have(const uint32_t *numbers, size_t count, uint32_t number)
{
	size_t at = numbers_find(numbers, count, number);
	return at < count && numbers[at] == number;
}
