/*
 * choose.h -- which arrays of a file are the scores and the labels: those that were asked for, else
 * by name, else by shape and type where only one reading fits.
 */
#ifndef CRD_IO_CHOOSE_H
#define CRD_IO_CHOOSE_H

#include "io/keys.h"

typedef struct {
  crd_context *ctx;
  crd__io_bundle *bundle;
  const char *file;  /* for messages */
  const char *group; /* of FILE#group, or NULL */
  const crd_open_options *options;
  crd__notes *notes; /* what was found by shape is noted */
} crd__io_choosing;

typedef struct {
  size_t scores, labels;  /* entries; the bundle's `count`: none */
  const crd__io_key *key; /* by which the scores were found; NULL: by another name */
} crd__io_choice;

/* EINPUT, with what there is, when no array can be the scores; labels may be missing. */
crd_status crd__io_choose_arrays(const crd__io_choosing *c, crd__io_choice *out);
/* The next array of scores by key, from `from` on, that is not predicted labels; NULL: none. */
crd_status crd__io_choose_next(const crd__io_choosing *c, const crd__io_key *from,
                               const crd__io_key **key, size_t *index);
/* Predicted labels: by key, or an array y_pred of whole numbers or strings. */
crd_status crd__io_choose_predicted(const crd__io_choosing *c, size_t *out);
/* The array that --label-key asks for, if any, or one whose name is a key of labels; `count`: none.
 */
crd_status crd__io_choose_labels_named(const crd__io_choosing *c, size_t *out);

/* EINPUT: what is there, what would be understood, and what to type instead. */
crd_status crd__io_choose_refuse(const crd__io_choosing *c, crd__io_role role);

#endif
