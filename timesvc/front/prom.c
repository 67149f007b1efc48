#include "prom.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "nstime.h"

void prom_family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_escaped(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '"' || *value == '\\')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value, out);
	}
}

void prom_name(FILE *out, const char *name, ...)
{
	const char *key, *value, *before = "{";
	va_list ap;

	fputs(name, out);
	va_start(ap, name);
	while ((key = va_arg(ap, const char *)) != NULL) {
		value = va_arg(ap, const char *);
		if (!value)
			continue;
		fprintf(out, "%s%s=\"", before, key);
		put_escaped(out, value);
		fputc('"', out);
		before = ",";
	}
	va_end(ap);
	fputs(*before == ',' ? "} " : " ", out);
}

void prom_count(FILE *out, uint64_t value)
{
	fprintf(out, "%" PRIu64 "\n", value);
}

void prom_integer(FILE *out, int64_t value)
{
	fprintf(out, "%" PRId64 "\n", value);
}

char *prom_seconds_text(char *buf, size_t size, int64_t ns)
{
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	int n = snprintf(buf, size, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
		abs / NS_PER_S, abs % NS_PER_S);

	while (buf[n - 1] == '0')
		buf[--n] = '\0';
	if (buf[n - 1] == '.')
		buf[n - 1] = '\0';
	return buf;
}

void prom_seconds(FILE *out, int64_t ns)
{
	char text[32];

	fprintf(out, "%s\n", prom_seconds_text(text, sizeof(text), ns));
}
