/* data_page.c -- kinds of datasets, augmentations and corruptions in `credence list`. */
#include "data_page.h"
#include "page.h"
#include "setting_page.h"

#include "credence/dataset.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 22 };

static void full_head(FILE *out, const char *name, const char *summary) {
  fprintf(out, "%s: ", name);
  cli_page_wrap(out, summary, strlen(name) + 2, 0);
}

static void markdown_head(FILE *out, const char *name, const char *summary) {
  fprintf(out, "## %s\n\n%c%s.\n\n", name, toupper((unsigned char)summary[0]), summary + 1);
}

/* ---- Kinds of datasets. */

const char cli_dataset_foot[] = "\n'credence list datasets idx' shows a kind in full, and "
                                "'credence data info DATA' a dataset.\n";

const char *cli_dataset_word(size_t index) {
  const crd_dataset_kind_info *const k = crd_dataset_kind_at(index);
  return k ? k->name : NULL;
}

static const char *splits_of(const crd_dataset_kind_info *k) {
  return !k->splits ? "those that the files name" : *k->splits ? k->splits : "none";
}

void cli_dataset_row(FILE *out, size_t index) {
  const crd_dataset_kind_info *const k = crd_dataset_kind_at(index);
  cli_page_entry(out, k->name, COLUMN, k->summary);
}

void cli_dataset_full(FILE *out, size_t index) {
  const crd_dataset_kind_info *const k = crd_dataset_kind_at(index);
  full_head(out, k->name, k->summary);
  fputc('\n', out);
  cli_page_entry(out, "path", COLUMN, k->path ? k->path : "none");
  cli_page_entry(out, "splits", COLUMN, splits_of(k));
  if (*k->reference) cli_page_entry(out, "reference", COLUMN, k->reference);
}

void cli_dataset_json(FILE *out, size_t index) {
  const crd_dataset_kind_info *const k = crd_dataset_kind_at(index);
  cli_page_member(out, "", "name", k->name);
  cli_page_member(out, ", ", "summary", k->summary);
  cli_page_member(out, ", ", "reference", k->reference);
  if (k->path) cli_page_member(out, ", ", "path", k->path);
  else fputs(", \"path\": null", out);
  if (k->splits) cli_page_member(out, ", ", "splits", k->splits);
  else fputs(", \"splits\": null", out);
}

void cli_dataset_markdown(FILE *out, size_t index) {
  const crd_dataset_kind_info *const k = crd_dataset_kind_at(index);
  markdown_head(out, k->name, k->summary);
  fprintf(out, "- path: %s\n- splits: %s\n", k->path ? k->path : "none", splits_of(k));
  if (*k->reference) fprintf(out, "- reference: %s\n", k->reference);
}

/* ---- Augmentations and corruptions. */

const char cli_augmentation_foot[] =
    "\nSeveral follow each other: 'crop(pad=4) + flip'.\n"
    "'credence list augmentations crop' shows one with its settings.\n";
const char cli_corruption_foot[] =
    "\nEach has severities 1 to 5, and is part of a dataset's name: cifar10#test~contrast=3.\n";

static void transform_row(FILE *out, const crd_transform_info *t) {
  cli_page_entry(out, t->name, COLUMN, t->summary);
}

static void transform_full(FILE *out, const crd_transform_info *t) {
  full_head(out, t->name, t->summary);
  cli_setting_text(out, t->settings, t->setting_count);
  if (!*t->reference) return;
  fputc('\n', out);
  cli_page_entry(out, "reference", CLI_SETTING_COLUMN, t->reference);
}

static void transform_json(FILE *out, const crd_transform_info *t) {
  cli_page_member(out, "", "name", t->name);
  cli_page_member(out, ", ", "summary", t->summary);
  cli_page_member(out, ", ", "reference", t->reference);
  cli_setting_json(out, t->settings, t->setting_count);
}

static void transform_markdown(FILE *out, const crd_transform_info *t) {
  markdown_head(out, t->name, t->summary);
  cli_setting_markdown(out, t->settings, t->setting_count);
  if (*t->reference) fprintf(out, "- reference: %s\n", t->reference);
}

#define TRANSFORM(thing)                                                                           \
  const char *cli_##thing##_word(size_t index) {                                                   \
    return crd_##thing##_at(index) ? crd_##thing##_at(index)->name : NULL;                         \
  }                                                                                                \
  void cli_##thing##_row(FILE *out, size_t index) { transform_row(out, crd_##thing##_at(index)); } \
  void cli_##thing##_full(FILE *out, size_t index) {                                               \
    transform_full(out, crd_##thing##_at(index));                                                  \
  }                                                                                                \
  void cli_##thing##_json(FILE *out, size_t index) {                                               \
    transform_json(out, crd_##thing##_at(index));                                                  \
  }                                                                                                \
  void cli_##thing##_markdown(FILE *out, size_t index) {                                           \
    transform_markdown(out, crd_##thing##_at(index));                                              \
  }
TRANSFORM(augmentation)
TRANSFORM(corruption)
#undef TRANSFORM
