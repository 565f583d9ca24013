/* data_facts.c -- facts about datasets: gathered, as text, as JSON. */
#include "data_facts.h"
#include "page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 14, SHOWN_MAX = 8, WORDS_MAX = 1000000000 };

/* ---- Gathering. */

static int by_address(const void *left, const void *right) {
  const char *const a = *(const char *const *)left, *const b = *(const char *const *)right;
  return (a > b) - (a < b);
}

/* Rows of one group have the same pointer as its name. */
static bool gather_groups(cli_facts *f, size_t rows) {
  const char **const names = calloc(rows + 1, sizeof *names); /* rows may be 0 */
  size_t count = 0;
  if (!names) return false;
  for (size_t i = 0; i < rows; i++) {
    const char *const name = crd_dataset_group(f->dataset, i);
    if (name) names[count++] = name;
  }
  qsort(names, count, sizeof *names, by_address);
  for (size_t i = 0, run = 0; i < count; i++) {
    const bool same = i > 0 && names[i] == names[i - 1];
    run = same ? run + 1 : 1;
    f->group_count += !same;
    const bool first = run == f->largest && strcmp(names[i], f->largest_group) < 0;
    if (run <= f->largest && !first) continue;
    f->largest = run;
    f->largest_group = names[i];
  }
  free(names);
  return true;
}

static bool gather_rows(cli_facts *f) {
  const crd_dataset_shape *const shape = crd_dataset_describe(f->dataset);
  f->class_counts = calloc(shape->classes + 1, sizeof *f->class_counts);
  if (!f->class_counts) return false;
  for (size_t i = 0; i < shape->rows; i++) {
    const int64_t label = crd_dataset_label(f->dataset, i);
    const double weight = crd_dataset_weight(f->dataset, i);
    if (label < 0) f->unlabelled++;
    else f->class_counts[label]++;
    if (i == 0 || weight < f->lightest) f->lightest = weight;
    if (i == 0 || weight > f->heaviest) f->heaviest = weight;
  }
  return !shape->has_groups || gather_groups(f, shape->rows);
}

crd_status cli_facts_gather(crd_context *ctx, const crd_dataset *dataset, cli_facts *out) {
  const crd_encoding_options options = { .size = sizeof options, .word_count = WORDS_MAX };
  *out = (cli_facts){ .dataset = dataset };
  if (!gather_rows(out)) return crd_context_fail(ctx, CRD_ENOMEM, "no memory for counts");
  return crd_encoding_learn(ctx, dataset, &options, &out->encoding);
}

void cli_facts_clear(cli_facts *facts) {
  crd_encoding_destroy(facts->encoding);
  free(facts->class_counts);
  *facts = (cli_facts){ 0 };
}

/* ---- Text. */

static const char *type_word(crd_sample_type type) {
  static const char *const words[] = { [CRD_SAMPLES_IMAGES] = "images",
                                       [CRD_SAMPLES_VECTORS] = "vectors",
                                       [CRD_SAMPLES_TEXTS] = "texts" };
  return words[type];
}

static void text_head(FILE *out, const crd_dataset_shape *shape) {
  fprintf(out, "%s: %zu %s", shape->name, shape->rows, type_word(shape->type));
  for (size_t i = 0; i < shape->rank && shape->type != CRD_SAMPLES_TEXTS; i++)
    fprintf(out, "%s%lld", i ? " x " : " of ", (long long)shape->dims[i]);
  fputs("\n\n", out);
}

static void text_classes(FILE *out, const cli_facts *f) {
  const crd_dataset_shape *const shape = crd_dataset_describe(f->dataset);
  size_t width = strlen("class");
  if (shape->classes == 0) {
    cli_page_entry(out, "classes", COLUMN, "no labels");
    return;
  }
  for (size_t k = 0; k < shape->classes; k++)
    if (strlen(shape->class_names[k]) > width) width = strlen(shape->class_names[k]);
  fprintf(out, "  %-*s  samples    share\n", (int)width, "class");
  for (size_t k = 0; k < shape->classes; k++)
    fprintf(out, "  %-*s  %7zu  %5.1f %%\n", (int)width, shape->class_names[k], f->class_counts[k],
            100 * (double)f->class_counts[k] / (double)shape->rows);
  if (f->unlabelled) fprintf(out, "  %-*s  %7zu\n", (int)width, "(none)", f->unlabelled);
  fputc('\n', out);
}

static void text_numbers(FILE *out, const char *name, const double *numbers, size_t count) {
  char line[256];
  size_t at = 0;
  for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
    at += (size_t)snprintf(line + at, sizeof line - at, "%s%.5g", i ? ", " : "", numbers[i]);
  if (count > SHOWN_MAX)
    snprintf(line + at, sizeof line - at, ", ... (%zu columns, all of them with --json)", count);
  cli_page_entry(out, name, COLUMN, line);
}

static void text_one(FILE *out, const cli_facts *f) {
  const crd_dataset_shape *const shape = crd_dataset_describe(f->dataset);
  char line[256];
  const char *note;
  text_head(out, shape);
  text_classes(out, f);
  if (shape->has_groups) {
    snprintf(line, sizeof line, "%zu; the largest, '%.100s', has %zu samples", f->group_count,
             f->largest_group ? f->largest_group : "", f->largest);
    cli_page_entry(out, "groups", COLUMN, line);
  }
  if (shape->has_weights) {
    snprintf(line, sizeof line, "from %.5g to %.5g", f->lightest, f->heaviest);
    cli_page_entry(out, "weights", COLUMN, line);
  }
  if (shape->type == CRD_SAMPLES_TEXTS) {
    snprintf(line, sizeof line, "%zu different ones", f->encoding->word_count);
    cli_page_entry(out, "words", COLUMN, line);
  } else {
    text_numbers(out, "mean", f->encoding->mean, f->encoding->channels);
    text_numbers(out, "std", f->encoding->std, f->encoding->channels);
  }
  for (size_t i = 0; (note = crd_dataset_note(f->dataset, i)); i++) {
    fputs("  note: ", out);
    cli_page_wrap(out, note, 8, 8);
  }
}

static void text_overlap(FILE *out, const cli_facts *facts, const crd_overlap *o) {
  const char *const left = crd_dataset_describe(facts[0].dataset)->name;
  const char *const right = crd_dataset_describe(facts[1].dataset)->name;
  const bool grouped = crd_dataset_describe(facts[0].dataset)->has_groups &&
                       crd_dataset_describe(facts[1].dataset)->has_groups;
  fprintf(out, "\nin both:\n");
  if (!grouped) fputs("  groups: unknown\n", out);
  else if (o->group_count == 0) fputs("  groups: none\n", out);
  else fprintf(out, "  groups: %zu, the first is '%s'\n", o->group_count, o->group);
  if (o->sample_count == 0) fputs("  identical samples: none\n", out);
  else
    fprintf(out, "  identical samples: %zu of %s, the first is its row %zu, row %zu of %s\n",
            o->sample_count, right, o->right, o->left, left);
}

void cli_facts_text(FILE *out, const cli_facts *facts, size_t count, const crd_overlap *overlap) {
  for (size_t i = 0; i < count; i++) {
    fputs(i ? "\n" : "", out);
    text_one(out, &facts[i]);
  }
  if (overlap) text_overlap(out, facts, overlap);
}

/* ---- JSON. */

static void json_numbers(FILE *out, const char *key, const double *numbers, size_t count) {
  fprintf(out, ",\n     \"%s\": ", key);
  if (!numbers) fputs("null", out);
  for (size_t i = 0; numbers && i < count; i++) {
    fputs(i ? ", " : "[", out);
    cli_page_number(out, numbers[i], 17);
  }
  if (numbers) fputc(']', out);
}

static void json_classes(FILE *out, const cli_facts *f) {
  const crd_dataset_shape *const shape = crd_dataset_describe(f->dataset);
  fputs(",\n     \"classes\": [", out);
  for (size_t k = 0; k < shape->classes; k++) {
    cli_page_member(out, k ? ",\n       {" : "\n       {", "name", shape->class_names[k]);
    fprintf(out, ", \"samples\": %zu}", f->class_counts[k]);
  }
  fprintf(out, "], \"unlabelled\": %zu", f->unlabelled);
}

static void json_groups(FILE *out, const cli_facts *f) {
  fputs(",\n     \"groups\": ", out);
  if (!crd_dataset_describe(f->dataset)->has_groups) {
    fputs("null", out);
    return;
  }
  fprintf(out, "{\"count\": %zu, \"largest\": ", f->group_count);
  if (f->largest_group) {
    cli_page_member(out, "{", "name", f->largest_group);
    fprintf(out, ", \"samples\": %zu}", f->largest);
  } else fputs("null", out);
  fputc('}', out);
}

static void json_one(FILE *out, const cli_facts *f) {
  const crd_dataset_shape *const shape = crd_dataset_describe(f->dataset);
  const bool texts = shape->type == CRD_SAMPLES_TEXTS;
  const char *note;
  cli_page_member(out, "\n    {", "data", shape->name);
  cli_page_member(out, ", ", "type", type_word(shape->type));
  fprintf(out, ", \"samples\": %zu, \"shape\": [", shape->rows);
  for (size_t i = 0; i < shape->rank && !texts; i++)
    fprintf(out, "%s%lld", i ? ", " : "", (long long)shape->dims[i]);
  fputc(']', out);
  json_classes(out, f);
  json_groups(out, f);
  fputs(",\n     \"weights\": ", out);
  if (shape->has_weights) {
    fputs("{\"low\": ", out);
    cli_page_number(out, f->lightest, 17);
    fputs(", \"high\": ", out);
    cli_page_number(out, f->heaviest, 17);
    fputc('}', out);
  } else fputs("null", out);
  if (texts) fprintf(out, ",\n     \"words\": %zu", f->encoding->word_count);
  else fputs(",\n     \"words\": null", out);
  json_numbers(out, "mean", f->encoding->mean, f->encoding->channels);
  json_numbers(out, "std", f->encoding->std, f->encoding->channels);
  fputs(",\n     \"notes\": [", out);
  for (size_t i = 0; (note = crd_dataset_note(f->dataset, i)); i++) {
    fputs(i ? ", " : "", out);
    cli_page_json(out, note);
  }
  fputs("]}", out);
}

static void json_overlap(FILE *out, const crd_overlap *o) {
  fprintf(out, "{\"groups\": %zu, \"group\": ", o->group_count);
  if (o->group) cli_page_json(out, o->group);
  else fputs("null", out);
  fprintf(out, ", \"samples\": %zu", o->sample_count);
  if (o->sample_count) fprintf(out, ", \"rows\": [%zu, %zu]}", o->left, o->right);
  else fputs(", \"rows\": null}", out);
}

void cli_facts_json(FILE *out, const cli_facts *facts, size_t count, const crd_overlap *overlap) {
  cli_page_begin(out, "dataset");
  fputs(",\n  \"datasets\": [", out);
  for (size_t i = 0; i < count; i++) {
    fputs(i ? "," : "", out);
    json_one(out, &facts[i]);
  }
  fputs("],\n  \"overlap\": ", out);
  if (overlap) json_overlap(out, overlap);
  else fputs("null", out);
  fputs("\n}\n", out);
}
