/* err.h: a failure with a sentence for the person who must act on it.
 *
 * Functions return 0 or -errno. Where a person must be told, the last
 * parameter is a struct err *, filled before the -errno is returned. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	int code;		/* -errno, 0 when nothing failed */
	char msg[256];		/* one sentence, no trailing newline */
};

/* Fills *e (when e is not NULL) and returns code, so that callers can write
 * `return err_set(e, -EINVAL, "…")`. A longer sentence is cut, never overrun. */
int err_set(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the sentence that *e holds; returns e->code.
 * Where e may be NULL (nothing is done then, 0), return the code you have. */
int err_prefix(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
