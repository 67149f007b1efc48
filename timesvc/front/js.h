/* js.h: how facts look in our JSON: an instant is a decimal string, a difference a number,
 * and what is not known is null. Each returns a new reference; NULL: out of memory. */
#ifndef FRONT_JS_H
#define FRONT_JS_H

#include <jansson.h>
#include <stdint.h>
#include "../ptp.h"

json_t *js_instant(int known, int64_t ns);
json_t *js_number(int known, int64_t value);
json_t *js_text(const char *text);		/* NULL is null */
/* "aabbcc.fffe.ddeeff", as linuxptp writes it; all zero is null. */
json_t *js_identity(const struct ptp_identity *id);
/* [{"name": …, "text": …}, …] */
json_t *js_reasons(uint64_t reasons);
/* ["name", …] */
json_t *js_reason_names(uint64_t reasons);
/* "exited 1", "killed by signal 9"; `known` 0 is null. */
json_t *js_wait_status(int known, int status);

/* The text of js_identity(); 19 bytes always suffice. NULL when all zero. */
const char *js_identity_text(const struct ptp_identity *id, char *buf, size_t size);

#endif
