/*
 * Problem: the history reader is C, so simdjson (C++) may not be at hand; what do the C libraries
 * of Debian 12 cost on the same file?
 *
 * Idea: one function a library, each of which walks every value of every line and adds the same
 * things to the same sum as simdjson_walk.cpp.  yajl is a push parser and is fed fixed blocks; the
 * others want a whole document, so they get one line at a time from getline().  The file is never
 * held whole in memory.  Equal sums on stderr show that all of them have seen the same values.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include <cjson/cJSON.h>
#include <yajl/yajl_parse.h>

/*
 * jansson and json-c use five names for different things.  Each of the five is renamed in the
 * header whose meaning of it is not needed here.  Both libraries have versioned symbols, so the
 * program can be linked with both if jansson, whose json_object_iter_next() is called, comes first.
 */
#define json_type jansson_type
#define json_object jansson_object
#define json_object_get jansson_object_get
#include <jansson.h>
#undef json_type
#undef json_object
#undef json_object_get
#define json_object_iter jsonc_object_iter
#define json_object_iter_next jsonc_object_iter_next
#include <json-c/json.h>
#undef json_object_iter
#undef json_object_iter_next

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#define BLOCK_BYTES 65536

static uint64_t values; /* every scalar, array and object; object keys are not counted */
static uint64_t sum;    /* integers, and the length and first byte of every string or key */

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "libraries: %s\n", what);
	exit(1);
}

static inline void add_text(const char *s, size_t len)
{
	sum += len;
	if (len > 0)
		sum += (unsigned char)s[0];
}

/* Calls parse() on each line that is not empty, without its newline and with a NUL after it. */
static void each_line(FILE *in, void (*parse)(const char *line, size_t len, void *arg), void *arg)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, in)) != -1) {
		if (len > 0 && line[len - 1] == '\n')
			line[--len] = '\0';
		if (len > 0)
			parse(line, (size_t)len, arg);
	}
	if (ferror(in))
		die("read error");
	free(line);
}

/* yajl */

static int yajl_seen_null(void *ctx)
{
	(void)ctx;
	values++;
	return 1;
}

static int yajl_seen_bool(void *ctx, int b)
{
	(void)ctx;
	values++;
	sum += (uint64_t)(b != 0);
	return 1;
}

static int yajl_seen_int(void *ctx, long long n)
{
	(void)ctx;
	values++;
	sum += (uint64_t)n;
	return 1;
}

static int yajl_seen_string(void *ctx, const unsigned char *s, size_t len)
{
	(void)ctx;
	values++;
	add_text((const char *)s, len);
	return 1;
}

static int yajl_seen_key(void *ctx, const unsigned char *s, size_t len)
{
	(void)ctx;
	add_text((const char *)s, len);
	return 1;
}

static int yajl_seen_start(void *ctx)
{
	(void)ctx;
	values++;
	return 1;
}

static int yajl_seen_double(void *ctx, double d)
{
	(void)ctx;
	(void)d;
	return 0;
}

static void read_yajl(FILE *in)
{
	static const yajl_callbacks calls = {
	        .yajl_null = yajl_seen_null,
	        .yajl_boolean = yajl_seen_bool,
	        .yajl_integer = yajl_seen_int,
	        .yajl_double = yajl_seen_double,
	        .yajl_string = yajl_seen_string,
	        .yajl_start_map = yajl_seen_start,
	        .yajl_map_key = yajl_seen_key,
	        .yajl_start_array = yajl_seen_start,
	};
	static unsigned char block[BLOCK_BYTES];
	yajl_handle h = yajl_alloc(&calls, NULL, NULL);
	size_t got;

	if (!h || !yajl_config(h, yajl_allow_multiple_values, 1))
		die("yajl: cannot start");
	while ((got = fread(block, 1, sizeof(block), in)) > 0) {
		if (yajl_parse(h, block, got) != yajl_status_ok)
			die("yajl: bad input");
	}
	if (ferror(in))
		die("read error");
	if (yajl_complete_parse(h) != yajl_status_ok)
		die("yajl: last line cut short");
	yajl_free(h);
}

/* jansson */

static void walk_jansson(json_t *v)
{
	values++;
	switch (json_typeof(v)) {
	case JSON_OBJECT: {
		const char *key;
		json_t *item;

		json_object_foreach(v, key, item)
		{
			add_text(key, strlen(key));
			walk_jansson(item);
		}
		break;
	}
	case JSON_ARRAY: {
		size_t n = json_array_size(v);

		for (size_t i = 0; i < n; i++)
			walk_jansson(json_array_get(v, i));
		break;
	}
	case JSON_STRING:
		add_text(json_string_value(v), json_string_length(v));
		break;
	case JSON_INTEGER:
		sum += (uint64_t)json_integer_value(v);
		break;
	case JSON_TRUE:
		sum++;
		break;
	case JSON_FALSE:
	case JSON_NULL:
		break;
	case JSON_REAL:
		die("jansson: not an integer");
	}
}

static void parse_jansson(const char *line, size_t len, void *arg)
{
	json_t *doc = json_loadb(line, len, 0, NULL);

	(void)arg;
	if (!doc)
		die("jansson: bad input");
	walk_jansson(doc);
	json_decref(doc);
}

static void read_jansson(FILE *in)
{
	each_line(in, parse_jansson, NULL);
}

/* json-c */

static void walk_jsonc(struct json_object *v)
{
	values++;
	switch (json_object_get_type(v)) {
	case json_type_object:
		json_object_object_foreach(v, key, item)
		{
			add_text(key, strlen(key));
			walk_jsonc(item);
		}
		break;
	case json_type_array: {
		size_t n = json_object_array_length(v);

		for (size_t i = 0; i < n; i++)
			walk_jsonc(json_object_array_get_idx(v, i));
		break;
	}
	case json_type_string:
		add_text(json_object_get_string(v), (size_t)json_object_get_string_len(v));
		break;
	case json_type_int:
		sum += (uint64_t)json_object_get_int64(v);
		break;
	case json_type_boolean:
		sum += (uint64_t)(json_object_get_boolean(v) != 0);
		break;
	case json_type_null:
		break;
	case json_type_double:
		die("json-c: not an integer");
	}
}

static void parse_jsonc(const char *line, size_t len, void *arg)
{
	struct json_tokener *tok = arg;
	/* The NUL is handed over too: without it a number at the end would count as unfinished. */
	struct json_object *doc = json_tokener_parse_ex(tok, line, (int)len + 1);

	if (json_tokener_get_error(tok) != json_tokener_success ||
	    json_tokener_get_parse_end(tok) < len)
		die("json-c: bad input");
	walk_jsonc(doc);
	json_object_put(doc);
	json_tokener_reset(tok);
}

static void read_jsonc(FILE *in)
{
	struct json_tokener *tok = json_tokener_new();

	if (!tok)
		die("json-c: cannot start");
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	each_line(in, parse_jsonc, tok);
	json_tokener_free(tok);
}

/* cJSON; its integers are doubles, so those past 2^53 are rounded */

static void walk_cjson(const cJSON *v)
{
	values++;
	if (cJSON_IsArray(v) || cJSON_IsObject(v)) {
		const cJSON *item;

		cJSON_ArrayForEach(item, v)
		{
			if (item->string)
				add_text(item->string, strlen(item->string));
			walk_cjson(item);
		}
	} else if (cJSON_IsString(v)) {
		add_text(v->valuestring, strlen(v->valuestring));
	} else if (cJSON_IsNumber(v)) {
		double d = v->valuedouble;

		if (!(d >= -0x1p63 && d < 0x1p63) || (double)(int64_t)d != d)
			die("cJSON: not an integer");
		sum += (uint64_t)(int64_t)d;
	} else if (cJSON_IsTrue(v)) {
		sum++;
	}
}

static void parse_cjson(const char *line, size_t len, void *arg)
{
	cJSON *doc = cJSON_ParseWithLengthOpts(line, len + 1, NULL, true);

	(void)arg;
	if (!doc)
		die("cJSON: bad input");
	walk_cjson(doc);
	cJSON_Delete(doc);
}

static void read_cjson(FILE *in)
{
	each_line(in, parse_cjson, NULL);
}

/* jsmn; it only marks where tokens are, so numbers are converted here and no escape is undone */

struct jsmn_room {
	jsmntok_t *tok;
	unsigned cap;
};

static int64_t jsmn_int64(const char *s, size_t len)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(s, &end, 10);
	if (errno || end != s + len)
		die("jsmn: not an integer");
	return n;
}

/* Walks the value at tok[i] and returns the index of the token after it. */
static int walk_jsmn(const char *text, const jsmntok_t *tok, int i)
{
	const jsmntok_t *t = &tok[i++];
	const char *s = text + t->start;
	size_t len = (size_t)(t->end - t->start);

	values++;
	switch (t->type) {
	case JSMN_OBJECT:
		for (int k = 0; k < t->size; k++) {
			if (tok[i].type != JSMN_STRING || tok[i].size != 1)
				die("jsmn: bad input");
			add_text(text + tok[i].start, (size_t)(tok[i].end - tok[i].start));
			i = walk_jsmn(text, tok, i + 1);
		}
		break;
	case JSMN_ARRAY:
		for (int k = 0; k < t->size; k++)
			i = walk_jsmn(text, tok, i);
		break;
	case JSMN_STRING:
		add_text(s, len);
		break;
	case JSMN_PRIMITIVE:
		if (*s == 't')
			sum++;
		else if (*s != 'f' && *s != 'n')
			sum += (uint64_t)jsmn_int64(s, len);
		break;
	case JSMN_UNDEFINED:
		die("jsmn: bad input");
	}
	return i;
}

static void parse_jsmn(const char *line, size_t len, void *arg)
{
	struct jsmn_room *room = arg;
	jsmn_parser p;
	int n;

	jsmn_init(&p);
	/* A parse that ran out of tokens goes on where it stopped. */
	while ((n = jsmn_parse(&p, line, len, room->tok, room->cap)) == JSMN_ERROR_NOMEM) {
		room->cap *= 2;
		room->tok = realloc(room->tok, room->cap * sizeof(*room->tok));
		if (!room->tok)
			die("out of memory");
	}
	if (n < 1 || walk_jsmn(line, room->tok, 0) != (int)p.toknext)
		die("jsmn: bad input");
}

static void read_jsmn(FILE *in)
{
	struct jsmn_room room = {.cap = 64};

	room.tok = malloc(room.cap * sizeof(*room.tok));
	if (!room.tok)
		die("out of memory");
	each_line(in, parse_jsmn, &room);
	free(room.tok);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*read)(FILE *in);
	} readers[] = {
	        {"yajl", read_yajl},   {"jansson", read_jansson}, {"json-c", read_jsonc},
	        {"cjson", read_cjson}, {"jsmn", read_jsmn},
	};
	const size_t count = sizeof(readers) / sizeof(readers[0]);
	struct rusage ru;
	size_t i = 0;
	FILE *in;

	while (argc == 3 && i < count && strcmp(argv[1], readers[i].name) != 0)
		i++;
	if (argc != 3 || i == count) {
		fprintf(stderr, "usage: libraries yajl|jansson|json-c|cjson|jsmn FILE\n");
		return 2;
	}
	in = fopen(argv[2], "rb");
	if (!in)
		die(strerror(errno));
	readers[i].read(in);
	fclose(in);

	getrusage(RUSAGE_SELF, &ru);
	printf("%s %.3f %.1f %" PRIu64 "\n", readers[i].name,
	       (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	               (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6,
	       (double)ru.ru_maxrss / 1024, values);
	fprintf(stderr, "sum %" PRIu64 "\n", sum);
	return 0;
}
