#include "js.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include "reason.h"

json_t *js_instant(int known, int64_t ns)
{
	char text[24];

	if (!known)
		return json_null();
	snprintf(text, sizeof(text), "%" PRId64, ns);
	return json_string(text);
}

json_t *js_number(int known, int64_t value)
{
	return known ? json_integer(value) : json_null();
}

json_t *js_text(const char *text)
{
	return text ? json_string(text) : json_null();
}

const char *js_identity_text(const struct ptp_identity *id, char *buf, size_t size)
{
	static const struct ptp_identity unknown;
	const uint8_t *b = id->id;

	if (!memcmp(id, &unknown, sizeof(unknown)))
		return NULL;
	snprintf(buf, size, "%02x%02x%02x.%02x%02x.%02x%02x%02x",
		b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
	return buf;
}

json_t *js_identity(const struct ptp_identity *id)
{
	char text[24];

	return js_text(js_identity_text(id, text, sizeof(text)));
}

json_t *js_reasons(uint64_t reasons)
{
	json_t *list = json_array();

	for (int bit = 0; bit < TSV_REASON_COUNT; bit++)
		if (reasons >> bit & 1)
			json_array_append_new(list, json_pack("{s:s, s:s}",
				"name", tsv_reason_name(bit), "text", tsv_reason_text(bit)));
	return list;
}

json_t *js_reason_names(uint64_t reasons)
{
	json_t *list = json_array();

	for (int bit = 0; bit < TSV_REASON_COUNT; bit++)
		if (reasons >> bit & 1)
			json_array_append_new(list, json_string(tsv_reason_name(bit)));
	return list;
}

json_t *js_wait_status(int known, int status)
{
	if (!known)
		return json_null();
	if (WIFSIGNALED(status))
		return json_sprintf("killed by signal %d", WTERMSIG(status));
	return json_sprintf("exited %d", WEXITSTATUS(status));
}
