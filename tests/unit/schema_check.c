#include "schema_check.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int check_fn(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where);

static int alternatives;	/* inside anyOf, where a mismatch is not yet a failure */

static int fail(const char *where, const char *what)
{
	if (!alternatives)
		fprintf(stderr, "# %s: %s\n", where, what);
	return 0;
}

static int is_type(const char *type, json_t *v)
{
	return (!strcmp(type, "object") && json_is_object(v)) ||
		(!strcmp(type, "array") && json_is_array(v)) ||
		(!strcmp(type, "string") && json_is_string(v)) ||
		(!strcmp(type, "null") && json_is_null(v)) ||
		(!strcmp(type, "integer") && json_is_integer(v)) ||
		(!strcmp(type, "number") && json_is_number(v)) ||
		(!strcmp(type, "boolean") && json_is_boolean(v));
}

static int check_type(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	json_t *one;
	size_t i;

	(void)root;
	(void)schema;
	if (json_is_string(rule))
		return is_type(json_string_value(rule), value) || fail(where, "wrong type");
	json_array_foreach(rule, i, one)
		if (is_type(json_string_value(one), value))
			return 1;
	return fail(where, "wrong type");
}

static int check_const(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	(void)root;
	(void)schema;
	return json_equal(rule, value) || fail(where, "not the constant");
}

static int check_enum(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	json_t *one;
	size_t i;

	(void)root;
	(void)schema;
	json_array_foreach(rule, i, one)
		if (json_equal(one, value))
			return 1;
	return fail(where, "not one of the enumeration");
}

static int check_pattern(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	regex_t re;
	int ok;

	(void)root;
	(void)schema;
	if (!json_is_string(value))
		return 1;
	if (regcomp(&re, json_string_value(rule), REG_EXTENDED | REG_NOSUB))
		return fail(where, "bad pattern");
	ok = !regexec(&re, json_string_value(value), 0, NULL, 0);
	regfree(&re);
	return ok || fail(where, "does not match the pattern");
}

static int check_minimum(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	(void)root;
	(void)schema;
	return !json_is_number(value) || json_number_value(value) >= json_number_value(rule) ||
		fail(where, "below the minimum");
}

static int check_max_items(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	(void)root;
	(void)schema;
	return json_array_size(value) <= (size_t)json_integer_value(rule) ||
		fail(where, "too many items");
}

static int check_items(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	json_t *one;
	char place[256];
	size_t i;

	(void)schema;
	json_array_foreach(value, i, one) {
		snprintf(place, sizeof(place), "%s[%zu]", where, i);
		if (!schema_check(root, rule, one, place))
			return 0;
	}
	return 1;
}

static int check_required(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	json_t *one;
	size_t i;

	(void)root;
	(void)schema;
	json_array_foreach(rule, i, one)
		if (json_is_object(value) && !json_object_get(value, json_string_value(one)))
			return fail(where, json_string_value(one));
	return 1;
}

static int check_properties(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	int closed = json_is_false(json_object_get(schema, "additionalProperties"));
	const char *key;
	json_t *one;
	char place[256];

	json_object_foreach(value, key, one) {
		json_t *sub = json_object_get(rule, key);

		snprintf(place, sizeof(place), "%s.%s", where, key);
		if (!sub && closed)
			return fail(place, "not in the schema");
		if (sub && !schema_check(root, sub, one, place))
			return 0;
	}
	return 1;
}

static int check_any_of(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	json_t *one;
	size_t i;

	(void)schema;
	json_array_foreach(rule, i, one) {
		int fits;

		alternatives++;
		fits = schema_check(root, one, value, where);
		alternatives--;
		if (fits)
			return 1;
	}
	return fail(where, "fits none");
}

static int check_ref(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	const char *name = json_string_value(rule);
	json_t *def;

	(void)schema;
	def = json_object_get(root, "$defs");
	def = strncmp(name, "#/$defs/", 8) ? NULL : json_object_get(def, name + 8);
	return def ? schema_check(root, def, value, where) : fail(where, "unknown $ref");
}

static int check_nothing(json_t *root, json_t *rule, json_t *schema,
	json_t *value, const char *where)
{
	(void)root;
	(void)rule;
	(void)schema;
	(void)value;
	(void)where;
	return 1;
}

static const struct { const char *keyword; check_fn *check; } keywords[] = {
	{ "type", check_type }, { "const", check_const }, { "enum", check_enum },
	{ "pattern", check_pattern }, { "minimum", check_minimum }, { "maxItems", check_max_items },
	{ "items", check_items }, { "required", check_required },
	{ "properties", check_properties },
	{ "anyOf", check_any_of }, { "$ref", check_ref }, { "additionalProperties", check_nothing },
	{ "description", check_nothing }, { "title", check_nothing }, { "$schema", check_nothing },
	{ "$id", check_nothing }, { "$defs", check_nothing },
};

static check_fn *find(const char *keyword)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (!strcmp(keyword, keywords[i].keyword))
			return keywords[i].check;
	return NULL;
}

int schema_check(json_t *root, json_t *schema, json_t *value, const char *where)
{
	const char *keyword;
	json_t *rule;

	json_object_foreach(schema, keyword, rule) {
		check_fn *check = find(keyword);

		if (!check)
			return fail(where, keyword);
		if (!check(root, rule, schema, value, where))
			return 0;
	}
	return 1;
}

json_t *schema_load(const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[512];
	json_error_t e;
	json_t *schema;

	snprintf(path, sizeof(path), "%s/conf/schema/%s", top ? top : ".", name);
	schema = json_load_file(path, 0, &e);
	if (!schema) {
		fprintf(stderr, "# %s:%d: %s\n", path, e.line, e.text);
		abort();
	}
	return schema;
}
