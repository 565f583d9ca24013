/* data_facts.h -- what `credence data info` shows about datasets. */
#ifndef CLI_DATA_FACTS_H
#define CLI_DATA_FACTS_H

#include "credence/dataset.h"

#include <stdio.h>

typedef struct {
  const crd_dataset *dataset;
  crd_encoding *encoding; /* mean and standard deviation; words of texts */
  size_t *class_counts;   /* one for each class */
  size_t unlabelled;
  size_t group_count, largest; /* groups; samples of the largest one ... */
  const char *largest_group;   /* ... and its name; NULL: no groups */
  double lightest, heaviest;   /* weights */
} cli_facts;

/* Gathers the facts of a dataset, which must outlive them. Release with clear, also after failure.
 */
crd_status cli_facts_gather(crd_context *ctx, const crd_dataset *dataset, cli_facts *out);
void cli_facts_clear(cli_facts *facts);

/* Write one or two datasets, and what they have in common (NULL: not compared). */
void cli_facts_text(FILE *out, const cli_facts *facts, size_t count, const crd_overlap *overlap);
void cli_facts_json(FILE *out, const cli_facts *facts, size_t count, const crd_overlap *overlap);

#endif
