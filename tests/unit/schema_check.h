/* schema_check.h: the part of JSON Schema that our schemas use. */
#ifndef TEST_SCHEMA_CHECK_H
#define TEST_SCHEMA_CHECK_H

#include <jansson.h>

/* 1 when `value` fits `schema`; otherwise 0 and the place and rule are printed to stderr.
 * `root` holds "$defs". Fails on a keyword that it does not know. */
int schema_check(json_t *root, json_t *schema, json_t *value, const char *where);
/* conf/schema/NAME under $top_srcdir; aborts when it cannot be read. */
json_t *schema_load(const char *name);

#endif
