/* The answer of an HTTP server: whatever it is, the body that is found lies inside it. */
#include "timesvc/cli/get.h"

#include <stdlib.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *reply = (const char *)data, *body;
	size_t len;
	int status;

	if (http_reply_parse(reply, size, &status, &body, &len) == 0 &&
	    (status < 0 || status > 999 || body < reply || body + len > reply + size))
		abort();
	return 0;
}
