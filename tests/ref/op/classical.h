/* classical.h -- shared by the references of ai.onnx.ml. */
#ifndef CRD_TESTS_REF_OP_CLASSICAL_H
#define CRD_TESTS_REF_OP_CLASSICAL_H

#include "ref/op.h"

size_t ref_rows(const ref_tensor *x);
size_t ref_columns(const ref_tensor *x);
/* Return an element of a list, or of a tensor, in an attribute; and the number of elements. */
double ref_listed(const ref_node *node, const char *name, size_t index, double otherwise);
size_t ref_length(const ref_node *node, const char *name);
bool ref_word_is(const ref_node *node, const char *name, size_t index, const char *word);
/* Return the label of a class: its integer, or its index if it has a name. */
double ref_label(const ref_node *node, const char *ints, size_t index);
const char *ref_post(const ref_node *node);
/* Transform the scores of a row; expand one score to two; find the largest. */
void ref_transform(const char *post, size_t n, double *scores);
void ref_two(const char *post, bool negative, double score, double *scores);
size_t ref_top(size_t n, const double *scores);

#endif
