/*
 * choice.h -- parse "focal" or "focal(gamma=3,detach=yes)": an entry of a table, and its settings.
 *
 * Names consist of small letters, digits and hyphens. Error messages give the position in the whole
 * expression: "at character 6".
 */
#ifndef CRD_BASE_CHOICE_H
#define CRD_BASE_CHOICE_H

#include "base/nearest.h"
#include "base/settings.h"

/* A table whose entries have settings. */
typedef struct {
  const crd__names *names;
  const char *entry;                                              /* "the name of a loss" */
  crd__setting_table (*settings)(const void *self, size_t index); /* gets names->self */
} crd__choices;

/* An entry with the values of its settings. */
typedef struct {
  size_t index;
  double *values; /* one for each setting */
  double *list;   /* the numbers of the setting that takes a list, if it was given one */
  size_t list_count;
} crd__choice;

/* Parses the choice at *at, which points into `expression`, and moves *at behind it. Leading blanks
 * are skipped. CRD_EUSAGE for an unknown name or setting. Release with clear, also after failure.
 */
crd_status crd__choice_read(crd_context *ctx, const crd__choices *from, const char *expression,
                            const char **at, crd__choice *out);
/* Parses an expression that is one choice. */
crd_status crd__choice_read_one(crd_context *ctx, const crd__choices *from, const char *expression,
                                crd__choice *out);
void crd__choice_clear(const crd_allocator *alloc, crd__choice *choice);

/* Fails with CRD_EUSAGE: "'ce dca': at character 4 found 'dca', expected '+' or the end". */
crd_status crd__expression_fail(crd_context *ctx, const char *expression, const char *at,
                                const char *expected);

#endif
