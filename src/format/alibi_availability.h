/*
 * alibi_availability: the line of Alibi's own format that says how available the database was while
 * its history was recorded (availability.h).
 */
#ifndef ALIBI_FORMAT_ALIBI_AVAILABILITY_H
#define ALIBI_FORMAT_ALIBI_AVAILABILITY_H

#include "format/json.h"
#include "format/sink.h"
#include "history/availability.h"

/* The value of the member "availability", in the pool. */
struct availability *alibi_read_availability(struct json *j, struct pool *pool);
void alibi_write_availability(const struct availability *a, struct sink *s);

#endif
