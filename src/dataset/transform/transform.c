/*
 * transform.c -- the tables of augmentations and corruptions, and expressions of augmentations:
 *
 *   expression  =  step { "+" step }
 *   step        =  name [ "(" settings ")" ]
 */
#include "dataset/transform/transform.h"
#include "base/choice.h"
#include "base/memory.h"
#include "base/table.h"

#include <string.h>

static const crd__transform *const augmentations[] = {
#define AUGMENT(name) &crd__augmentation_##name,
#include "dataset/augment/list.h"
#undef AUGMENT
};

static const crd__transform *const corruptions[] = {
#define CORRUPT(name) &crd__corruption_##name,
#include "dataset/corrupt/list.h"
#undef CORRUPT
};

const crd__transform *crd__transform_augmentation_at(size_t index) {
  return index < sizeof augmentations / sizeof *augmentations ? augmentations[index] : NULL;
}

const crd__transform *crd__transform_corruption_at(size_t index) {
  return index < sizeof corruptions / sizeof *corruptions ? corruptions[index] : NULL;
}

CRD_TABLE(augmentation, crd_transform_info, sizeof augmentations / sizeof *augmentations,
          &augmentations[index]->info)
CRD_TABLE_NAME(augmentation)

CRD_TABLE(corruption, crd_transform_info, sizeof corruptions / sizeof *corruptions,
          &corruptions[index]->info)
CRD_TABLE_NAME(corruption)

static const crd__names augmentation_names = { .unknown = "no augmentation is called",
                                               .lister = "crd_augmentation_at",
                                               .at = augmentation_name };
static const crd__names corruption_names = { .unknown = "no corruption is called",
                                             .lister = "crd_corruption_at",
                                             .at = corruption_name };

crd_status crd__transform_corruption_find(crd_context *ctx, const char *name, size_t length,
                                          const crd__transform **out) {
  size_t index;
  CRD_TRY(crd__names_find(ctx, &corruption_names, name, length, &index));
  *out = crd__transform_corruption_at(index);
  return CRD_OK;
}

/* ---- Expressions. */

static crd__setting_table settings_of(const void *self, size_t index) {
  const crd_transform_info *const info = &crd__transform_augmentation_at(index)->info;
  (void)self;
  return (crd__setting_table){ info->name, info->setting_count, info->settings };
}

static const crd__choices choices = { .names = &augmentation_names,
                                      .entry = "the name of an augmentation",
                                      .settings = settings_of };

/* Reads one step at *at, and moves *at to the next character that is not a blank. */
static crd_status read_step(crd_context *ctx, const char *expression, const char **at,
                            crd__transform_chain *chain) {
  crd__choice choice;
  if (chain->count == CRD__TRANSFORM_STEPS_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "'%.200s': more than %d augmentations", expression,
                     CRD__TRANSFORM_STEPS_MAX);
  const crd_status status = crd__choice_read(ctx, &choices, expression, at, &choice);
  if (status == CRD_OK) {
    chain->steps[chain->count++] =
        (crd__transform_step){ crd__transform_augmentation_at(choice.index), choice.values };
    choice.values = NULL;
    *at += strspn(*at, " \t\n");
  }
  crd__choice_clear(&ctx->alloc, &choice);
  return status;
}

crd_status crd__transform_chain_read(crd_context *ctx, const char *expression,
                                     crd__transform_chain *out) {
  const char *at = expression;
  *out = (crd__transform_chain){ 0 };
  if (!expression || !*expression) return CRD_OK;
  CRD_TRY(read_step(ctx, expression, &at, out));
  while (*at == '+') {
    at++;
    CRD_TRY(read_step(ctx, expression, &at, out));
  }
  return *at ? crd__expression_fail(ctx, expression, at, "'+' or the end") : CRD_OK;
}

void crd__transform_chain_clear(const crd_allocator *alloc, crd__transform_chain *chain) {
  for (size_t i = 0; i < chain->count; i++) crd__free(alloc, chain->steps[i].settings);
  *chain = (crd__transform_chain){ 0 };
}
