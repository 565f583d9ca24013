/* cmd_list.c -- credence list: the tables of the library: metrics, methods, losses, formats ... */
#include "clamp_settings_page.h"
#include "command.h"
#include "confidence.h"
#include "data_page.h"
#include "loss_page.h"
#include "method_page.h"
#include "net_page.h"
#include "option.h"
#include "page.h"
#include "part_page.h"
#include "zoo_page.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct {
  const char *kind, *name, *form;
} list_args;

static const char *better(crd_direction direction) {
  static const char *const words[] = { [CRD_LOWER_IS_BETTER] = "lower",
                                       [CRD_HIGHER_IS_BETTER] = "higher",
                                       [CRD_NEITHER_IS_BETTER] = "neither" };
  return words[direction];
}

/* The program never calls setlocale, so numbers have a decimal point here. */
static const char *range(const crd_metric_info *m, char text[static 64]) {
  char low[24], high[24];
  if (isinf(m->low)) snprintf(low, sizeof low, "(-inf");
  else snprintf(low, sizeof low, "[%g", m->low);
  if (isinf(m->high)) snprintf(high, sizeof high, "inf)");
  else snprintf(high, sizeof high, "%g]", m->high);
  snprintf(text, 64, "%s, %s", low, high);
  return text;
}

/* ---- Metrics. */

static const char *by_default(const crd_metric_info *m) {
  return m->standard == 0 ? "no" : m->standard == 1 ? "yes" : "with --binary pos";
}

static void metric_text(FILE *out, size_t index) {
  const crd_metric_info *m = crd_metric_at(index);
  char bounds[64], term[160];
  snprintf(term, sizeof term, "%-23s%c %-11s %s", m->name, m->standard == 1 ? '*' : ' ',
           range(m, bounds), better(m->direction));
  cli_page_entry(out, term, 48, m->summary);
}

static void json_bound(FILE *out, const char *key, double bound) {
  if (isinf(bound)) fprintf(out, ", \"%s\": null", key);
  else fprintf(out, ", \"%s\": %.17g", key, bound);
}

static void metric_json(FILE *out, size_t index) {
  const crd_metric_info *m = crd_metric_at(index);
  cli_page_member(out, "", "name", m->name);
  cli_page_member(out, ", ", "title", m->title);
  cli_page_member(out, ", ", "summary", m->summary);
  cli_page_member(out, ", ", "meaning", m->meaning);
  cli_page_member(out, ", ", "reference", m->reference);
  json_bound(out, "low", m->low);
  json_bound(out, "high", m->high);
  cli_page_member(out, ", ", "better", better(m->direction));
  fprintf(out, ", \"default\": %s", m->standard == 1 ? "true" : "false");
}

static void metric_full(FILE *out, size_t index) {
  const crd_metric_info *m = crd_metric_at(index);
  char bounds[64];
  fprintf(out, "%s: ", m->name);
  cli_page_wrap(out, m->summary, strlen(m->name) + 2, 0);
  fputc('\n', out);
  cli_page_wrap(out, m->meaning, 0, 0);
  fputc('\n', out);
  cli_page_entry(out, "in tables", 20, m->title);
  cli_page_entry(out, "range", 20, range(m, bounds));
  cli_page_entry(out, "better", 20, better(m->direction));
  cli_page_entry(out, "by default", 20, by_default(m));
  cli_page_entry(out, "reference", 20, m->reference);
}

static void metric_markdown(FILE *out, size_t index) {
  const crd_metric_info *m = crd_metric_at(index);
  char bounds[64];
  fprintf(out, "## %s\n\n%c%s.\n\n%s\n\n", m->name, toupper((unsigned char)m->summary[0]),
          m->summary + 1, m->meaning);
  fprintf(
      out,
      "- in tables: %s\n- range: %s\n- better: %s\n- reference: %s\n- measured by default: %s\n",
      m->title, range(m, bounds), better(m->direction), m->reference, by_default(m));
}

/* ---- Tables whose entries have a name and a summary. */

static void named_json(FILE *out, const char *name, const char *summary) {
  cli_page_member(out, "", "name", name);
  cli_page_member(out, ", ", "summary", summary);
}

static void named_markdown(FILE *out, const char *name, const char *summary) {
  fprintf(out, "## %s\n\n%s\n", name, summary);
}

#define NAMED(thing, at, column)                                                                   \
  static const char *thing##_name(size_t index) { return at(index) ? at(index)->name : NULL; }     \
  static void thing##_text(FILE *out, size_t index) {                                              \
    cli_page_entry(out, at(index)->name, column, at(index)->summary);                              \
  }                                                                                                \
  static void thing##_json(FILE *out, size_t index) {                                              \
    named_json(out, at(index)->name, at(index)->summary);                                          \
  }                                                                                                \
  static void thing##_markdown(FILE *out, size_t index) {                                          \
    named_markdown(out, at(index)->name, at(index)->summary);                                      \
  }
NAMED(form, crd_report_at, 14)
NAMED(finding, crd_finding_at, 20)
NAMED(format, crd_format_at, 16)
NAMED(export, crd_export_at, 14)
NAMED(figure, crd_figure_at, 16)
#undef NAMED

/* ---- Operators of networks. */

static const char *operator_name(size_t index) {
  return crd_operator_at(index) ? crd_operator_at(index)->name : NULL;
}

static void operator_text(FILE *out, size_t index) {
  const crd_operator_info *const o = crd_operator_at(index);
  char term[80];
  snprintf(term, sizeof term, "%-24s%2d to %2d  %s", o->name, o->since, o->until, cli_net_back(o));
  cli_page_entry(out, term, 42, o->summary);
}

static void operator_json(FILE *out, size_t index) {
  const crd_operator_info *const o = crd_operator_at(index);
  named_json(out, o->name, o->summary);
  fprintf(out,
          ", \"since\": %d, \"until\": %d, \"forward\": true, \"backward_input\": %s, "
          "\"backward_parameters\": %s",
          o->since, o->until, o->backward_input ? "true" : "false",
          o->backward_parameters ? "true" : "false");
}

static void operator_markdown(FILE *out, size_t index) {
  const crd_operator_info *const o = crd_operator_at(index);
  named_markdown(out, o->name, o->summary);
  fprintf(out, "\nOperator sets %d to %d; forward%s%s.\n", o->since, o->until,
          o->backward_input ? ", backward to inputs" : ", not differentiable",
          o->backward_parameters ? ", backward to parameters" : "");
}

/* ---- Conventions: what other packages compute. */

/* Values of metrics (`evaluate --compat`), then fits of methods (`fit --compat`). */
typedef struct {
  const char *peer, *package, *kind, *what, *call, *why;
} convention;

static convention convention_at(size_t index) {
  const crd_convention *const c = crd_convention_at(index);
  if (c)
    return (convention){ c->peer->name, c->peer->package, "metric", c->metric, c->call, c->why };
  const crd_fit_convention *const f = crd_fit_convention_at(index - crd_convention_count());
  return (convention){ f->name, f->package, "method", f->methods, f->call, f->why };
}

static size_t convention_count(void) { return crd_convention_count() + crd_fit_convention_count(); }

static void convention_text(FILE *out, size_t index) {
  const convention c = convention_at(index);
  char term[80];
  snprintf(term, sizeof term, "%-20s%s", c.peer, c.what);
  cli_page_entry(out, term, 38, c.call);
  cli_page_entry(out, "", 38, c.why);
}

static void convention_json(FILE *out, size_t index) {
  const convention c = convention_at(index);
  cli_page_member(out, "", "peer", c.peer);
  cli_page_member(out, ", ", "package", c.package);
  cli_page_member(out, ", ", c.kind, c.what);
  cli_page_member(out, ", ", "call", c.call);
  cli_page_member(out, ", ", "why", c.why);
}

static void convention_markdown(FILE *out, size_t index) {
  const convention c = convention_at(index);
  fprintf(out, "## %s: %s\n\n- package: %s\n- call: `%s`\n- why it differs: %s\n", c.peer, c.what,
          c.package, c.call, c.why);
}

/* ---- The kinds: one entry for each table. */

typedef void writer(FILE *out, size_t index);

typedef struct {
  const char *name, *title;
  size_t (*count)(void);
  const char *(*at)(size_t index); /* the name of an entry; NULL past the end */
  const char *head, *foot;         /* above and below the lines of the text */
  writer *text, *full;             /* an entry as one line, and in full; NULL: the line is all */
  writer *json, *markdown;
  void (*more)(FILE *out, bool markdown); /* after all entries; NULL: nothing */
} kind;

static const char *metric_name(size_t index) {
  return crd_metric_at(index) ? crd_metric_at(index)->name : NULL;
}

static const char *convention_name(size_t index) {
  return index < convention_count() ? convention_at(index).peer : NULL;
}

#define PLAIN(thing) thing##_name, "", "", thing##_text, NULL, thing##_json, thing##_markdown, NULL
static const kind kinds[] = {
  { "metrics", "metrics of calibration and refinement", crd_metric_count, metric_name,
    "  name                     range       better   summary\n",
    "\n  * measured by default\n\n'credence list metrics ece' shows one in full.\n", metric_text,
    metric_full, metric_json, metric_markdown, NULL },
  { "methods", "calibration methods", crd_method_count, cli_method_word, cli_method_head,
    cli_method_foot, cli_method_row, cli_method_full, cli_method_json, cli_method_markdown, NULL },
  { "losses", "training losses", crd_loss_count, cli_loss_word, cli_loss_head, cli_loss_foot,
    cli_loss_row, cli_loss_full, cli_loss_json, cli_loss_markdown, NULL },
  { "networks", "networks to train", crd_architecture_count, cli_zoo_word, cli_zoo_head,
    cli_zoo_foot, cli_zoo_row, cli_zoo_full, cli_zoo_json, cli_zoo_markdown, NULL },
  { "optimisers", "optimisers of 'credence train'", crd_optimiser_count, cli_optimiser_word,
    cli_part_head, cli_optimiser_foot, cli_optimiser_row, cli_optimiser_full, cli_optimiser_json,
    cli_optimiser_markdown, NULL },
  { "schedules", "schedules of the learning rate", crd_schedule_count, cli_schedule_word,
    cli_part_head, cli_schedule_foot, cli_schedule_row, cli_schedule_full, cli_schedule_json,
    cli_schedule_markdown, NULL },
  { "datasets", "kinds of datasets", crd_dataset_kind_count, cli_dataset_word, "", cli_dataset_foot,
    cli_dataset_row, cli_dataset_full, cli_dataset_json, cli_dataset_markdown, NULL },
  { "augmentations", "random transformations of training images", crd_augmentation_count,
    cli_augmentation_word, "", cli_augmentation_foot, cli_augmentation_row, cli_augmentation_full,
    cli_augmentation_json, cli_augmentation_markdown, NULL },
  { "corruptions", "corruptions of images, for tests under shift", crd_corruption_count,
    cli_corruption_word, "", cli_corruption_foot, cli_corruption_row, cli_corruption_full,
    cli_corruption_json, cli_corruption_markdown, NULL },
  { "clamp-settings", "settings of 'credence clamp'", crd_clamp_setting_count,
    cli_clamp_setting_word, "", "", cli_clamp_setting_row, NULL, cli_clamp_setting_json,
    cli_clamp_setting_markdown, cli_clamp_recipes },
  { "confidence-settings", "settings of 'credence train-confidence'", crd_confidnet_setting_count,
    cli_confidence_setting_word, "", "", cli_confidence_setting_row, NULL,
    cli_confidence_setting_json, cli_confidence_setting_markdown, NULL },
  { "exports", "export formats of calibrators", crd_export_count, PLAIN(export) },
  { "forms", "output forms of results", crd_report_count, PLAIN(form) },
  { "figures", "figures of 'credence plot'", crd_figure_count, PLAIN(figure) },
  { "operators", "supported operators of networks", crd_operator_count, operator_name,
    "  name                    opsets    back  supported\n",
    "\n  back: backward pass with respect to inputs (x) and parameters (w)\n", operator_text, NULL,
    operator_json, operator_markdown, NULL },
  { "formats", "file formats of predictions", crd_format_count, PLAIN(format) },
  { "findings", "findings of 'credence doctor'", crd_finding_count, PLAIN(finding) },
  { "conventions", "what other packages compute, and why it differs", convention_count,
    convention_name, "  peer                metric, method  call, and why it differs\n", "",
    convention_text, NULL, convention_json, convention_markdown, NULL },
};
#undef PLAIN
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* ---- The list of kinds, if none is given. */

static size_t kind_count(void) { return KIND_COUNT; }

static void kind_text(FILE *out, size_t index) {
  char line[128];
  snprintf(line, sizeof line, "%s (%zu)", kinds[index].title, kinds[index].count());
  cli_page_entry(out, kinds[index].name, 18, line);
}

static void kind_json(FILE *out, size_t index) {
  cli_page_member(out, "", "name", kinds[index].name);
  cli_page_member(out, ", ", "summary", kinds[index].title);
  fprintf(out, ", \"count\": %zu", kinds[index].count());
}

static void kind_markdown(FILE *out, size_t index) {
  fprintf(out, "## %s\n\n%s (%zu).\n", kinds[index].name, kinds[index].title, kinds[index].count());
}

static const char *kind_word(size_t index) { return index < KIND_COUNT ? kinds[index].name : NULL; }

static const kind all_kinds = {
  "",         "kinds of things to list",
  kind_count, kind_word,
  "",         "\n'credence list metrics' lists the metrics.\n",
  kind_text,  NULL,
  kind_json,  kind_markdown,
  NULL,
};

static const kind *find(const char *name) {
  const kind *k = kinds;
  while (strcmp(k->name, name) != 0) k++; /* the parser allows no other word */
  return k;
}

/* ---- All entries of a kind, or those of one name. */

static bool is_wanted(const kind *k, size_t index, const char *name) {
  return !name || strcmp(k->at(index), name) == 0;
}

static void list_text(FILE *out, const kind *k, const char *name) {
  fputs(name ? "" : k->head, out);
  for (size_t i = 0; i < k->count(); i++)
    if (is_wanted(k, i, name)) (name && k->full ? k->full : k->text)(out, i);
  if (k->count() == 0) fprintf(out, "%s: none, this feature is not built in\n", k->name);
  fputs(name ? "" : k->foot, out);
  if (k->more && !name) k->more(out, false);
}

static void list_json(FILE *out, const kind *k, const char *name) {
  size_t written = 0;
  cli_page_begin(out, "list");
  cli_page_member(out, ",\n  ", "of", *k->name ? k->name : "kinds");
  fputs(",\n  \"items\": [", out);
  for (size_t i = 0; i < k->count(); i++) {
    if (!is_wanted(k, i, name)) continue;
    fputs(written++ ? ",\n    {" : "\n    {", out);
    k->json(out, i);
    fputc('}', out);
  }
  fputs("\n  ]\n}\n", out);
}

static void list_markdown(FILE *out, const kind *k, const char *name) {
  fprintf(out, "# %c%s\n", toupper((unsigned char)k->title[0]), k->title + 1);
  for (size_t i = 0; i < k->count(); i++) {
    if (!is_wanted(k, i, name)) continue;
    fputc('\n', out);
    k->markdown(out, i);
  }
  if (k->more && !name) k->more(out, true);
}

static const char *name_at(const void *self, size_t index) {
  return ((const kind *)self)->at(index);
}

static crd_status check_name(cli_session *session, const kind *k, const char *name) {
  char hint[CLI_HINT_SIZE];
  if (!name) return CRD_OK;
  for (size_t i = 0; i < k->count(); i++)
    if (is_wanted(k, i, name)) return CRD_OK;
  return cli_refuse(session, "none of the %s is called '%s'%s", k->name, name,
                    cli_hint(hint, "", crd_nearest(name, name_at, k)));
}

static crd_status run(cli_session *session, const void *arguments) {
  static const struct {
    const char *name;
    void (*list)(FILE *out, const kind *k, const char *name);
  } forms[] = { { "text", list_text }, { "json", list_json }, { "markdown", list_markdown } };
  const list_args *a = arguments;
  const kind *k = a->kind ? find(a->kind) : &all_kinds;
  const crd_status status = check_name(session, k, a->name);
  for (size_t i = 0; status == CRD_OK && i < sizeof forms / sizeof *forms; i++) {
    if (strcmp(forms[i].name, a->form) == 0) forms[i].list(session->out, k, a->name);
  }
  return status;
}

static const cli_option options[] = {
  { CLI_OPERAND, .argument = "KIND", .offset = offsetof(list_args, kind), .word = kind_word,
    .optional = true, .help = "what to list; without it, the kinds themselves" },
  { CLI_OPERAND, .argument = "NAME", .offset = offsetof(list_args, name), .optional = true,
    .help = "show only this one, in full" },
  { CLI_SELECT, 0, "json", .offset = offsetof(list_args, form), .standard = "text",
    .help = "write JSON, with all details" },
  { CLI_SELECT, 0, "markdown", .offset = offsetof(list_args, form),
    .help = "write a Markdown document" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "list", "the kinds of things to list" },
  { "list metrics", "all metrics: name, range, direction, summary" },
  { "list metrics --json", "the same with explanations and references, as JSON" },
  { "list methods platt", "one method in full, with its settings" },
  { .line = NULL },
};

const cli_command cli_command_list = {
  .name = "list",
  .summary = "list metrics, methods, losses, formats and more",
  .description = "Lists the names that other commands take: metrics, calibration methods, losses, "
                 "figures, operators and more.",
  .options = options,
  .examples = examples,
  .size = sizeof(list_args),
  .run = run,
};
