/*
 * remedy.c -- command lines for the remedies that findings name, with the doctor's files and
 * options, quoted for a shell. Files of NumPy and CSV are changed by a line of Python.
 */
#include "remedy.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  cli_opening opening; /* with the changes of earlier remedies */
  const crd_predictions *predictions;
  cli_suggestions *out;
  char fixed_scores[1024], fixed_labels[1024]; /* names of the files that commands write */
  const char *rewritten;                       /* the file they replace; NULL: none yet */
} suggester;

/* ---- Commands. */

/* Begins a command; NULL: no memory, or too many commands. */
static FILE *begin(suggester *s, char **line, size_t *length) {
  *line = NULL;
  return s->out->count < CLI_SUGGESTIONS_MAX ? open_memstream(line, length) : NULL;
}

/* Ends a command; duplicates are dropped. */
static crd_status add(suggester *s, FILE *file, char **line, const char *meaning) {
  const bool whole = !ferror(file);
  if (fclose(file) != 0 || !whole) {
    free(*line);
    return CRD_ENOMEM;
  }
  for (size_t i = 0; i < s->out->count; i++)
    if (strcmp(s->out->items[i].line, *line) == 0) {
      free(*line);
      return CRD_OK;
    }
  s->out->items[s->out->count++] = (crd_suggestion){ *line, meaning };
  return CRD_OK;
}

static crd_status suggest(suggester *s, const char *command, const cli_opening *opening,
                          const char *more, const char *meaning) {
  char *line;
  size_t length;
  FILE *const file = begin(s, &line, &length);
  if (!file) return CRD_ENOMEM;
  cli_opening_spell(file, command, opening->path, opening);
  fputs(more, file);
  return add(s, file, &line, meaning);
}

/* ---- Remedies by an option. */

static crd_status open_as_logits(suggester *s) {
  s->opening.input = CRD_INPUT_LOGITS;
  return suggest(s, "evaluate", &s->opening, "", "read the scores as logits");
}

static crd_status open_as_probabilities(suggester *s) {
  s->opening.input = CRD_INPUT_PROBABILITIES;
  return suggest(s, "evaluate", &s->opening, "", "read the scores as probabilities");
}

static crd_status judge_class_1(suggester *s) {
  cli_opening other = s->opening;
  other.binary = CRD_BINARY_POS;
  return suggest(s, "evaluate", &other, "", "evaluate the scores of class 1");
}

static crd_status calibrate(suggester *s) {
  const crd_status status =
      suggest(s, "compare", &s->opening, "", "find the best calibration method");
  if (status != CRD_OK) return status;
  return suggest(s, "fit temperature", &s->opening, " -o calibrator.json",
                 "fit temperature scaling, for 'credence apply'");
}

/* ---- Remedies that change a file. */

enum { NAME_SIZE = sizeof((suggester *)NULL)->fixed_scores };

/* The name without its folder, with "-fixed" before its extension. */
static void name_fixed(char name[static NAME_SIZE], const char *path, size_t length,
                       const char *ending) {
  const char *base = path;
  for (size_t i = 0; i < length; i++)
    if (path[i] == '/') base = path + i + 1;
  snprintf(name, NAME_SIZE, "%.*s-fixed%s", (int)(path + length - strlen(ending) - base), base,
           ending);
}

/* Writes a string of Python inside the single quotes of a shell. */
static void add_python(FILE *out, const char *text, size_t length) {
  fputc('"', out);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') fputs("'\\''", out);
    else if (text[i] == '"' || text[i] == '\\') fprintf(out, "\\%c", text[i]);
    else fputc(text[i], out);
  }
  fputc('"', out);
}

/* Length of the name without "#group" and "@from:to"; 0: it has another extension. */
static size_t file_length(const char *path, const char *ending) {
  const char *const at = strstr(path, ending);
  const size_t length = at ? (size_t)(at - path) + strlen(ending) : 0;
  return length && (path[length] == '\0' || strchr("#@", path[length])) ? length : 0;
}

static const struct {
  const char *ending, *load, *save;
  bool named; /* several arrays, chosen by name */
} formats[] = {
  { ".npy", "v = n.load(", "); n.save(", false },
  { ".npz", "d = dict(n.load(", ")); n.savez(", true },
};

/* The array to change, the expression for its new value in terms of v, and its description. */
typedef struct {
  const char *array, *change, *meaning;
} rewriting;

/* Adds a command that writes the changed file under the name `fixed`; none for other formats. */
static crd_status rewrite(suggester *s, const char *path, const rewriting *what,
                          char fixed[static NAME_SIZE]) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const size_t whole = file_length(path, formats[i].ending);
    char *line;
    size_t length;
    FILE *file;
    if (!whole) continue;
    if (!(file = begin(s, &line, &length))) return CRD_ENOMEM;
    name_fixed(fixed, path, whole, formats[i].ending);
    fprintf(file, "python3 -c 'import numpy as n; %s", formats[i].load);
    /* A file that was rewritten before is read with that change. */
    if (s->rewritten == path) add_python(file, fixed, strlen(fixed));
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
    s->rewritten = path;
    return add(s, file, &line, what->meaning);
  }
  return CRD_OK;
}

static crd_status divide_by_100(suggester *s) {
  const rewriting what = { crd_predictions_scores_name(s->predictions), "v / 100",
                           "write a file with scores divided by 100" };
  return rewrite(s, s->opening.path, &what, s->fixed_scores);
}

static crd_status divide_by_sum(suggester *s) {
  const rewriting what = { crd_predictions_scores_name(s->predictions),
                           "v / v.sum(-1, keepdims=True)",
                           "write a file with each row divided by its sum" };
  return rewrite(s, s->opening.path, &what, s->fixed_scores);
}

/* Finds the column of the labels; a row whose label is not an integer is the header. */
static crd_status subtract_in_csv(suggester *s, const char *path, size_t whole,
                                  char fixed[static NAME_SIZE]) {
  const char *const column = s->opening.label_column;
  const char *const name = column ? column : crd_predictions_labels_name(s->predictions);
  char *line;
  size_t length;
  FILE *const file = begin(s, &line, &length);
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
  return add(s, file, &line, "write a file with labels that count from 0");
}

static crd_status subtract_1(suggester *s) {
  const char *const labels = s->opening.labels;
  const char *const path = labels ? labels : s->opening.path;
  char *const fixed = labels ? s->fixed_labels : s->fixed_scores;
  const size_t csv = file_length(path, ".csv");
  if (csv) return subtract_in_csv(s, path, csv, fixed);
  const rewriting what = { crd_predictions_labels_name(s->predictions), "v.astype(int) - 1",
                           "write a file with labels that count from 0" };
  return rewrite(s, path, &what, fixed);
}

static const struct {
  const char *name;
  crd_status (*suggest)(suggester *s);
} remedies[] = {
  { "input-logits", open_as_logits }, { "input-probabilities", open_as_probabilities },
  { "divide-by-100", divide_by_100 }, { "divide-by-sum", divide_by_sum },
  { "subtract-1", subtract_1 },       { "calibrate", calibrate },
  { "judge-class-1", judge_class_1 },
};

static crd_status follow(suggester *s, const char *remedy) {
  for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
    if (strcmp(remedies[i].name, remedy) == 0) return remedies[i].suggest(s);
  return CRD_OK;
}

/* ---- All remedies. */

/* Examine the fixed files again. */
static crd_status look_again(suggester *s) {
  cli_opening fixed = s->opening;
  char path[2 * NAME_SIZE];
  const bool rewritten = *s->fixed_scores || *s->fixed_labels;
  const char *const slice = strpbrk(fixed.path, "#@");
  snprintf(path, sizeof path, "%s%s", s->fixed_scores, slice ? slice : "");
  if (*s->fixed_scores) fixed.path = path;
  if (*s->fixed_labels) fixed.labels = s->fixed_labels;
  return suggest(s, "doctor", &fixed, "",
                 rewritten ? "check the fixed file" : "check again after the fix");
}

crd_status cli_suggest(const cli_opening *opening, const crd_predictions *predictions,
                       const crd_diagnosis *diagnosis, cli_suggestions *out) {
  suggester s = { .opening = *opening, .predictions = predictions, .out = out };
  crd_status status = CRD_OK;
  const bool sick = diagnosis->finding_count && diagnosis->findings[0].severity == CRD_PROBLEM;
  *out = (cli_suggestions){ .count = 0 };
  for (size_t i = 0; status == CRD_OK && i < diagnosis->finding_count; i++) {
    const crd_finding *const f = &diagnosis->findings[i];
    /* Do not suggest to calibrate invalid data. */
    if (!f->remedy || (sick && f->severity != CRD_PROBLEM)) continue;
    status = follow(&s, f->remedy);
  }
  if (status != CRD_OK) return status;
  return sick ? look_again(&s)
              : suggest(&s, "evaluate", &s.opening, "", "evaluate them, with intervals");
}

void cli_suggestions_clear(cli_suggestions *suggestions) {
  for (size_t i = 0; i < suggestions->count; i++)
    free((void *)(uintptr_t)suggestions->items[i].line);
  suggestions->count = 0;
}
