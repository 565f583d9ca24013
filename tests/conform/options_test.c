/* options_test.c -- every function that takes a struct with a `size` reads it through
 * crd__options_read, before anything else: an unset size and a member of a newer version fail with
 * the struct's name. The table must have every such function of the public headers. */
#include "support.h"

#include "credence/clamp.h"
#include "credence/confidnet.h"
#include "credence/refine.h"
#include "credence/report.h"
#include "credence/train.h"
#include "credence/zoo.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the calls need beside their options; most read these first and need nothing. */
typedef struct {
  crd_context *ctx;
  crd_loss *loss;
  crd_array logits;
} scene;

typedef struct {
  const char *function, *type;
  size_t size;
  bool network; /* may be missing from this build */
  crd_status (*call)(const scene *s, const void *given);
} taker;

/* function, struct, type of the result, whether it needs networks, arguments: `o` are the options,
 * `out` is the result, which a failure sets to NULL. */
#define MAKERS(X)                                                                                  \
  X(crd_calibratability_measure, crd_calibratability_options, const crd_calibratability, 0,        \
    (s->ctx, NULL, 0, o, &out))                                                                    \
  X(crd_calibrator_fit_with, crd_fit_options, crd_calibrator, 0,                                   \
    (s->ctx, "temperature", NULL, o, NULL, &out))                                                  \
  X(crd_clamp_fit, crd_clamp_options, crd_clamp, 1, (s->ctx, NULL, NULL, o, &out))                 \
  X(crd_clamp_predict, crd_clamp_options, crd_predictions, 1, (s->ctx, NULL, NULL, NULL, o, &out)) \
  X(crd_confidnet_create, crd_confidnet_options, crd_confidnet, 1,                                 \
    (s->ctx, NULL, NULL, NULL, o, &out))                                                           \
  X(crd_contest_run, crd_contest_options, const crd_contest, 0, (s->ctx, NULL, NULL, o, &out))     \
  X(crd_contest_split, crd_contest_options, const crd_contest, 0, (s->ctx, NULL, 0.5, o, &out))    \
  X(crd_contest_folds, crd_contest_options, const crd_contest, 0, (s->ctx, NULL, 5, o, &out))      \
  X(crd_series_create, crd_series_options, crd_series, 0, (s->ctx, o, &out))                       \
  X(crd_dataset_open, crd_dataset_options, crd_dataset, 0, (s->ctx, "blobs", o, &out))             \
  X(crd_dataset_create, crd_dataset_arrays, crd_dataset, 0, (s->ctx, o, &out))                     \
  X(crd_encoding_learn, crd_encoding_options, crd_encoding, 0, (s->ctx, NULL, o, &out))            \
  X(crd_loader_create, crd_loader_options, crd_loader, 0, (s->ctx, NULL, o, &out))                 \
  X(crd_embed, crd_embed_options, const crd_embedding, 0, (s->ctx, NULL, o, &out))                 \
  X(crd_evaluate, crd_evaluate_options, const crd_result, 0, (s->ctx, NULL, o, &out))              \
  X(crd_evaluate_groups, crd_evaluate_options, const crd_group_table, 0, (s->ctx, NULL, o, &out))  \
  X(crd_result_with, crd_result_parts, const crd_result, 0, (s->ctx, NULL, o, &out))               \
  X(crd_evidence_gather, crd_evaluate_options, crd_evidence, 0, (s->ctx, NULL, o, 0, &out))        \
  X(crd_evidence_create, crd_evaluate_options, crd_evidence, 0, (s->ctx, o, &out))                 \
  X(crd_loss_create, crd_loss_options, crd_loss, 0, (s->ctx, "ce", o, &out))                       \
  X(crd_network_compile, crd_compile_options, crd_network, 1, (s->ctx, NULL, o, &out))             \
  X(crd_network_create, crd_network_ops, crd_network, 0, (s->ctx, o, NULL, NULL, NULL, &out))      \
  X(crd_network_check, crd_check_options, const crd_check, 1, (s->ctx, NULL, o, &out))             \
  X(crd_survey_make, crd_compile_options, const crd_survey, 1, (s->ctx, NULL, o, &out))            \
  X(crd_operating_find, crd_operating_options, const crd_operating_table, 0,                       \
    (s->ctx, NULL, o, &out))                                                                       \
  X(crd_operating_choose, crd_operating_options, const crd_operating_table, 0,                     \
    (s->ctx, NULL, NULL, o, &out))                                                                 \
  X(crd_predictions_create, crd_predictions_parts, crd_predictions, 0, (s->ctx, o, &out))          \
  X(crd_predictions_open, crd_open_options, crd_predictions, 0, (s->ctx, "none.npz", o, &out))     \
  X(crd_profile_make, crd_profile_options, const crd_profile, 0, (s->ctx, NULL, o, &out))          \
  X(crd_trust_fit, crd_trust_rows, crd_trust, 0, (s->ctx, o, NULL, &out))                          \
  X(crd_train_setup, crd_setup_options, crd_model, 1,                                              \
    (s->ctx, NULL, NULL, 0, o, &(crd_encoding *){ NULL }, &out))                                   \
  X(crd_trainer_create, crd_train_options, crd_trainer, 1, (s->ctx, NULL, NULL, NULL, o, &out))    \
  X(crd_architecture_build, crd_architecture_shape, crd_model, 1, (s->ctx, "mlp", o, &out))

#define CALL(function, type, result, network, arguments)                                           \
  static crd_status function##_call(const scene *s, const void *given) {                           \
    const type *const o = given;                                                                   \
    result *out = (result *)(void *)s->ctx; /* anything but NULL */                                \
    const crd_status status = function arguments;                                                  \
    if (out) fail_msg("%s with status %d left a result", #function, (int)status);                  \
    return status;                                                                                 \
  }
MAKERS(CALL)

/* The same without a result that could be NULL. */
#define DOERS(X)                                                                                   \
  X(crd_calibrator_export_with, crd_export_options, 0, (s->ctx, NULL, "c", o, NULL, NULL))         \
  X(crd_clamp_check, crd_clamp_options, 1, (s->ctx, o))                                            \
  X(crd_confidnet_check, crd_confidnet_options, 1, (s->ctx, o))                                    \
  X(crd_dataset_predict_to, crd_feed_options, 1, (s->ctx, NULL, NULL, o, "none.npz", NULL))        \
  X(crd_model_run_to, crd_feed_options, 1, (s->ctx, NULL, NULL, 0, o, "none.npz", NULL))           \
  X(crd_model_predict_to, crd_feed_options, 1, (s->ctx, NULL, "none.npz", o, "none.npz", NULL))    \
  X(crd_predictions_recalibrate, crd_recalibration, 0, (s->ctx, NULL, o))                          \
  X(crd_loss_evaluate, crd_targets, 0, (s->ctx, s->loss, &s->logits, o, NULL, NULL))               \
  X(crd_loss_predictions, crd_loss_reading, 0, (s->ctx, s->loss, NULL, o, NULL))                   \
  X(crd_mixup_draw, crd_mixup_options, 0, (s->ctx, o, &s->logits, NULL, NULL))                     \
  X(crd_survey_batch, crd_compile_options, 1, (s->ctx, NULL, o, 1, &(size_t){ 0 }))                \
  X(crd_report_write, crd_report_options, 0, (s->ctx, NULL, "text", o, NULL))                      \
  X(crd_results_write, crd_report_options, 0, (s->ctx, NULL, 0, "text", o, NULL))                  \
  X(crd_contest_write, crd_report_options, 0, (s->ctx, NULL, "text", o, NULL))                     \
  X(crd_series_write, crd_report_options, 0, (s->ctx, NULL, "text", o, NULL))                      \
  X(crd_calibratability_write, crd_report_options, 0, (s->ctx, NULL, "text", o, NULL))             \
  X(crd_learned_write, crd_report_options, 0, (s->ctx, NULL, "text", o, NULL))                     \
  X(crd_diagnosis_write, crd_report_options, 0, (s->ctx, NULL, "text", o, NULL))                   \
  X(crd_figure_write, crd_figure_data, 0, (s->ctx, "reliability", o, NULL, NULL))                  \
  X(crd_figure_print, crd_report_options, 0, (s->ctx, "reliability", NULL, o, NULL))               \
  X(crd_page_write, crd_page_options, 0, (s->ctx, NULL, 0, o, NULL))                               \
  X(crd_architecture_parameters, crd_architecture_shape, 1, (s->ctx, "mlp", o, &(uint64_t){ 0 }))

#define DO(function, type, network, arguments)                                                     \
  static crd_status function##_call(const scene *s, const void *given) {                           \
    const type *const o = given;                                                                   \
    return function arguments;                                                                     \
  }
DOERS(DO)

/* ---- Second structs: of a function, and of options. */

static crd_status figure_options(const scene *s, const void *given) {
  const crd_figure_data data = { .size = sizeof data };
  return crd_figure_write(s->ctx, "reliability", &data, given, NULL);
}

static crd_status figure_print_data(const scene *s, const void *given) {
  return crd_figure_print(s->ctx, "reliability", given, NULL, NULL);
}

static crd_status contest_operating(const scene *s, const void *given) {
  const crd_contest_options options = { .size = sizeof options, .operating = given };
  const crd_contest *out;
  return crd_contest_run(s->ctx, NULL, NULL, &options, &out);
}

static crd_status confidnet_feed(const scene *s, const void *given) {
  const crd_confidnet_options options = { .size = sizeof options, .feed = given };
  crd_confidnet *out;
  return crd_confidnet_create(s->ctx, NULL, NULL, NULL, &options, &out);
}

#define MAKER(function, type, result, network, arguments)                                          \
  { #function, #type, sizeof(type), network, function##_call },
#define DOER(function, type, network, arguments)                                                   \
  { #function, #type, sizeof(type), network, function##_call },
static const taker takers[] = {
  { "crd_figure_write", "crd_figure_options", sizeof(crd_figure_options), 0, figure_options },
  { "crd_figure_print", "crd_figure_data", sizeof(crd_figure_data), 0, figure_print_data },
  { "crd_contest_run", "crd_operating_options", sizeof(crd_operating_options), 0,
    contest_operating },
  { "crd_confidnet_create", "crd_feed_options", sizeof(crd_feed_options), 1, confidnet_feed },
  MAKERS(MAKER) DOERS(DOER)
};
enum { TAKERS = sizeof takers / sizeof *takers, BLOCK = 512 };

static void expect(const scene *s, const taker *t, const void *given, const char *words) {
  const crd_status status = t->call(s, given);
  const bool built_in = crd_operator_at(0) != NULL;
  if (t->network && !built_in && status == CRD_EABSENT) return;
  if (status != CRD_EUSAGE || !strstr(crd_context_message(s->ctx), words))
    fail_msg("%s with %s: status %d, message: %s\nexpected in it: %s", t->function, t->type,
             (int)status, crd_context_message(s->ctx), words);
}

static void sizes_are_read(void **state) {
  static const double numbers[4];
  scene s = { .ctx = *state, .logits = crd_array_matrix(numbers, CRD_F64, 2, 2) };
  static size_t block[BLOCK];
  assert_int_equal(crd_loss_create(s.ctx, "ce", NULL, &s.loss), CRD_OK);
  for (size_t i = 0; i < TAKERS; i++) {
    const taker *const t = &takers[i];
    char words[160];
    memset(block, 0, sizeof block);
    assert_true(t->size % sizeof *block == 0 && t->size + sizeof *block <= sizeof block);
    snprintf(words, sizeof words, "%s.size is 0: set it to sizeof(%s)", t->type, t->type);
    expect(&s, t, block, words);
    block[0] = t->size + sizeof *block;
    block[t->size / sizeof *block] = 1;
    snprintf(words, sizeof words, "options of a newer version of the library than %s: %s.size is",
             crd_version(), t->type);
    expect(&s, t, block, words);
  }
  crd_loss_destroy(s.loss);
}

/* ---- The table is complete. */

enum { HEADER_MAX = 1 << 16 };

static bool listed(const char *function, const char *type) {
  for (size_t i = 0; i < TAKERS; i++)
    if (!strcmp(takers[i].function, function) && !strcmp(takers[i].type, type)) return true;
  return false;
}

static bool has_size(const char *type) {
  for (size_t i = 0; i < TAKERS; i++)
    if (!strcmp(takers[i].type, type)) return true;
  return false;
}

/* Checks the declaration of one function: "crd_evaluate(crd_context *ctx, ...". */
static void check_declaration(const char *text) {
  char function[64], type[64];
  if (sscanf(text, "%63[a-z0-9_]", function) != 1) return;
  for (const char *at = text; (at = strstr(at, "const crd_")) != NULL; at++) {
    if (sscanf(at, "const %63[a-z0-9_] *", type) == 1 && has_size(type) && !listed(function, type))
      fail_msg("%s takes a %s, and is missing from the table of this test", function, type);
  }
}

/* Returns the number of structs of a header that begin with a size. */
static size_t check_header(char *text) {
  size_t sizes = 0;
  char type[64];
  for (const char *at = text; (at = strstr(at, "/* sizeof(")) != NULL; at++, sizes++) {
    assert_int_equal(sscanf(at, "/* sizeof(%63[a-z_])", type), 1);
    if (!has_size(type)) fail_msg("no function in the table of this test takes a %s", type);
  }
  for (char *at = text; (at = strstr(at, "\nCRD_API")) != NULL;) {
    char *const end = strchr(++at, ';');
    if (!end) break;
    *end = '\0';
    const char *const bracket = strchr(at, '(');
    const char *name = bracket;
    while (name && name > at && strchr("abcdefghijklmnopqrstuvwxyz0123456789_", name[-1])) name--;
    if (name) check_declaration(name);
    at = end + 1;
  }
  return sizes;
}

static void the_table_is_complete(void **state) {
  static char text[HEADER_MAX];
  char folder[512], path[1024];
  size_t headers = 0, sizes = 0;
  (void)state;
  snprintf(folder, sizeof folder, "%s/include/credence", CREDENCE_SOURCE);
  DIR *const dir = opendir(folder);
  assert_non_null(dir);
  for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    assert_true(length > 0 && length < sizeof text - 1);
    text[length] = '\0';
    fclose(file);
    sizes += check_header(text);
    headers++;
  }
  closedir(dir);
  assert_true(headers > 20 && sizes > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(sizes_are_read),
                                      cmocka_unit_test(the_table_is_complete) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
