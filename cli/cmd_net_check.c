/* cmd_net_check.c -- credence net check: gradients of a network against finite differences. */
#include "command.h"
#include "net_page.h"
#include "option.h"
#include "page.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const char *model, *tolerance;
  unsigned batch, directions, seed, threads;
  cli_joined shapes;
  bool json, quiet;
} check_args;

#define AT(member) .offset = offsetof(check_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the network: an .onnx file" },
  { CLI_COUNT, 'b', "batch", "N", AT(batch), .low = 1, .high = 1048576, .standard = "4",
    .help = "batch size, if the model does not fix it" },
  { CLI_JOIN, 0, "shape", "SHAPE", AT(shapes),
    .help = "shape of an input, such as 4x3x224x224; repeat for further inputs" },
  { CLI_COUNT, 'd', "directions", "N", AT(directions), .low = 1, .high = 1000000, .standard = "20",
    .help = "number of random directions, for the inputs and for the parameters" },
  { CLI_TEXT, 0, "tolerance", "T", AT(tolerance), .standard = "0.01",
    .help = "largest relative error allowed, above 0 and at most 1" },
  { CLI_COUNT, 0, "seed", "N", AT(seed), .high = 4294967295U, .standard = "0",
    .help = "seed of inputs and directions" },
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all)" },
  { CLI_FLAG, 0, "json", AT(json), .help = "write JSON, with every direction" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net check model.onnx", "20 directions for the inputs and 20 for the parameters" },
  { "net check model.onnx --shape 2x3x224x224 --seed 1 --json", "for images of that size" },
  { .line = NULL },
};

/* What to differentiate with respect to, and how to compile for it. */
static const struct {
  const char *name;
  crd_check_subject subject;
  crd_mode mode;
} parts[] = {
  { "inputs", CRD_CHECK_INPUTS, CRD_MODE_INPUT_GRADIENT },
  { "parameters", CRD_CHECK_PARAMETERS, CRD_MODE_TRAINING },
};
enum { PARTS = sizeof parts / sizeof *parts };

/* Integer inputs have no gradient, nor has a network without parameters one of these. */
static bool has_any(const crd_network *network, crd_check_subject subject) {
  const crd_array *input;
  const crd_parameter *parameter;
  for (size_t i = 0; subject == CRD_CHECK_INPUTS && (input = crd_network_input(network, i)); i++)
    if (input->dtype == CRD_F32) return true;
  for (size_t i = 0;
       subject == CRD_CHECK_PARAMETERS && (parameter = crd_network_parameter(network, i)); i++)
    if (parameter->gradient) return true;
  return false;
}

static crd_status check_part(cli_session *session, const crd_model *model,
                             const crd_compile_options *how, const crd_check_options *what,
                             const crd_check **out) {
  crd_network *network;
  crd_status status = crd_network_compile(session->ctx, model, how, &network);
  if (status == CRD_OK && has_any(network, what->subject))
    status = crd_network_check(session->ctx, network, what, out);
  crd_network_destroy(network);
  return status;
}

/* ---- Showing. */

static const char *const verdicts[] = {
  [CRD_CHECK_RIGHT] = "right", [CRD_CHECK_WRONG] = "wrong", [CRD_CHECK_UNDECIDED] = "undecided"
};

static void show_text(FILE *out, const check_args *a, const crd_check *const checks[PARTS]) {
  fprintf(out, "%s: gradients against finite differences\n\n", a->model);
  fprintf(out, "  %-12s%8s%8s%8s%8s%16s%10s%12s\n", "gradient", "checked", "kinks", "unsure",
          "wrong", "largest error", "at most", "verdict");
  for (size_t i = 0; i < PARTS; i++) {
    const crd_check *const c = checks[i];
    if (!c) fprintf(out, "  %-12s%8s\n", parts[i].name, "none");
    else
      fprintf(out, "  %-12s%8zu%8zu%8zu%8zu%16.2g%10.2g%12s\n", parts[i].name, c->count, c->crossed,
              c->unsure, c->failed, c->directions[c->worst].error, c->limit, verdicts[c->verdict]);
  }
}

static void part_json(FILE *out, const crd_check *c) {
  fprintf(out, "{\"verdict\": \"%s\", \"error\": ", verdicts[c->verdict]);
  cli_page_number(out, c->error, 3);
  fputs(", \"limit\": ", out);
  cli_page_number(out, c->limit, 3);
  fprintf(out,
          ", \"kinks\": %zu, \"unsure\": %zu, \"wrong\": %zu, \"worst\": %zu, \"directions\": [",
          c->crossed, c->unsure, c->failed, c->worst);
  for (size_t i = 0; i < c->count; i++) {
    const crd_check_direction *const d = &c->directions[i];
    const struct {
      const char *before;
      double value;
      int digits;
    } numbers[] = { { "\n    {\"backward\": ", d->backward, 9 },
                    { ", \"difference\": ", d->difference, 9 },
                    { ", \"error\": ", d->error, 3 },
                    { ", \"doubt\": ", d->doubt, 3 },
                    { ", \"step\": ", d->step, 9 } };
    if (i) fputc(',', out);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
      fputs(numbers[k].before, out);
      cli_page_number(out, numbers[k].value, numbers[k].digits);
    }
    fputc('}', out);
  }
  fputs("\n  ]}", out);
}

static void show_json(FILE *out, const check_args *a, const crd_check *const checks[PARTS]) {
  cli_page_begin(out, "gradient-check");
  cli_page_member(out, ",\n  ", "model", a->model);
  fprintf(out, ",\n  \"batch\": %u,\n  \"seed\": %u", a->batch, a->seed);
  for (size_t i = 0; i < PARTS; i++) {
    fprintf(out, ",\n  \"%s\": ", parts[i].name);
    if (checks[i]) part_json(out, checks[i]);
    else fputs("null", out);
  }
  fputs("\n}\n", out);
}

static void report_undecided(const char *name, double tolerance, const crd_check *c) {
  fprintf(stderr, "credence: gradients with respect to the %s could not be decided: ", name);
  if (isfinite(c->limit))
    fprintf(
        stderr,
        "their relative error is at most %.2g, which is more than the tolerance of %g; rounding "
        "and kinks hide smaller errors (--tolerance, --directions, --batch)\n",
        c->limit, tolerance);
  else
    fputs("along a step derivatives have peaks too narrow for finite differences, as where batch "
          "norms see two or three values (--batch, or a model exported with a larger one)\n",
          stderr);
}

/* Reports a verdict other than right on standard error; returns the exit code. */
static int judge(const char *name, double tolerance, const crd_check *c) {
  const crd_check_direction *const worst = &c->directions[c->worst];
  if (c->verdict == CRD_CHECK_RIGHT) return 0;
  if (c->verdict == CRD_CHECK_UNDECIDED) {
    report_undecided(name, tolerance, c);
    return CLI_EXIT_UNDECIDED;
  }
  fprintf(stderr,
          "credence: gradients with respect to the %s are wrong: along direction %zu the backward "
          "pass gives %.6g, finite differences %.6g: a relative error of %.2g, allowed is %g\n",
          name, c->worst, worst->backward, worst->difference, worst->error, tolerance);
  return crd_status_exit_code(CRD_ENUMERIC);
}

/* Wrong gradients count more than undecided ones. */
static void judge_all(cli_session *session, double tolerance,
                      const crd_check *const checks[PARTS]) {
  for (size_t i = 0; i < PARTS; i++) {
    const int code = checks[i] ? judge(parts[i].name, tolerance, checks[i]) : 0;
    if (code && session->exit_code != crd_status_exit_code(CRD_ENUMERIC)) session->exit_code = code;
  }
}

/* ---- The command. */

static crd_status check_model(cli_session *session, const check_args *a, const crd_model *model,
                              double tolerance, const crd_check *checks[PARTS]) {
  crd_array shapes[CLI_NET_INPUTS];
  crd_compile_options how = {
    .size = sizeof how, .batch = a->batch, .inputs = shapes, .parameters_only = 1
  };
  crd_status status = cli_net_shapes(session, model, a->shapes.text, shapes, &how.input_count);
  if (!a->quiet) cli_progress_show(session->ctx);
  for (size_t i = 0; i < PARTS && status == CRD_OK; i++) {
    const crd_check_options what = { .size = sizeof what,
                                     .subject = parts[i].subject,
                                     .directions = a->directions,
                                     .tolerance = tolerance };
    how.mode = parts[i].mode;
    status = check_part(session, model, &how, &what, &checks[i]);
  }
  cli_progress_hide(session->ctx);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const check_args *a = arguments;
  crd_model *model = NULL;
  const crd_check *checks[PARTS] = { NULL };
  char *end;
  const double tolerance = strtod(a->tolerance, &end);
  if (end == a->tolerance || *end || !(tolerance > 0 && tolerance <= 1))
    return cli_refuse(session, "--tolerance takes a number above 0 and at most 1, found '%s'",
                      a->tolerance);
  crd_context_set_threads(session->ctx, a->threads);
  crd_context_set_seed(session->ctx, a->seed);
  crd_status status = crd_model_open(session->ctx, a->model, &model);
  if (status == CRD_OK) status = check_model(session, a, model, tolerance, checks);
  if (status == CRD_OK) {
    (a->json ? show_json : show_text)(session->out, a, checks);
    judge_all(session, tolerance, checks);
  }
  for (size_t i = 0; i < PARTS; i++) crd_check_destroy(checks[i]);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_net_check = {
  .name = "net check",
  .group = "net",
  .summary = "check the gradients of a network",
  .description =
      "Compares the gradients of the backward pass with finite differences, at random inputs and "
      "along random directions: first with respect to the inputs, with frozen parameters as in "
      "inference, then with respect to the parameters, with batch statistics as in training. The "
      "function is a sum of the first output's elements with random factors. The step is as short "
      "as rounding allows, and the difference quotient is compared with the mean directional "
      "derivative along the step, also if it crosses kinks, such as those of Relu. All directions "
      "are judged together: an error of the gradients shows along most of them, rounding and kinks "
      "along each in another way. Gradients are right if their error, estimated so, is surely at "
      "most the tolerance.\n"
      "Wrong gradients give exit code 5, with the direction and both values. If neither can be "
      "shown, "
      "the verdict is undecided, and the exit code 7.",
  .options = options,
  .examples = examples,
  .size = sizeof(check_args),
  .run = run,
};
