/*
 * operators_test.c -- every supported operator against its reference.
 *
 * Each case is a model of one node, opened from memory, compiled and run, in four ways: with inputs
 * given to the run; with all but the first as initializers (like weights); with all as
 * initializers; and with inputs such as shapes given to the compiler. Each time: shapes are known
 * before the run, outputs agree with the reference within rounding, a second run gives the same
 * bits, and inputs are unchanged; with one thread and with two (bits are promised for a fixed
 * number of threads; between different numbers, only agreement within rounding).
 */
#include "modelkit/modelkit.h"
#include "support.h"

#include "operator_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = sizeof cases / sizeof *cases, WHY = 200 };

/* Which inputs are initializers. */
typedef enum { GIVEN, WEIGHTS, CONSTANTS, BOUND, WAYS } way;
static const char *const way_names[WAYS] = { "inputs given", "weights in the model",
                                             "all in the model", "shapes given to the compiler" };

static bool is_constant(const net_task *t, size_t i, way how) {
  if (how == CONSTANTS) return true;
  if (how == WEIGHTS) return i > 0 || t->inputs[i].shaping;
  return how == GIVEN && t->inputs[i].shaping;
}

/* Skip a way that is the same as an earlier one. */
static bool is_new(const net_task *t, way how) {
  bool weights = false, shaping = false, given = false;
  for (size_t i = 0; i < t->node.input_count; i++) {
    weights = weights || (i > 0 && !t->inputs[i].shaping);
    shaping = shaping || t->inputs[i].shaping;
    given = given || !t->inputs[i].shaping;
  }
  return how == GIVEN || (how == WEIGHTS && weights) || (how == CONSTANTS && given) ||
         (how == BOUND && shaping);
}

/* The inputs of a network as bytes, twice, to see whether a run changes them. */
typedef struct {
  size_t count;
  crd_array bound[NET_INPUTS_MAX], given[NET_INPUTS_MAX];
  size_t given_count;
  void *bytes[NET_INPUTS_MAX], *copies[NET_INPUTS_MAX];
} feed;

static feed open_feed(const net_task *t, way how) {
  feed f = { 0 };
  for (size_t i = 0; i < t->node.input_count; i++) {
    const net_input *const input = &t->inputs[i];
    if (!input->given || is_constant(t, i, how)) continue;
    f.bytes[f.count] = net_store(&input->tensor);
    f.copies[f.count] = net_store(&input->tensor);
    const crd_array whole = net_view(&input->tensor, f.bytes[f.count]);
    const bool bound = how == BOUND && input->shaping;
    f.bound[f.count] = whole;
    if (!bound) f.bound[f.count].data = NULL;
    if (!bound) f.given[f.given_count++] = whole;
    f.count++;
  }
  return f;
}

static bool is_untouched(const feed *f) {
  for (size_t i = 0; i < f->count; i++)
    if (memcmp(f->bytes[i], f->copies[i],
               crd_array_count(&f->bound[i]) * crd_dtype_size(f->bound[i].dtype)) != 0)
      return false;
  return true;
}

static void close_feed(feed *f) {
  for (size_t i = 0; i < f->count; i++) {
    free(f->bytes[i]);
    free(f->copies[i]);
  }
}

static bool outputs_agree(const net_task *t, const crd_network *network, char why[WHY]) {
  for (size_t i = 0; i < t->node.output_count; i++) {
    const crd_array *const got = crd_network_output(network, i);
    if (!got) {
      snprintf(why, WHY, "there is no output %zu", i);
      return false;
    }
    if (net_agrees(&t->node.outputs[i], got, why)) continue;
    const size_t length = strlen(why);
    snprintf(why + length, WHY - length, " of output %zu", i);
    return false;
  }
  return true;
}

/* Concatenate all outputs. */
static void *copy_outputs(const net_task *t, const crd_network *network, size_t *size) {
  char *all = NULL;
  *size = 0;
  for (size_t i = 0; i < t->node.output_count; i++) {
    const crd_array *const y = crd_network_output(network, i);
    const size_t more = crd_array_count(y) * crd_dtype_size(y->dtype);
    all = realloc(all, *size + more + 1);
    if (more) memcpy(all + *size, y->data, more);
    *size += more;
  }
  return all;
}

static bool runs(crd_context *ctx, const net_task *t, crd_network *network, const feed *f,
                 char why[WHY]) {
  size_t size[2];
  void *bits[2] = { NULL, NULL };
  bool fine = true;
  for (size_t k = 0; fine && k < 2; k++) {
    fine = crd_network_run(ctx, network, f->given, f->given_count) == CRD_OK;
    if (!fine) snprintf(why, WHY, "%s", crd_context_message(ctx));
    fine = fine && outputs_agree(t, network, why);
    if (fine) bits[k] = copy_outputs(t, network, &size[k]);
  }
  if (fine && memcmp(bits[0], bits[1], size[0]) != 0) {
    snprintf(why, WHY, "a second run gives other bits");
    fine = false;
  }
  if (fine && !is_untouched(f)) {
    snprintf(why, WHY, "the run changes an input");
    fine = false;
  }
  free(bits[0]);
  free(bits[1]);
  return fine;
}

static bool compiles(crd_context *ctx, const net_task *t, const crd_model *model, way how,
                     char why[WHY]) {
  feed f = open_feed(t, how);
  const crd_compile_options options = { .size = sizeof options,
                                        .inputs = f.bound,
                                        .input_count = f.count };
  crd_network *network = NULL;
  bool fine = crd_network_compile(ctx, model, &options, &network) == CRD_OK;
  if (!fine) snprintf(why, WHY, "%s", crd_context_message(ctx));
  /* Shapes are known before the run. */
  for (size_t i = 0; fine && i < t->node.output_count; i++) {
    const crd_array *const y = crd_network_output(network, i);
    crd_array shape = y ? *y : (crd_array){ 0 };
    shape.data = NULL;
    fine = net_agrees(&t->node.outputs[i], &shape, why);
  }
  fine = fine && runs(ctx, t, network, &f, why);
  crd_network_destroy(network);
  close_feed(&f);
  return fine;
}

static bool holds(crd_context *ctx, const net_task *t, way how, unsigned threads, char why[WHY]) {
  bool constant[NET_INPUTS_MAX];
  crd_model *model = NULL;
  crd__text bytes;
  crd__text_init(&bytes, &ctx->alloc);
  for (size_t i = 0; i < t->node.input_count; i++) constant[i] = is_constant(t, i, how);
  net_model(&t->node, constant, 0, &bytes);
  crd_context_set_threads(ctx, threads);
  bool fine = crd_model_open_memory(ctx, "case.onnx", bytes.bytes, bytes.length, &model) == CRD_OK;
  if (!fine) snprintf(why, WHY, "%s", crd_context_message(ctx));
  fine = fine && compiles(ctx, t, model, how, why);
  crd_model_destroy(model);
  crd__text_clear(&bytes);
  return fine;
}

/* Try every way, up to the first that fails. */
static bool case_agrees(crd_context *ctx, const net_task *t, const net_words *words) {
  for (way how = GIVEN; how < WAYS; how++)
    for (unsigned threads = 1; threads <= 2 && is_new(t, how); threads++) {
      char why[WHY] = "";
      if (holds(ctx, t, how, threads, why)) continue;
      print_error("%s (opset %d; %s; %s), %s, threads %u: %s\n", t->node.op, t->node.opset,
                  words->inputs, words->attributes, way_names[how], threads, why);
      return false;
    }
  return true;
}

static void cases_agree(void **state) {
  size_t wrong = 0;
  if (!crd_operator_at(0)) {
    cannot_test_networks("operators");
    return;
  }
  for (size_t number = 0; number < CASES; number++) {
    net_task t;
    net_task_open(&cases[number], number, &t);
    wrong += !case_agrees(*state, &t, &cases[number]);
    net_task_close(&t);
  }
  assert_int_equal(wrong, 0);
}

/* An operator in the table without a case fails this test. */
static void operators_have_cases(void **state) {
  (void)state;
  const crd_operator_info *info;
  size_t without = 0;
  for (size_t i = 0; (info = crd_operator_at(i)); i++) {
    size_t found = 0;
    for (size_t k = 0; k < CASES; k++)
      found += !strcmp(cases[k].op, info->name) && cases[k].opset >= info->since &&
               cases[k].opset <= info->until;
    if (!found) print_error("%s has no case in its opsets\n", info->name);
    without += !found;
  }
  assert_int_equal(without, 0);
}

/* And each reference belongs to an operator. */
static void references_have_operators(void **state) {
  (void)state;
  const char *name;
  for (size_t i = 0; crd_operator_at(0) && (name = ref_op_at(i)); i++) {
    const crd_operator_info *info;
    bool found = false;
    for (size_t k = 0; !found && (info = crd_operator_at(k)); k++)
      found = !strcmp(info->name, name);
    if (!found) fail_msg("networks may not have %s", name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(operators_have_cases),
    cmocka_unit_test(references_have_operators),
    cmocka_unit_test(cases_agree),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
