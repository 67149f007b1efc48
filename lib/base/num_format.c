#include "num.h"

#include <inttypes.h>
#include <stdio.h>

#include "nstime.h"

static uint64_t magnitude_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static uint64_t divide_rounded(uint64_t value, uint64_t by)
{
	return (value + by / 2) / by;
}

char *num_format_ns(char *buf, size_t size, int64_t ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "us", NS_PER_US }, { "ms", NS_PER_MS }, { "s", NS_PER_S } }, *u = units;
	const char *sign = ns < 0 ? "-" : "";
	uint64_t m = magnitude_of(ns);
	uint64_t hundredths, tenths;

	if (m < 1000) {
		snprintf(buf, size, "%s%" PRIu64 " ns", sign, m);
		return buf;
	}
	while (u->ns < NS_PER_S && divide_rounded(m, u->ns) >= 1000)
		u++;
	hundredths = divide_rounded(m, u->ns / 100);
	tenths = divide_rounded(m, u->ns / 10);
	if (hundredths < 1000)
		snprintf(buf, size, "%s%" PRIu64 ".%02" PRIu64 " %s", sign, hundredths / 100,
			 hundredths % 100, u->name);
	else if (tenths < 1000)
		snprintf(buf, size, "%s%" PRIu64 ".%" PRIu64 " %s", sign, tenths / 10, tenths % 10,
			 u->name);
	else
		snprintf(buf, size, "%s%" PRIu64 " %s", sign, divide_rounded(m, u->ns), u->name);
	return buf;
}

char *num_format_duration(char *buf, size_t size, int64_t ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "h", 3600 * NS_PER_S }, { "min", 60 * NS_PER_S }, { "s", NS_PER_S },
		{ "ms", NS_PER_MS }, { "us", NS_PER_US }, { "ns", 1 },
	}, *u = units;
	uint64_t m = magnitude_of(ns);

	if (m == 0) {
		snprintf(buf, size, "0");
		return buf;
	}
	while (m % u->ns)
		u++;
	snprintf(buf, size, "%s%" PRIu64 "%s", ns < 0 ? "-" : "", m / u->ns, u->name);
	return buf;
}
