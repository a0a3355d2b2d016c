/*
 * fuzz_json: is this JSON? Our reader and yajl must say the same.
 *
 * They may differ in three ways, all on purpose: we refuse lone surrogates in
 * \u escapes and brackets nested deeper than JSON_DEPTH_MAX, and yajl takes an
 * empty text for unfinished, as we do, but with another message.
 */
#include "base/guard.h"
#include "base/pool.h"
#include "format/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bool yajl_accepts(const unsigned char *data, size_t size)
{
	yajl_handle h = yajl_alloc(NULL, NULL, NULL);
	bool ok = yajl_parse(h, data, size) == yajl_status_ok &&
	          yajl_complete_parse(h) == yajl_status_ok;
	yajl_free(h);
	return ok;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct guard guard;
	bool volatile ok = false;
	char *text = calloc(1, size + SOURCE_PADDING);
	memcpy(text, data, size);
	guard_init(&guard, NULL);
	struct pool *pool = pool_root(&guard);
	if (guard_enter(&guard)) {
		struct json j;
		json_init(&j, pool, NULL);
		json_text(&j, (struct text){.bytes = text, .length = size}, 1);
		json_skip(&j);
		json_end(&j);
		ok = true;
	}
	guard_leave(&guard);
	const char *message = ok ? "" : guard.error.text;
	bool on_purpose = strstr(message, "surrogate") || strstr(message, "inside each other");
	if (!on_purpose && ok != yajl_accepts(data, size)) {
		fprintf(stderr, "we %s it (%s), yajl does not\n", ok ? "accept" : "refuse",
		        message);
		abort();
	}
	pool_release(pool);
	free(text);
	return 0;
}
