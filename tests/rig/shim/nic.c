#include "nic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_INTERVAL_NS	100000000

static struct nic nics[RIG_NICS];
static int count;
static int64_t (*true_time)(void);
static FILE *truth;
static int64_t logged_ns;
static struct { uint64_t number; int64_t at_ns; } transmission;
static bool transmitting;

static const struct { const char *name; int index; } keys[] = {
#define KEY(name, offset) { #name, (offset) / 8 },
	RIG_KEYS(KEY)
#undef KEY
};

int nic_count(void)
{
	return count;
}

int64_t nic_now(void)
{
	return true_time();
}

static int64_t scaled(int64_t ns, int64_t ppb)
{
	return ns + (int64_t)((__int128)ns * ppb / 1000000000);
}

/* What the oscillator has counted, in nanoseconds, without its granularity. */
static int64_t oscillator(const struct nic *n, int64_t true_ns)
{
	return n->osc0_ns + scaled(true_ns - n->true0_ns, nic_key(n, osc_ppb));
}

static void oscillator_rebase(struct nic *n, int64_t true_ns)
{
	n->osc0_ns = oscillator(n, true_ns);
	n->true0_ns = true_ns;
}

/* Counts of the clock at a rate (TIMINCA: period, increment; the 82576 has a tick of 16 ns). */
static int64_t counts(const struct nic *n, int64_t true_ns, uint32_t rate)
{
	int64_t ns = oscillator(n, true_ns), tick = nic_key(n, tick_ns);
	int64_t period = rate >> 24 ? rate >> 24 : 1;

	if (tick > 1)
		ns -= ns % tick;
	return (int64_t)((__int128)ns * (rate & 0xffffff) / (period * 16));
}

static void log_nic(const struct nic *n, int64_t true_ns, const char *what, int64_t value)
{
	int64_t clock = n->mac ? *n->timadj + counts(n, true_ns, n->mac[MAC_TIMINCA]) : 0;

	if (truth)
		fprintf(truth, "{\"true_ns\":%ld,\"nic\":%d,\"event\":\"%s\",\"value\":%ld,\"osc_ns\":%ld,"
			"\"counter\":%ld,\"rate\":%u}\n", true_ns, n->number, what, value,
			oscillator(n, true_ns), clock, n->mac ? n->mac[MAC_TIMINCA] : 0);
}

void nic_truth(void)
{
	int64_t now = true_time();

	if (!truth || now - logged_ns < LOG_INTERVAL_NS)
		return;
	logged_ns = now;
	for (int i = 0; i < count; i++)
		log_nic(&nics[i], now, "clock", 0);
	fflush(truth);
}

void nic_truth_end(void)
{
	if (truth)
		fclose(truth);
	truth = NULL;
}

struct nic *nic_add(void *opaque)
{
	if (count == RIG_NICS)
		return NULL;
	nics[count].opaque = opaque;
	return &nics[count++];
}

struct nic *nic_by_opaque(const void *opaque)
{
	for (int i = 0; i < count; i++)
		if (nics[i].opaque == opaque)
			return &nics[i];
	return NULL;
}

struct nic *nic_by_number(int64_t number)
{
	return number >= 1 && number <= count ? &nics[number - 1] : NULL;
}

bool nic_set(struct nic *n, int64_t offset, int64_t value)
{
	int64_t now = true_time();

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i].index * 8 != offset)
			continue;
		oscillator_rebase(n, now);
		n->key[keys[i].index] = value;
		log_nic(n, now, keys[i].name, value);
		return true;
	}
	return false;
}

void nic_step(struct nic *n, int64_t ns)
{
	int64_t now = true_time();

	oscillator_rebase(n, now);
	n->osc0_ns += ns;
	log_nic(n, now, "step", ns);
}

void nic_arrival(struct nic *n)
{
	int64_t delay = nic_key(n, delay_ns) + nic_key(n, asym_ns);

	n->arrival_ns = true_time();
	if (transmitting && n->transmission != transmission.number) {
		n->transmission = transmission.number;
		n->arrival_ns = transmission.at_ns;
	}
	n->arrival_ns += delay;
}

/* Uniform within ± the jitter, the same in every run. */
static int64_t jitter(const struct nic *n)
{
	static uint32_t state = 12345;
	int64_t most = nic_key(n, jitter_ns);

	state = state * 1664525u + 1013904223u;
	return most > 0 ? (int64_t)(state >> 8) % (2 * most + 1) - most : 0;
}

void nic_set_rate(struct nic *n, uint32_t *mac, int64_t *timadj, uint32_t rate)
{
	int64_t now = true_time(), before = counts(n, now, mac[MAC_TIMINCA]);

	n->mac = mac;
	n->timadj = timadj;
	mac[MAC_TIMINCA] = rate;
	*timadj += before - counts(n, now, rate);
	log_nic(n, now, "rate", rate);
}

void nic_stamp(struct nic *n, uint32_t *mac, int64_t timadj, int low, int high)
{
	int64_t at = true_time(), clock;

	if (low == MAC_TXSTMPL) {
		transmission.number++;
		transmission.at_ns = at;
		transmitting = true;
	} else if (low == MAC_RXSTMPL) {
		at = n->arrival_ns + jitter(n);
	} else {
		n->read_at_ns = at;
		n->reads++;
	}
	clock = timadj + counts(n, at, mac[MAC_TIMINCA]);
	mac[low] = (uint32_t)clock;
	mac[high] = (uint32_t)((uint64_t)clock >> 32);
}

void nic_transmitted(void)
{
	transmitting = false;
}

static void configure(struct nic *n, const char *text, size_t length)
{
	char word[32];
	long value;
	int used;

	while (length > 0 && sscanf(text, "%31[a-z_]=%ld%n", word, &value, &used) == 2) {
		for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (!strcmp(keys[i].name, word))
				n->key[keys[i].index] = value;
		used += text[used] == ',';
		text += used;
		length -= (size_t)used;
	}
}

void nic_setup(int64_t (*now)(void))
{
	const char *topology = getenv("RIG_TOPOLOGY"), *path = getenv("RIG_TRUTH");
	int number, used;

	true_time = now;
	for (int i = 0; i < RIG_NICS; i++) {
		nics[i].number = i + 1;
		nic_key(&nics[i], link) = 1;
	}
	while (topology && sscanf(topology, " %d:%n", &number, &used) == 1) {
		if (number < 1 || number > RIG_NICS)
			break;
		topology += used;
		configure(&nics[number - 1], topology, strcspn(topology, " "));
		topology += strcspn(topology, " ");
	}
	truth = path ? fopen(path, "we") : NULL;
}
