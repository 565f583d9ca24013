/*
 * models.c -- several models, one line each: values with their intervals, marked where they differ
 * from the best model's beyond chance.
 */
#include "base/json_text.h"
#include "report/grid/grid.h"
#include "report/json_parts.h"
#include "report/plain.h"

#include <math.h>

enum { WIDTH = 80, INDENT = 8 };

/* ---- The table. */

static const crd_named_result *model_at(const void *self, size_t line) {
  return &((const crd__report_models *)self)->items[line];
}

static const char *name_of(const void *self, size_t line) { return model_at(self, line)->name; }

static crd__report_column column_of(const void *self, size_t column) {
  return crd__report_metric_column(model_at(self, 0)->result->values[column].metric);
}

static crd__report_cell cell_of(const void *self, size_t line, size_t column) {
  const crd_named_result *const model = model_at(self, line);
  const crd_metric_value *const v = &model->result->values[column];
  const bool worse = model->p && model->p[column] < 0.05;
  return (crd__report_cell){ .value = v->value,
                             .low = v->low,
                             .high = v->high,
                             .std = (double)NAN,
                             .comparable = true,
                             .mark = worse ? '*' : ' ' };
}

static crd__report_grid grid_of(const crd__report_models *models, const crd_report_options *options,
                                const char *corner) {
  return (crd__report_grid){ .self = models,
                             .lines = models->count,
                             .columns = models->items[0].result->value_count,
                             .corner = corner,
                             .name = name_of,
                             .column = column_of,
                             .cell = cell_of,
                             .digits = options->digits,
                             .percent = options->percent != 0 };
}

/* ---- Captions. */

static bool is_tested(const crd__report_models *models) {
  for (size_t i = 0; i < models->count; i++)
    for (size_t m = 0; models->items[i].p && m < models->items[i].result->value_count; m++)
      if (!isnan(models->items[i].p[m])) return true;
  return false;
}

static void add_rows(crd__text *out, const crd__report_models *models) {
  size_t least = models->items[0].result->rows, most = least;
  for (size_t i = 1; i < models->count; i++) {
    const size_t rows = models->items[i].result->rows;
    if (rows < least) least = rows;
    if (rows > most) most = rows;
  }
  crd__text_addf(out, "%zu", least);
  if (most > least) crd__text_addf(out, " to %zu", most);
  crd__text_addf(out, " row%s.", most == 1 ? "" : "s");
}

/* What a number of the table is. */
static void add_caption(crd__text *out, const crd__report_models *models) {
  const crd_result *const first = models->items[0].result;
  add_rows(out, models);
  if (first->resamples)
    crd__text_addf(out,
                   " Intervals: 95 %%, of each value by itself, from %u bootstrap resamples%s.",
                   first->resamples, first->cluster ? " of clusters" : "");
  if (is_tested(models))
    crd__text_addf(out,
                   " *: significantly different from the best (p < 0.05 from paired resamples of "
                   "the same rows%s).",
                   models->count > 2 ? ", corrected for the number of models" : "");
}

static const char marks[] = " Bold: the best value of its column; underlined: the second.";

/* ---- The forms. */

/* Missing values and, unless `quiet`, notes of all models, one a line: "NAME: ..." after `begin`,
 * and for the first one `before`. */
static void add_remarks(crd__text *out, const crd__report_models *models, bool quiet,
                        const char *before, const char *begin,
                        void (*add)(crd__text *out, const char *words)) {
  for (size_t i = 0; i < models->count; i++) {
    const crd_result *const r = models->items[i].result;
    for (size_t m = 0; m < r->value_count + (quiet ? 0 : r->note_count); m++) {
      const bool note = m >= r->value_count;
      const crd_metric_value *const v = note ? NULL : &r->values[m];
      if (!note && !v->reason) continue;
      crd__text_add(out, before);
      before = "";
      crd__text_add(out, begin);
      add(out, models->items[i].name);
      crd__text_add(out, ": ");
      if (!note) add(out, crd__report_title(v->metric));
      if (!note) crd__text_add(out, ": ");
      add(out, note ? r->notes[m - r->value_count] : v->reason);
      crd__text_add(out, "\n");
    }
  }
}

static void add_plain(crd__text *out, const char *words) {
  crd__report_text_add_plain(out, words, 0);
}

/* Wrapped lines "  note: NAME: ..." */
static void add_text_remarks(crd__text *out, const crd__report_models *models,
                             const crd_report_options *options) {
  crd__text lines;
  crd__text_init(&lines, out->alloc);
  add_remarks(&lines, models, options->quiet, "", "", add_plain);
  char *at = lines.failed ? NULL : lines.bytes;
  for (size_t begin = 0, i = 0; at && i < lines.length; i++) {
    if (at[i] != '\n') continue;
    at[i] = '\0';
    crd__text_add(out, begin ? "  note: " : "\n  note: ");
    crd__report_text_add_wrapped(out, at + begin,
                                 &(crd__report_wrapping){ INDENT, INDENT, WIDTH, options->ascii });
    begin = i + 1;
  }
  out->failed |= lines.failed;
  crd__text_clear(&lines);
}

void crd__report_models_text(const crd__report_models *models, const crd_report_options *options,
                             crd__text *out) {
  const crd__report_grid grid = grid_of(models, options, "model");
  crd__text caption;
  crd__report_grid_text(out, &grid, options);
  crd__text_init(&caption, out->alloc);
  add_caption(&caption, models);
  crd__text_add(out, "  ");
  if (!caption.failed)
    crd__report_text_add_wrapped(out, caption.bytes,
                                 &(crd__report_wrapping){ 2, 2, WIDTH, options->ascii });
  out->failed |= caption.failed;
  crd__text_clear(&caption);
  add_text_remarks(out, models, options);
}

void crd__report_models_markdown(const crd__report_models *models,
                                 const crd_report_options *options, crd__text *out) {
  const crd__report_grid grid = grid_of(models, options, "model");
  crd__text caption;
  crd__report_grid_markdown(out, &grid);
  crd__text_init(&caption, out->alloc);
  add_caption(&caption, models);
  crd__text_add(out, "\n");
  if (!caption.failed) crd__report_markdown_add(out, caption.bytes);
  out->failed |= caption.failed;
  crd__text_clear(&caption);
  crd__text_addf(out, "%s\n", marks);
  add_remarks(out, models, false, "\n", "- ", crd__report_markdown_add);
}

void crd__report_models_latex(const crd__report_models *models, const crd_report_options *options,
                              crd__text *out) {
  const crd__report_grid grid = grid_of(models, options, "Model");
  crd__text_add(out, "% ");
  add_caption(out, models);
  crd__text_addf(out, "%s\n", marks);
  add_remarks(out, models, false, "", "% ", add_plain);
  crd__report_grid_latex(out, &grid);
}

/* One line per model, three columns per metric. */
void crd__report_models_csv(const crd__report_models *models, const crd_report_options *options,
                            crd__text *out) {
  const crd_result *const first = models->items[0].result;
  (void)options;
  crd__text_add(out, "model,rows");
  for (size_t m = 0; m < first->value_count; m++) {
    const char *const name = first->values[m].metric->name;
    crd__text_addf(out, ",%s,%s.low,%s.high", name, name, name);
  }
  for (size_t i = 0; i < models->count; i++) {
    const crd_result *const r = models->items[i].result;
    crd__text_add(out, "\n");
    crd__text_add_field(out, models->items[i].name);
    crd__text_addf(out, ",%zu", r->rows);
    for (size_t m = 0; m < r->value_count; m++) {
      crd__report_csv_number(out, r->values[m].value);
      crd__report_csv_number(out, r->values[m].low);
      crd__report_csv_number(out, r->values[m].high);
    }
  }
  crd__text_add(out, "\n");
}

void crd__report_models_json(const crd__report_models *models, const crd_report_options *options,
                             crd__text *out) {
  (void)options;
  crd__report_json_begin(out, "results");
  crd__text_add(out, "\n\"results\": [");
  for (size_t i = 0; i < models->count; i++) {
    crd__text_add(out, i ? ",\n" : "\n");
    crd__report_json_result(out, &models->items[i]);
  }
  crd__text_add(out, "\n]\n}\n");
}
