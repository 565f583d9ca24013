/*
 * remedy.c -- from the remedies that findings name to command lines: the same files and options as
 * the doctor was given, quoted for a shell. What must be changed in a file is a line of Python,
 * where the file is an array of NumPy.
 */
#include "remedy.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  cli_opening opening; /* with what earlier remedies have changed */
  const crd_predictions *predictions;
  cli_suggestions *out;
  char fixed_scores[1024], fixed_labels[1024]; /* files that lines write, in place of ... */
  const char *rewritten;                       /* ... this one; NULL: none yet */
} desk;

/* ---- Lines. */

/* A line that is being written; NULL: no memory, or no room for more. */
static FILE *begin(desk *d, char **line, size_t *length) {
  *line = NULL;
  return d->out->count < CLI_SUGGESTIONS_MAX ? open_memstream(line, length) : NULL;
}

/* Lines that several findings ask for are said once. */
static crd_status add(desk *d, FILE *file, char **line, const char *meaning) {
  const bool whole = !ferror(file);
  if (fclose(file) != 0 || !whole) {
    free(*line);
    return CRD_ENOMEM;
  }
  for (size_t i = 0; i < d->out->count; i++)
    if (strcmp(d->out->items[i].line, *line) == 0) {
      free(*line);
      return CRD_OK;
    }
  d->out->items[d->out->count++] = (crd_suggestion){ *line, meaning };
  return CRD_OK;
}

static crd_status suggest(desk *d, const char *command, const cli_opening *opening,
                          const char *more, const char *meaning) {
  char *line;
  size_t length;
  FILE *const file = begin(d, &line, &length);
  if (!file) return CRD_ENOMEM;
  cli_opening_spell(file, command, opening->path, opening);
  fputs(more, file);
  return add(d, file, &line, meaning);
}

/* ---- Remedies that are options. */

static crd_status open_as_logits(desk *d) {
  d->opening.input = CRD_INPUT_LOGITS;
  return suggest(d, "evaluate", &d->opening, "", "read the scores as logits");
}

static crd_status open_as_probabilities(desk *d) {
  d->opening.input = CRD_INPUT_PROBABILITIES;
  return suggest(d, "evaluate", &d->opening, "", "read the scores as probabilities");
}

static crd_status judge_class_1(desk *d) {
  cli_opening other = d->opening;
  other.binary = CRD_BINARY_POS;
  return suggest(d, "evaluate", &other, "", "judge the scores of class 1");
}

static crd_status calibrate(desk *d) {
  const crd_status status = suggest(d, "compare", &d->opening, "", "find the best calibrator");
  if (status != CRD_OK) return status;
  return suggest(d, "fit temperature", &d->opening, " -o calibrator.json",
                 "fit the simplest one, for 'credence apply'");
}

/* ---- Remedies that change a file. */

enum { NAME_SIZE = sizeof((desk *)NULL)->fixed_scores };

/* The file without its folder, with "-fixed" before its ending. */
static void name_fixed(char name[static NAME_SIZE], const char *path, size_t length,
                       const char *ending) {
  const char *base = path;
  for (size_t i = 0; i < length; i++)
    if (path[i] == '/') base = path + i + 1;
  snprintf(name, NAME_SIZE, "%.*s-fixed%s", (int)(path + length - strlen(ending) - base), base,
           ending);
}

/* A string of Python inside of a shell's single quotes. */
static void add_python(FILE *out, const char *text, size_t length) {
  fputc('"', out);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') fputs("'\\''", out);
    else if (text[i] == '"' || text[i] == '\\') fprintf(out, "\\%c", text[i]);
    else fputc(text[i], out);
  }
  fputc('"', out);
}

/* The name up to "#group" or "@from:to". */
static size_t file_length(const char *path, const char *ending) {
  const char *const at = strstr(path, ending);
  const size_t length = at ? (size_t)(at - path) + strlen(ending) : 0;
  return length && (path[length] == '\0' || strchr("#@", path[length])) ? length : 0;
}

static const struct {
  const char *ending, *load, *save;
  bool named; /* several arrays: those that are called so */
} formats[] = {
  { ".npy", "v = n.load(", "); n.save(", false },
  { ".npz", "d = dict(n.load(", ")); n.savez(", true },
};

/* What to do to v, the arrays of that name, and the word for it. */
typedef struct {
  const char *array, *change, *meaning;
} rewriting;

/* The file becomes another one, `fixed`; of other formats the finding's words must do. */
static crd_status rewrite(desk *d, const char *path, const rewriting *what,
                          char fixed[static NAME_SIZE]) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const size_t whole = file_length(path, formats[i].ending);
    char *line;
    size_t length;
    FILE *file;
    if (!whole) continue;
    if (!(file = begin(d, &line, &length))) return CRD_ENOMEM;
    name_fixed(fixed, path, whole, formats[i].ending);
    fprintf(file, "python3 -c 'import numpy as n; %s", formats[i].load);
    /* What was rewritten before is there with that change. */
    if (d->rewritten == path) add_python(file, fixed, strlen(fixed));
    else add_python(file, path, whole);
    fputs(formats[i].save, file);
    add_python(file, fixed, strlen(fixed));
    fputs(formats[i].named ? ", **{k: " : ", ", file);
    fputs(what->change, file);
    if (formats[i].named) {
      fputs(" if k.endswith(", file);
      add_python(file, what->array, strlen(what->array));
      fputs(") else v for k, v in d.items()}", file);
    }
    fputs(")'", file);
    d->rewritten = path;
    return add(d, file, &line, what->meaning);
  }
  return CRD_OK;
}

static crd_status divide_by_100(desk *d) {
  const rewriting what = { crd_predictions_scores_name(d->predictions), "v / 100",
                           "write a file with scores divided by 100" };
  return rewrite(d, d->opening.path, &what, d->fixed_scores);
}

static crd_status divide_by_sum(desk *d) {
  const rewriting what = { crd_predictions_scores_name(d->predictions),
                           "v / v.sum(-1, keepdims=True)",
                           "write a file with each row divided by its sum" };
  return rewrite(d, d->opening.path, &what, d->fixed_scores);
}

/* The column of the labels, by its number; a row whose label is no number is the header. */
static crd_status subtract_in_csv(desk *d, const char *path, size_t whole,
                                  char fixed[static NAME_SIZE]) {
  const char *const column = d->opening.label_column;
  const char *const name = column ? column : crd_predictions_labels_name(d->predictions);
  char *line;
  size_t length;
  FILE *const file = begin(d, &line, &length);
  if (!file) return CRD_ENOMEM;
  name_fixed(fixed, path, whole, ".csv");
  fputs("python3 -c 'import csv; r = list(csv.reader(open(", file);
  add_python(file, path, whole);
  fputs("))); j = ", file);
  if (*name && strspn(name, "0123456789") == strlen(name)) fputs(name, file);
  else {
    fputs("r[0].index(", file);
    add_python(file, name, strlen(name));
    fputs(") if ", file);
    add_python(file, name, strlen(name));
    fputs(" in r[0] else 0", file);
  }
  fputs("; csv.writer(open(", file);
  add_python(file, fixed, strlen(fixed));
  fputs(", \"w\")).writerows(x[:j] + [int(x[j]) - 1] + x[j + 1:] if x[j].strip().isdigit() else x "
        "for x in r)'",
        file);
  return add(d, file, &line, "write a file with labels that count from 0");
}

static crd_status subtract_1(desk *d) {
  const char *const labels = d->opening.labels;
  const char *const path = labels ? labels : d->opening.path;
  char *const fixed = labels ? d->fixed_labels : d->fixed_scores;
  const size_t csv = file_length(path, ".csv");
  if (csv) return subtract_in_csv(d, path, csv, fixed);
  const rewriting what = { crd_predictions_labels_name(d->predictions), "v.astype(int) - 1",
                           "write a file with labels that count from 0" };
  return rewrite(d, path, &what, fixed);
}

static const struct {
  const char *name;
  crd_status (*suggest)(desk *d);
} remedies[] = {
  { "input-logits", open_as_logits }, { "input-probabilities", open_as_probabilities },
  { "divide-by-100", divide_by_100 }, { "divide-by-sum", divide_by_sum },
  { "subtract-1", subtract_1 },       { "calibrate", calibrate },
  { "judge-class-1", judge_class_1 },
};

static crd_status follow(desk *d, const char *remedy) {
  for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
    if (strcmp(remedies[i].name, remedy) == 0) return remedies[i].suggest(d);
  return CRD_OK;
}

/* ---- All of them. */

/* What was mended is looked at again. */
static crd_status look_again(desk *d) {
  cli_opening mended = d->opening;
  char path[2 * NAME_SIZE];
  const bool rewritten = *d->fixed_scores || *d->fixed_labels;
  const char *const slice = strpbrk(mended.path, "#@");
  snprintf(path, sizeof path, "%s%s", d->fixed_scores, slice ? slice : "");
  if (*d->fixed_scores) mended.path = path;
  if (*d->fixed_labels) mended.labels = d->fixed_labels;
  return suggest(d, "doctor", &mended, "",
                 rewritten ? "is it right now?" : "again, once it is mended");
}

crd_status cli_suggest(const cli_opening *opening, const crd_predictions *predictions,
                       const crd_diagnosis *diagnosis, cli_suggestions *out) {
  desk d = { .opening = *opening, .predictions = predictions, .out = out };
  crd_status status = CRD_OK;
  const bool sick = diagnosis->finding_count && diagnosis->findings[0].severity == CRD_PROBLEM;
  *out = (cli_suggestions){ .count = 0 };
  for (size_t i = 0; status == CRD_OK && i < diagnosis->finding_count; i++) {
    const crd_finding *const f = &diagnosis->findings[i];
    /* A calibrator that is fitted on what is wrong learns that. */
    if (!f->remedy || (sick && f->severity != CRD_PROBLEM)) continue;
    status = follow(&d, f->remedy);
  }
  if (status != CRD_OK) return status;
  return sick ? look_again(&d)
              : suggest(&d, "evaluate", &d.opening, "", "measure them, with intervals");
}

void cli_suggestions_clear(cli_suggestions *suggestions) {
  for (size_t i = 0; i < suggestions->count; i++)
    free((void *)(uintptr_t)suggestions->items[i].line);
  suggestions->count = 0;
}
