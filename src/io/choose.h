/*
 * choose.h -- which arrays of a file are the scores and the labels: those named by options, else by
 * known names, else by shape and type if only one reading fits.
 */
#ifndef CRD_IO_CHOOSE_H
#define CRD_IO_CHOOSE_H

#include "io/keys.h"

typedef struct {
  crd_context *ctx;
  crd__io_bundle *bundle;
  const char *file;  /* for error messages */
  const char *group; /* of FILE#group, or NULL */
  const crd_open_options *options;
  crd__notes *notes; /* says which arrays were chosen by shape */
} crd__io_choice_query;

typedef struct {
  size_t scores, labels;  /* indices of entries; the bundle's `count`: none */
  const crd__io_key *key; /* known name of the scores; NULL: another name */
} crd__io_choice;

/* Chooses scores and labels; fails with EINPUT if no array can be the scores. Labels may be
 * missing. */
crd_status crd__io_choose_arrays(const crd__io_choice_query *c, crd__io_choice *out);
/* Finds the next array of scores by key, from `from` on, that is not predicted labels; NULL: none.
 */
crd_status crd__io_choose_next(const crd__io_choice_query *c, const crd__io_key *from,
                               const crd__io_key **key, size_t *index);
/* Finds predicted labels: by key, or an array such as y_pred of integers or strings. */
crd_status crd__io_choose_predicted(const crd__io_choice_query *c, size_t *out);
/* Finds the labels by the option label_key, or by a known name; `count`: none. */
crd_status crd__io_choose_labels_named(const crd__io_choice_query *c, size_t *out);

/* Fails with EINPUT: lists the arrays found, the known names, and the options that choose others.
 */
crd_status crd__io_refuse_missing(const crd__io_choice_query *c, crd__io_role role);

#endif
