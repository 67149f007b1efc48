#include "num.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nstime.h"

#define FRACTION_DIGITS	18

struct unit {
	const char *name;
	int64_t size;
};

/* Largest first; a list ends with size 0. */
static const struct unit duration_units[] = {
	{ "h", 3600 * NS_PER_S }, { "min", 60 * NS_PER_S }, { "s", NS_PER_S },
	{ "ms", NS_PER_MS }, { "us", NS_PER_US }, { "ns", 1 }, { NULL, 0 },
};
static const struct unit ppb_units[] = { { "ppm", 1000 }, { "ppb", 1 }, { NULL, 0 } };

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->size; units++)
		if (strcmp(units->name, name) == 0)
			return units;
	return NULL;
}

static uint64_t magnitude_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static uint64_t divide_rounded(uint64_t value, int64_t by)
{
	return (value + (uint64_t)by / 2) / (uint64_t)by;
}

char *num_format_ns(char *buf, size_t size, int64_t ns)
{
	const struct unit *u = find_unit(duration_units, "us");
	const char *sign = ns < 0 ? "-" : "";
	uint64_t m = magnitude_of(ns), hundredths, tenths;

	if (m < 1000) {
		snprintf(buf, size, "%s%" PRIu64 " ns", sign, m);
		return buf;
	}
	while (u->size < NS_PER_S && divide_rounded(m, u->size) >= 1000)
		u--;
	hundredths = divide_rounded(m, u->size / 100);
	tenths = divide_rounded(m, u->size / 10);
	if (hundredths < 1000)
		snprintf(buf, size, "%s%" PRIu64 ".%02" PRIu64 " %s", sign, hundredths / 100,
			 hundredths % 100, u->name);
	else if (tenths < 1000)
		snprintf(buf, size, "%s%" PRIu64 ".%" PRIu64 " %s", sign, tenths / 10, tenths % 10,
			 u->name);
	else
		snprintf(buf, size, "%s%" PRIu64 " %s", sign, divide_rounded(m, u->size), u->name);
	return buf;
}

char *num_format_duration(char *buf, size_t size, int64_t ns)
{
	const struct unit *u = duration_units;
	uint64_t m = magnitude_of(ns);

	if (m == 0) {
		snprintf(buf, size, "0");
		return buf;
	}
	while (m % (uint64_t)u->size)
		u++;
	snprintf(buf, size, "%s%" PRIu64 "%s", ns < 0 ? "-" : "", m / (uint64_t)u->size, u->name);
	return buf;
}

/* What a parser reads: how it is named, exemplified, and written back. */
struct kind {
	const char *what, *example, *finest;
	const struct unit *units;
	char *(*format)(char *buf, size_t size, int64_t value);
};

static char *format_plain(char *buf, size_t size, int64_t value)
{
	snprintf(buf, size, "%" PRId64, value);
	return buf;
}

static char *format_ppb(char *buf, size_t size, int64_t value)
{
	snprintf(buf, size, "%" PRId64 "ppb", value);
	return buf;
}

static const struct kind integer_kind = {
	"a whole number", "10 or 0x1f", "", NULL, format_plain,
};
static const struct kind duration_kind = {
	"a duration", "250ns, 30us, 1.5ms, 2s, 5min or 2h", "ns",
	duration_units, num_format_duration,
};
static const struct kind ppb_kind = {
	"a rate", "500ppb or 1.5ppm", "ppb", ppb_units, format_ppb,
};

static int malformed(const struct kind *k, const char *text, struct err *e)
{
	return err_set(e, -EINVAL, "\"%s\" is not %s such as %s", text, k->what, k->example);
}

static int out_of_range(const struct kind *k, const char *text, int64_t min, int64_t max,
			struct err *e)
{
	char low[32], high[32];

	return err_set(e, -ERANGE, "%s is out of range, allowed is %s to %s", text,
		       k->format(low, sizeof(low), min), k->format(high, sizeof(high), max));
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Reads digits into *value, which stays at UINT64_MAX when they say more. How many. */
static size_t read_digits(const char *text, int base, uint64_t *value)
{
	size_t n = 0;
	int d;

	*value = 0;
	for (; (d = digit_value(text[n])) < base; n++)
		if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)d, value))
			*value = UINT64_MAX;
	return n;
}

static const char *skip_sign(const char *text, int *negative)
{
	*negative = *text == '-';
	return *text == '-' || *text == '+' ? text + 1 : text;
}

/* The signed value of a magnitude, when it is inside [min, max]. */
static int take(int negative, uint64_t magnitude, int64_t min, int64_t max, int64_t *out)
{
	int64_t value;

	if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return -ERANGE;
	value = (int64_t)(negative ? -magnitude : magnitude);
	if (value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int num_parse_i64(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	uint64_t magnitude;
	int negative, base = 10;
	const char *p = skip_sign(text, &negative);
	size_t n;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	n = read_digits(p, base, &magnitude);
	if (n == 0 || p[n])
		return malformed(&integer_kind, text, e);
	if (take(negative, magnitude, min, max, out))
		return out_of_range(&integer_kind, text, min, max, e);
	return 0;
}

/* The fraction ".digits" of a unit; -EINVAL when it is no whole number. */
static int fraction_of(const char *digits, size_t n, int64_t unit, uint64_t *out)
{
	unsigned __int128 product;
	uint64_t value, scale = 1;
	char kept[FRACTION_DIGITS + 1] = "";

	while (n > 0 && digits[n - 1] == '0')
		n--;
	if (n > FRACTION_DIGITS)
		return -EINVAL;
	memcpy(kept, digits, n);
	read_digits(kept, 10, &value);
	for (size_t i = 0; i < n; i++)
		scale *= 10;
	product = (unsigned __int128)value * (uint64_t)unit;
	if (product % scale)
		return -EINVAL;
	*out = (uint64_t)(product / scale);
	return 0;
}

static int parse_with_unit(const struct kind *k, const char *text, int64_t min, int64_t max,
			   int64_t *out, struct err *e)
{
	static const struct unit bare_zero = { "", 1 };
	uint64_t whole, part = 0, dummy;
	int negative;
	const char *p = skip_sign(text, &negative), *fraction = NULL;
	size_t n = read_digits(p, 10, &whole), fraction_n = 0;
	const struct unit *unit;

	p += n;
	if (n && *p == '.') {
		fraction = ++p;
		fraction_n = read_digits(p, 10, &dummy);
		p += fraction_n;
	}
	unit = *p || whole || fraction ? find_unit(k->units, p) : &bare_zero;
	if (n == 0 || !unit || (fraction && fraction_n == 0))
		return malformed(k, text, e);
	if (fraction && fraction_of(fraction, fraction_n, unit->size, &part))
		return err_set(e, -EINVAL, "%s is finer than 1%s", text, k->finest);
	if (__builtin_mul_overflow(whole, (uint64_t)unit->size, &whole) ||
	    __builtin_add_overflow(whole, part, &whole) ||
	    take(negative, whole, min, max, out))
		return out_of_range(k, text, min, max, e);
	return 0;
}

int num_parse_duration_ns(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	return parse_with_unit(&duration_kind, text, min, max, out, e);
}

int num_parse_ppb(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	return parse_with_unit(&ppb_kind, text, min, max, out, e);
}

int num_parse_bool(const char *text, int *out, struct err *e)
{
	static const char *const words[] = { "no", "yes", "off", "on", "false", "true", "0", "1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i]) == 0) {
			*out = i % 2;
			return 0;
		}
	}
	return err_set(e, -EINVAL, "\"%s\" is neither yes nor no", text);
}
