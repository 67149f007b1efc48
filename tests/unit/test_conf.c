#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf.h"

static struct conf *parsed(const char *text)
{
	struct conf *c = NULL;
	struct err e = { 0 };
	int rc = conf_parse("t.conf", text, strlen(text), &c, &e);

	if (rc)
		print_message("%s\n", e.msg);
	assert_int_equal(rc, 0);
	return c;
}

static void assert_entry(const struct conf_entry *entry, const char *key, const char *value,
			 int line, int column, int value_column)
{
	assert_string_equal(entry->key, key);
	assert_string_equal(entry->value, value);
	assert_int_equal(entry->line, line);
	assert_int_equal(entry->column, column);
	assert_int_equal(entry->value_column, value_column);
}

static void nothing(void **state)
{
	static const char *const texts[] = { "", "\n", "# only a comment", "\t # and blanks\n  \n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct conf *c = parsed(texts[i]);

		assert_int_equal(c->count, 0);
		assert_string_equal(c->file, "t.conf");
		conf_free(c);
	}
	conf_free(NULL);
}

static void sections_and_entries(void **state)
{
	struct conf *c = parsed("# head\n"
				"[global]\n"
				"mode\tobserve\n"
				"  words  two  words \t\n"
				"hash a # b\n"
				"\n"
				"  [ clock   eth0 ] \t\n"
				"\tmode  steer\n"
				"[clock eth1]\n"
				"last 1");

	(void)state;
	assert_int_equal(c->count, 3);
	assert_string_equal(c->sections[0].kind, "global");
	assert_string_equal(c->sections[0].name, "");
	assert_int_equal(c->sections[0].line, 2);
	assert_int_equal(c->sections[0].column, 1);
	assert_int_equal(c->sections[0].count, 3);
	assert_entry(&c->sections[0].entries[0], "mode", "observe", 3, 1, 6);
	assert_entry(&c->sections[0].entries[1], "words", "two  words", 4, 3, 10);
	assert_entry(&c->sections[0].entries[2], "hash", "a # b", 5, 1, 6);
	assert_string_equal(c->sections[1].kind, "clock");
	assert_string_equal(c->sections[1].name, "eth0");
	assert_int_equal(c->sections[1].line, 7);
	assert_int_equal(c->sections[1].column, 3);
	assert_entry(&c->sections[1].entries[0], "mode", "steer", 8, 2, 8);
	assert_string_equal(c->sections[2].name, "eth1");
	assert_entry(&c->sections[2].entries[0], "last", "1", 10, 1, 6);
	conf_free(c);
}

static void errors_name_the_place(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "mode observe\n", "t.conf:1:1: mode stands before any section" },
		{ "\n  mode observe\n", "t.conf:2:3: mode stands before any section" },
		{ "[global]\n\tmode\n", "t.conf:2:2: mode has no value" },
		{ "[global]\nmode   ", "t.conf:2:1: mode has no value" },
		{ "[global]\na 1\n [clock", "t.conf:3:2: \"[\" without \"]\"" },
		{ "[global]  x", "t.conf:1:11: text after \"]\"" },
		{ "[global] # no", "t.conf:1:10: text after \"]\"" },
		{ "[]", "t.conf:1:1: a section without a name" },
		{ "[ \t]", "t.conf:1:1: a section without a name" },
		{ "[clock a b]", "t.conf:1:10: a section has a kind and one name, no more" },
		{ "[a]\nk 1\nj 2\n  k 3\n", "t.conf:4:3: k again, first in line 2" },
		{ "[a]\nk 1\nj 2\n j 3\n", "t.conf:4:2: j again, first in line 3" },
		{ "[a]\n[b]\n[a]\n", "t.conf:3:1: section [a] again, first in line 1" },
		{ "[a]\n[b]\n [b]\n", "t.conf:3:2: section [b] again, first in line 2" },
		{ "[c x]\n[c y]\n[ c  x ]", "t.conf:3:1: section [c x] again, first in line 1" },
		{ "[a]\r\nk 1\r\n", "t.conf:1:4: control character 0x0d" },
		{ "[a]\nk a\x1b[2J\n", "t.conf:2:4: control character 0x1b" },
		{ "[a]\n# \x7f\n", "t.conf:2:3: control character 0x7f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conf *c = NULL;
		struct err e = { 0 };

		assert_int_equal(conf_parse("t.conf", cases[i].text, strlen(cases[i].text), &c, &e),
				 -EINVAL);
		assert_int_equal(e.code, -EINVAL);
		assert_string_equal(e.msg, cases[i].msg);
		assert_null(c);
	}
}

static void a_nul_is_an_error(void **state)
{
	static const char text[] = "[a]\nkey va\0lue\n";
	struct conf *c = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(conf_parse("f", text, sizeof(text) - 1, &c, &e), -EINVAL);
	assert_string_equal(e.msg, "f:2:7: control character 0x00");
}

static void same_key_in_two_sections(void **state)
{
	struct conf *c = parsed("[a]\nk 1\n[a b]\nk 2\n[b]\nk 3\n");

	(void)state;
	assert_int_equal(c->count, 3);
	assert_string_equal(c->sections[1].entries[0].value, "2");
	conf_free(c);
}

static void many_sections_and_keys(void **state)
{
	static char text[64 * 1024];
	struct conf *c;
	size_t used = 0;

	(void)state;
	for (int s = 0; s < 40; s++) {
		used += (size_t)sprintf(text + used, "[clock c%d]\n", s);
		for (int k = 0; k < 37; k++)
			used += (size_t)sprintf(text + used, "key%d value%d\n", k, s * 100 + k);
	}
	c = parsed(text);
	assert_int_equal(c->count, 40);
	for (int s = 0; s < 40; s++) {
		assert_int_equal(c->sections[s].count, 37);
		for (int k = 0; k < 37; k++) {
			char key[16], value[16];

			sprintf(key, "key%d", k);
			sprintf(value, "value%d", s * 100 + k);
			assert_entry(&c->sections[s].entries[k], key, value, s * 38 + k + 2, 1,
				     (int)strlen(key) + 2);
		}
	}
	conf_free(c);
}

static void errors_of_the_caller(void **state)
{
	struct conf *c = parsed("[a]\nk 1\n");
	struct err e = { 0 };

	(void)state;
	assert_int_equal(conf_error(c, 2, 3, &e, "%s is out of range", "k"), -EINVAL);
	assert_string_equal(e.msg, "t.conf:2:3: k is out of range");
	assert_int_equal(e.code, -EINVAL);
	assert_int_equal(conf_error(c, 2, 3, NULL, "x"), -EINVAL);
	conf_free(c);
}

/* The block is a copy: the caller may drop its text. */
static void text_is_not_kept(void **state)
{
	char text[] = "[a]\nkey value\n", file[] = "name";
	struct conf *c = NULL;

	(void)state;
	assert_int_equal(conf_parse(file, text, strlen(text), &c, NULL), 0);
	memset(text, 'x', sizeof(text));
	memset(file, 'x', sizeof(file));
	assert_string_equal(c->file, "name");
	assert_entry(&c->sections[0].entries[0], "key", "value", 2, 1, 5);
	conf_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(sections_and_entries),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test(a_nul_is_an_error),
		cmocka_unit_test(same_key_in_two_sections),
		cmocka_unit_test(many_sections_and_keys),
		cmocka_unit_test(errors_of_the_caller),
		cmocka_unit_test(text_is_not_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
