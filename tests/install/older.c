/*
 * older.c -- a program that is compiled with the present headers, with older ones, whose option
 * structs lack their last members (OLDER), and with newer ones, which have one more (NEWER).
 *
 *   older PRED results   prints results, the same for all three
 *   older PRED sizes     prints the sizes of the structs
 *   older PRED surplus   sets a member that the library does not have, and prints its answers
 */
#include <credence/contest.h>
#include <credence/profile.h>
#include <credence/report.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options with bytes behind them that are not zero: a library that reads members past the end of
 * an older struct finds these. */
#define FOLLOWED(type)                                                                             \
  struct {                                                                                         \
    type own;                                                                                      \
    unsigned char behind[64];                                                                      \
  }
static FOLLOWED(crd_contest_options) contest;
static FOLLOWED(crd_evaluate_options) evaluate;
static FOLLOWED(crd_open_options) opening;
static FOLLOWED(crd_predictions_parts) parts;
static FOLLOWED(crd_report_options) report;

#define FILL(options)                                                                              \
  do {                                                                                             \
    memset(&(options), 0xff, sizeof(options));                                                     \
    memset(&(options).own, 0, sizeof(options).own);                                                \
    (options).own.size = sizeof(options).own;                                                      \
  } while (0)

#define TRY(call)                                                                                  \
  do {                                                                                             \
    if ((call) != CRD_OK) {                                                                        \
      printf("%s\n", crd_context_message(ctx));                                                    \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static void print_sizes(void) {
  printf("contest %zu\n", sizeof contest.own);
  printf("evaluate %zu\n", sizeof evaluate.own);
  printf("open %zu\n", sizeof opening.own);
  printf("parts %zu\n", sizeof parts.own);
  printf("report %zu\n", sizeof report.own);
}

static void create(crd_context *ctx) {
  static const double scores[] = { 2, 1, 0, 1, 3, 1 };
  static const int64_t labels[] = { 0, 1, 1 }, groups[] = { 0, 1, 1 };
  crd_predictions *small;
  const crd_result *result;
  const crd_group_table *table;
  parts.own.scores = crd_array_matrix(scores, CRD_F64, 3, 2);
  parts.own.labels = crd_array_matrix(labels, CRD_I64, 3, 1);
  parts.own.groups = crd_array_matrix(groups, CRD_I64, 3, 1);
  parts.own.input = CRD_INPUT_LOGITS;
  TRY(crd_predictions_create(ctx, &parts.own, &small));
  TRY(crd_evaluate(ctx, small, NULL, &result));
  printf("created: first row %llu, accuracy %.17g\n",
         (unsigned long long)crd_predictions_first_row(small),
         crd_result_value(result, "accuracy")->value);
  TRY(crd_evaluate_groups(ctx, small, &evaluate.own, &table));
  for (size_t i = 0; i < table->count; i++)
    printf("group %lld: nll %.17g\n", (long long)table->items[i].number,
           crd_result_value(table->items[i].result, "nll")->value);
  crd_group_table_destroy(table);
  crd_result_destroy(result);
  crd_predictions_destroy(small);
}

static void print_results(crd_context *ctx, const char *path) {
  crd_predictions *predictions;
  const crd_result *result;
  const crd_profile *profile;
  const crd_contest *outcome;
  crd_output *output;
  opening.own.input = CRD_INPUT_PROBABILITIES;
  evaluate.own.metrics = "accuracy,ece,nll";
  evaluate.own.resamples = 20;
  contest.own.methods = "temperature,vector";
  report.own.digits = 6;
  report.own.percent = 1;
  TRY(crd_predictions_open(ctx, path, &opening.own, &predictions));
  TRY(crd_evaluate(ctx, predictions, &evaluate.own, &result));
  TRY(crd_profile_make(ctx, predictions, NULL, &profile)); /* for the table of classes */
  result->profile = profile;
  TRY(crd_output_open(ctx, "-", &output));
  TRY(crd_report_write(ctx, result, "text", &report.own, output));
  TRY(crd_output_commit(ctx, output));
  TRY(crd_contest_split(ctx, predictions, 0.5, &contest.own, &outcome));
  for (size_t i = 0; i < outcome->count; i++)
    printf("%s: nll %.17g\n", outcome->candidates[i].name,
           crd_result_value(outcome->candidates[i].result, "nll")->value);
  crd_contest_destroy(outcome);
  crd_result_destroy(result);
  crd_profile_destroy(profile);
  crd_predictions_destroy(predictions);
  create(ctx);
}

#ifdef NEWER
static void print_refusals(crd_context *ctx, const char *path) {
  crd_predictions *predictions;
  const crd_result *result = NULL;
  TRY(crd_predictions_open(ctx, path, &opening.own, &predictions));
  evaluate.own.added_later = 1;
  printf("status %d: ", (int)crd_evaluate(ctx, predictions, &evaluate.own, &result));
  printf("%s\n", crd_context_message(ctx));
  crd_predictions_destroy(predictions);
  opening.own.added_later = 1;
  printf("status %d: ", (int)crd_predictions_open(ctx, path, &opening.own, &predictions));
  printf("%s\n", crd_context_message(ctx));
}
#else
static void print_refusals(crd_context *ctx, const char *path) { (void)ctx, (void)path; }
#endif

int main(int argc, char **argv) {
  crd_context *ctx;
  if (argc != 3 || crd_context_create(NULL, &ctx) != CRD_OK) return 2;
  FILL(contest);
  FILL(evaluate);
  FILL(opening);
  FILL(parts);
  FILL(report);
  if (!strcmp(argv[2], "sizes")) print_sizes();
  else if (!strcmp(argv[2], "surplus")) print_refusals(ctx, argv[1]);
  else print_results(ctx, argv[1]);
  crd_context_destroy(ctx);
  return 0;
}
