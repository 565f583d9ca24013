/*
 * part.h -- an optimiser or a schedule chosen by text, "sgd(rate=0.1,momentum=0.9)", and its
 * settings.
 */
#ifndef CRD_TRAIN_PART_H
#define CRD_TRAIN_PART_H

#include "base/choice.h"
#include "base/text.h"
#include "credence/train.h"

/* A chosen entry. */
typedef struct {
  const crd_training_part_info *info;
  crd__choice chosen; /* its index in the table, and the values of its settings */
} crd__train_part;

/* Parses NAME or NAME(SETTINGS). CRD_EUSAGE for an unknown name or setting and for an invalid
 * value. Release with clear, also after a failure. */
crd_status crd__train_part_read(crd_context *ctx, const crd__choices *table, const char *text,
                                crd__train_part *out);
void crd__train_part_clear(const crd_allocator *alloc, crd__train_part *part);
/* Appends the part with all of its settings, "sgd(rate=0.1,weight-decay=0.0001,...)": equal for
 * texts that mean the same. */
void crd__train_part_spell(const crd__train_part *part, crd__text *text);

/* For the tables: names and settings by a function that returns the entry at an index. */
typedef struct {
  const crd_training_part_info *(*at)(size_t index); /* NULL past the end */
} crd__train_table;
const char *crd__train_part_name(const void *table, size_t index);
crd__setting_table crd__train_part_settings(const void *table, size_t index);

#endif
