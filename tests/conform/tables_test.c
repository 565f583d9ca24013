/* tables_test.c -- every public table has count, at and find, which agree. */
#include "support.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* One table; `entry` is the address of an entry, `name` is its name. */
typedef struct {
  const char *noun;
  bool network; /* empty in a build without networks */
  size_t (*count)(void);
  const void *(*at)(size_t index);
  const char *(*name)(size_t index);
  const void *(*find)(const char *name);
} table;

#define TABLES(X)                                                                                  \
  X(architecture, 1)                                                                               \
  X(augmentation, 0)                                                                               \
  X(clamp_recipe, 1)                                                                               \
  X(clamp_setting, 1)                                                                              \
  X(confidnet_setting, 1)                                                                          \
  X(corruption, 0)                                                                                 \
  X(dataset_kind, 0)                                                                               \
  X(export, 0)                                                                                     \
  X(figure, 0)                                                                                     \
  X(finding, 0)                                                                                    \
  X(fit_convention, 0)                                                                             \
  X(format, 0)                                                                                     \
  X(loss, 0)                                                                                       \
  X(method, 0)                                                                                     \
  X(metric, 0)                                                                                     \
  X(operator, 1)                                                                                   \
  X(optimiser, 1)                                                                                  \
  X(peer, 0)                                                                                       \
  X(report, 0)                                                                                     \
  X(schedule, 1)                                                                                   \
  X(trust_setting, 0)

#define FUNCTIONS(noun, network)                                                                   \
  static const void *noun##_at(size_t index) { return crd_##noun##_at(index); }                    \
  static const char *noun##_name(size_t index) { return crd_##noun##_at(index)->name; }            \
  static const void *noun##_find(const char *name) { return crd_##noun##_find(name); }
TABLES(FUNCTIONS)

/* A convention has two names. */
enum { WORDS = 100 };

static const void *convention_at(size_t index) { return crd_convention_at(index); }

static const char *convention_name(size_t index) {
  static char words[WORDS];
  const crd_convention *const c = crd_convention_at(index);
  snprintf(words, sizeof words, "%s %s", c->peer->name, c->metric);
  return words;
}

static const void *convention_find(const char *name) {
  char words[WORDS];
  if (!name && crd_convention_find("netcal", NULL)) return "a convention";
  if (!name) return crd_convention_find(NULL, "ece");
  snprintf(words, sizeof words, "%s", name);
  char *const blank = strchr(words, ' ');
  if (blank) *blank = '\0';
  return crd_convention_find(words, blank ? blank + 1 : "");
}

#define ROW(noun, network)                                                                         \
  { #noun, network, crd_##noun##_count, noun##_at, noun##_name, noun##_find },
static const table tables[] = { TABLES(ROW) ROW(convention, 0) };

static void check(const table *t, bool networks) {
  const size_t count = t->count();
  if (networks || !t->network) assert_true(count > 0);
  else assert_int_equal(count, 0);
  for (size_t i = 0; i < count; i++) {
    if (!t->at(i)) fail_msg("%s: no entry %zu of %zu", t->noun, i, count);
    if (!*t->name(i)) fail_msg("%s: entry %zu has no name", t->noun, i);
    if (t->find(t->name(i)) != t->at(i))
      fail_msg("%s: '%s' finds another entry", t->noun, t->name(i));
  }
  static const size_t past[] = { 0, 1, 1000, SIZE_MAX / 2, SIZE_MAX };
  for (size_t i = 0; i < sizeof past / sizeof *past; i++)
    if (past[i] <= SIZE_MAX - count && t->at(count + past[i]))
      fail_msg("%s: an entry %zu past the end", t->noun, past[i]);
  assert_null(t->at(SIZE_MAX));
  static const char *const unknown[] = { "", "no such name", " ", "ec", "ECE", NULL };
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    if (t->find(unknown[i]))
      fail_msg("%s: finds '%s'", t->noun, unknown[i] ? unknown[i] : "(NULL)");
}

static void count_at_and_find_agree(void **state) {
  (void)state;
  const bool networks = crd_operator_count() > 0;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) check(&tables[i], networks);
}

/* Names of values that an enum does not have. */
static void names_end(void **state) {
  static const int outside[] = { -1, 99, INT_MAX, INT_MIN };
  (void)state;
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    assert_null(crd_dtype_name((crd_dtype)outside[i]));
    assert_null(crd_guarantee_name((crd_guarantee)outside[i]));
    assert_null(crd_input_name((crd_input)outside[i]));
    assert_null(crd_interval_name((crd_interval)outside[i]));
    assert_null(crd_promise_name((crd_promise)outside[i]));
    assert_null(crd_severity_name((crd_severity)outside[i]));
    assert_null(crd_shift_rows_name((crd_shift_rows)outside[i]));
  }
  assert_string_equal(crd_severity_name(CRD_FINE), "fine");
  assert_string_equal(crd_shift_rows_name(CRD_SHIFT_INDEPENDENT), "independent");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(count_at_and_find_agree),
                                      cmocka_unit_test(names_end) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
