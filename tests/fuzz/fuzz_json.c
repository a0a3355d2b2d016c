/*
 * fuzz_json: is this JSON? Our reader and yajl must say the same.
 *
 * Two differences are on purpose: we refuse lone surrogates in \u escapes and
 * brackets nested deeper than JSON_DEPTH_MAX. Three are yajl's, which is more
 * lenient than RFC 8259, and are made up for here:
 * - It only looks at the leading bits of UTF-8, and takes overlong sequences,
 *   surrogates and numbers beyond Unicode. iconv, which is strict, says what is
 *   UTF-8.
 * - It takes the beginning of a string after the end of the text for nothing
 *   ('1 "'). So it is asked a second time, with brackets around the text.
 * - Vertical tabs and form feeds are white space to it; JSON has them nowhere.
 */
#include "base/guard.h"
#include "base/pool.h"
#include "format/json.h"

#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bool yajl_accepts(const char *before, const unsigned char *data, size_t size,
                         const char *after)
{
	yajl_handle h = yajl_alloc(NULL, NULL, NULL);
	bool ok = yajl_parse(h, (const unsigned char *)before, strlen(before)) == yajl_status_ok &&
	          yajl_parse(h, data, size) == yajl_status_ok &&
	          yajl_parse(h, (const unsigned char *)after, strlen(after)) == yajl_status_ok &&
	          yajl_complete_parse(h) == yajl_status_ok;
	yajl_free(h);
	return ok;
}

static bool iconv_accepts(const unsigned char *data, size_t size)
{
	iconv_t converter = iconv_open("UTF-32LE", "UTF-8");
	char *from = (char *)(uintptr_t)data, *to = malloc(4 * size + 4), *out = to;
	size_t from_left = size, out_left = 4 * size + 4;
	if (converter == (iconv_t)-1 || !to)
		abort();
	bool ok = iconv(converter, &from, &from_left, &out, &out_left) != (size_t)-1 && !from_left;
	iconv_close(converter);
	free(to);
	return ok;
}

static bool reference_accepts(const unsigned char *data, size_t size)
{
	return yajl_accepts("", data, size, "") && yajl_accepts("[", data, size, "]") &&
	       iconv_accepts(data, size) && !memchr(data, '\v', size) && !memchr(data, '\f', size);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct guard guard;
	bool volatile ok = false;
	char *text = calloc(1, size + SOURCE_PADDING);
	memcpy(text, data, size);
	guard_init(&guard);
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
	bool expected = reference_accepts(data, size);
	if (ok != expected && !on_purpose) {
		fprintf(stderr, "we %s it (%s), yajl and iconv do not\n", ok ? "accept" : "refuse",
		        message);
		abort();
	}
	pool_release(pool);
	free(text);
	return 0;
}
