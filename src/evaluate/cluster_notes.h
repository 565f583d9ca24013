/* cluster_notes.h -- notes on results whose rows are clustered, thus not independent. */
#ifndef CRD_EVALUATE_CLUSTER_NOTES_H
#define CRD_EVALUATE_CLUSTER_NOTES_H

#include "base/text.h"
#include "metric/evidence.h"

/* Adds notes on how intervals were bootstrapped, and on what assumes independent rows. Adds none if
 * rows are independent. */
crd_status crd__evaluate_cluster_notes_of_result(crd_context *ctx, const crd_evidence *evidence,
                                                 const crd_allocator *alloc, crd__notes *notes);

/* ---- For notes on contests (contest/cluster_notes.c). */

/* Append "57 patients", or "57 clusters of 'site'". */
void crd__evaluate_cluster_notes_count(crd__text *out, const char *column, size_t count);
/* Add a note and clear its text. ENOMEM if memory runs out, also earlier while writing the text. */
crd_status crd__evaluate_cluster_notes_add(crd_context *ctx, crd__text *text,
                                           const crd_allocator *alloc, crd__notes *notes);

#endif
