/* credence/shift.h -- one classifier on other data: corrupted images, another hospital, a later
 * year. */
#ifndef CREDENCE_SHIFT_H
#define CREDENCE_SHIFT_H

#include "credence/evaluate.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How the rows of a shifted set belong to the original's.
 *
 * AUTO: PAIRED if both have the same number of rows with the same labels, as corrupted copies of
 * the same images have; otherwise INDEPENDENT, except that clusters of the same name (a patient who
 * is in both sets) are resampled together. Where labels agree by chance, or because both sets list
 * the same number of rows class by class, PAIRED is right too: it only holds the classes fixed.
 * PAIRED: row i of both is the same sample; CRD_EINPUT unless both have the same rows and,
 * where they have labels, the same ones.
 * INDEPENDENT: two samples, resampled independently.
 */
typedef enum { CRD_SHIFT_AUTO, CRD_SHIFT_PAIRED, CRD_SHIFT_INDEPENDENT } crd_shift_rows;

/** Returns "auto", "paired" or "independent"; a static string, NULL outside the enum. */
CRD_API const char *crd_shift_rows_name(crd_shift_rows rows);

/**
 * A shifted set. "jpeg:3" is the severity 3 of the corruption "jpeg", and figures connect the
 * severities of one corruption; a name without a severity has the severity 1, the original 0.
 */
typedef struct {
  const char *name; /* distinct, not empty */
  /* May be unlabelled: then metrics that need true labels are undefined. Paired rows without
   * clusters have those of the original. Borrowed. */
  const crd_predictions *predictions;
} crd_shift_set;

/** The evaluation of a shifted set. */
typedef struct {
  const char *name;    /* "jpeg:3" */
  const char *family;  /* "jpeg" */
  double severity;     /* 3 */
  int labelled;        /* 0: without true labels */
  crd_shift_rows rows; /* PAIRED or INDEPENDENT */
  const crd_result *result;
  /* Shifted minus original. Intervals are corrected as the results' are. Differences of independent
   * accuracies have Newcombe's (1998) interval, "newcombe"; of paired ones Tango's. */
  const crd_comparison *difference;
} crd_shift;

/** In the order of the sets. */
struct crd_shift_table {
  size_t count;
  const crd_shift *items;
};

/**
 * Evaluates each set like the original, with the metrics, bins and resamples of its `evidence`, and
 * the differences. Keeps no pointer to predictions. CRD_EUSAGE for empty and equal names;
 * CRD_EINPUT for a set without rows, with another number of classes, or with an invalid row.
 */
CRD_API CRD_NODISCARD crd_status crd_evaluate_shift(
    crd_context *ctx, const crd_predictions *original, crd_evidence *evidence,
    const crd_shift_set *sets, size_t count, crd_shift_rows rows, const crd_shift_table **out);
/**
 * Makes a table whose results also show operating points (crd_operating_apply): one for each set;
 * NULL: as in `shift`. It borrows `shift` and the points, which must outlive it.
 */
CRD_API CRD_NODISCARD crd_status crd_shift_table_with(
    crd_context *ctx, const crd_shift_table *shift,
    const struct crd_operating_table *const *operating, const crd_shift_table **out);
/** Destroys a table; NULL is allowed. */
CRD_API void crd_shift_table_destroy(const crd_shift_table *shift);

/** Returns the severity in a name: 3 of "jpeg:3", 1 of "night". Sets `*length` to the length of the
 * name without it, 4 of "jpeg:3". */
CRD_API double crd_shift_severity(const char *name, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
