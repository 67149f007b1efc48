/* patch.h: exchanging functions of the program that this library is preloaded into.
 *
 * Calls inside QEMU do not go through the dynamic linker, so that preloading a symbol is not
 * enough: the entry of the function itself is overwritten with a jump. Only while one thread runs
 * the code in question. */
#ifndef RIG_PATCH_H
#define RIG_PATCH_H

#include <stdint.h>

#define PATCH_SIZE 14

struct patch {
	uint8_t *entry;
	uint8_t original[PATCH_SIZE], jump[PATCH_SIZE];
};

/* Ends the program with a sentence when it does not export the symbol. */
void patch_make(struct patch *p, const char *symbol, void (*replacement)(void));

/* The original for one call: restore it, call it, apply again. */
void patch_restore(const struct patch *p);
void patch_apply(const struct patch *p);

/* The address of an exported function. */
void *patch_symbol(const char *symbol);

#endif
