/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libflexio/flexio.h>

#define EXPORT __attribute__((visibility("default")))

/* A range such as 0-4294967295 must not take all memory. */
#define MAX_UNITS 65536

struct list {
	uint32_t *values;
	int num;
};

struct flexio_resources {
	struct list eugs;
	struct list eus;
};

/* The text that is left. */
struct text {
	const char *at;
	const char *end;
};

static void skip_blanks(struct text *t)
{
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
		t->at++;
}

static bool take(struct text *t, char c)
{
	skip_blanks(t);
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

static bool number(struct text *t, uint32_t *value)
{
	uint64_t n = 0;

	skip_blanks(t);
	if (t->at == t->end || !isdigit((unsigned char)*t->at))
		return false;
	while (t->at < t->end && isdigit((unsigned char)*t->at)) {
		n = n * 10 + (uint64_t)(*t->at++ - '0');
		if (n > UINT32_MAX)
			return false;
	}
	*value = (uint32_t)n;
	return true;
}

static bool add_range(struct list *list, uint32_t first, uint32_t last)
{
	uint32_t *values;
	size_t num;

	if (last < first || last - first >= (uint32_t)(MAX_UNITS - list->num))
		return false;
	num = (size_t)list->num + (last - first) + 1;
	values = realloc(list->values, num * sizeof(*values));
	if (values == NULL)
		return false;
	list->values = values;
	while (list->num < (int)num)
		values[list->num++] = first++;
	return true;
}

/* [1, 4-7] */
static bool parse_list(struct text t, struct list *list)
{
	uint32_t first, last;

	if (list->num > 0 || !take(&t, '['))
		return false;
	if (!take(&t, ']')) {
		do {
			if (!number(&t, &first))
				return false;
			last = first;
			if (take(&t, '-') && !number(&t, &last))
				return false;
			if (!add_range(list, first, last))
				return false;
		} while (take(&t, ','));
		if (!take(&t, ']'))
			return false;
	}
	skip_blanks(&t);
	return t.at == t.end;
}

/* Takes a line, without its comment and the blanks at its end. */
static struct text next_line(struct text *t)
{
	struct text line = {t->at, t->at};

	while (line.end < t->end && *line.end != '\n')
		line.end++;
	t->at = line.end < t->end ? line.end + 1 : line.end;
	for (const char *c = line.at; c < line.end; c++) {
		if (*c == '#' && (c == line.at || isspace((unsigned char)c[-1])))
			line.end = c;
	}
	while (line.end > line.at && isspace((unsigned char)line.end[-1]))
		line.end--;
	return line;
}

/* Cuts "key:" off a line. */
static bool key_is(struct text *line, const char *key)
{
	size_t len = strlen(key);

	if ((size_t)(line->end - line->at) <= len || memcmp(line->at, key, len) != 0 || line->at[len] != ':')
		return false;
	line->at += len + 1;
	return true;
}

static bool parse(const char *app_key, struct text t, struct flexio_resources *res)
{
	bool found = false, within = false;

	while (t.at < t.end) {
		struct text line = next_line(&t);

		if (line.at == line.end || (line.end - line.at == 3 && memcmp(line.at, "---", 3) == 0))
			continue;
		if (!isspace((unsigned char)*line.at)) {
			within = key_is(&line, app_key);
			if (within && (found || line.at != line.end))
				return false;
			found = found || within;
			continue;
		}
		skip_blanks(&line);
		if (!within)
			continue; /* another application's */
		if (key_is(&line, "eugs")) {
			if (!parse_list(line, &res->eugs))
				return false;
		} else if (!key_is(&line, "eus") || !parse_list(line, &res->eus)) {
			return false;
		}
	}
	return found;
}

EXPORT flexio_status flexio_resources_create(const char *app_key, const void *text, size_t length,
					     struct flexio_resources **res)
{
	struct flexio_resources *made;
	struct text t = {text, text};

	if (app_key == NULL || text == NULL || res == NULL)
		return FLEXIO_STATUS_FAILED;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return FLEXIO_STATUS_FAILED;
	t.end += strnlen(text, length); /* some count the NUL */
	if (!parse(app_key, t, made)) {
		flexio_resources_destroy(made);
		return FLEXIO_STATUS_FAILED;
	}
	*res = made;
	return FLEXIO_STATUS_SUCCESS;
}

EXPORT flexio_status flexio_resources_destroy(struct flexio_resources *res)
{
	if (res == NULL)
		return FLEXIO_STATUS_FAILED;
	free(res->eugs.values);
	free(res->eus.values);
	free(res);
	return FLEXIO_STATUS_SUCCESS;
}

EXPORT int flexio_resources_get_eugs_num(const struct flexio_resources *res)
{
	return res == NULL ? -1 : res->eugs.num;
}

EXPORT int flexio_resources_get_eus_num(const struct flexio_resources *res)
{
	return res == NULL ? -1 : res->eus.num;
}

EXPORT uint32_t *flexio_resources_get_eus(const struct flexio_resources *res)
{
	return res == NULL ? NULL : res->eus.values;
}
