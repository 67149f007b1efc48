/* log.h: one line per event, to stderr or to syslog.
 *
 * Edges are logged, not levels: callers log when something changes.
 * Thread rule: any thread, after log_open(). Lines are cut at 1 KiB. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
enum log_target { LOG_TO_STDERR, LOG_TO_SYSLOG };

/* Before log_open() lines go to stderr at INFO. `program` must outlive the log. */
void log_open(const char *program, enum log_level level, enum log_target target);
void log_set_level(enum log_level level);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "error" "warn" "info" "debug" -> level; -EINVAL for anything else. */
int log_level_parse(const char *text, enum log_level *level);

#endif
