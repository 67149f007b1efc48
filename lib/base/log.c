#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024

static const struct {
	const char *name;
	int priority;
} levels[] = {
	[LOG_LEVEL_ERROR] = { "error", LOG_ERR },
	[LOG_LEVEL_WARN] = { "warn", LOG_WARNING },
	[LOG_LEVEL_INFO] = { "info", LOG_INFO },
	[LOG_LEVEL_DEBUG] = { "debug", LOG_DEBUG },
};

#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static const char *log_program;
static enum log_target log_target = LOG_TO_STDERR;
static _Atomic enum log_level log_threshold = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	atomic_store_explicit(&log_threshold, level, memory_order_relaxed);
}

void log_open(const char *program, enum log_level level, enum log_target target)
{
	closelog();
	log_program = program;
	log_target = target;
	log_set_level(level);
	if (target == LOG_TO_SYSLOG)
		openlog(program, LOG_PID, LOG_DAEMON);
}

/* One event stays one line, whatever a name or a peer put into it. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

/* One write(), so that lines of several processes do not mix. */
static void to_stderr(enum log_level level, const char *text)
{
	char line[LINE_MAX_BYTES];
	int n = snprintf(line, sizeof(line), "%s%s%s: %s", log_program ? log_program : "",
			 log_program ? ": " : "", levels[level].name, text);

	if (n < 0)
		return;
	if ((size_t)n > sizeof(line) - 1)
		n = sizeof(line) - 1;
	line[n] = '\n';
	while (write(STDERR_FILENO, line, (size_t)n + 1) < 0 && errno == EINTR)
		;
}

static void emit(enum log_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void emit(enum log_level level, const char *fmt, va_list ap)
{
	char text[LINE_MAX_BYTES];
	int saved = errno;

	if (level > atomic_load_explicit(&log_threshold, memory_order_relaxed))
		return;
	if (vsnprintf(text, sizeof(text), fmt, ap) >= 0) {
		make_printable(text);
		if (log_target == LOG_TO_SYSLOG)
			syslog(levels[level].priority, "%s", text);
		else
			to_stderr(level, text);
	}
	errno = saved;
}

#define LOG_FUNCTION(name, level)		\
	void name(const char *fmt, ...)		\
	{					\
		va_list ap;			\
						\
		va_start(ap, fmt);		\
		emit(level, fmt, ap);		\
		va_end(ap);			\
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warn, LOG_LEVEL_WARN)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)

int log_level_parse(const char *text, enum log_level *level)
{
	for (size_t i = 0; i < LEVELS; i++) {
		if (strcmp(text, levels[i].name) == 0) {
			*level = i;
			return 0;
		}
	}
	return -EINVAL;
}
