/* zoo.c -- the table of architectures, made from list.h; builds models from expressions. */
#include "zoo/zoo.h"
#include "base/choice.h"
#include "base/options.h"
#include "base/table.h"
#include "network/model.h"

#include <string.h>

static const crd__zoo_architecture *const architectures[] = {
#define ARCHITECTURE(name) &crd__zoo_##name,
#include "zoo/architecture/list.h"
#undef ARCHITECTURE
};

CRD_TABLE(architecture, crd_architecture_info, sizeof architectures / sizeof *architectures,
          &architectures[index]->info)
CRD_TABLE_NAME(architecture)

static const crd__names names = { .unknown = "no network is called",
                                  .lister = "crd_architecture_at",
                                  .at = architecture_name };

const char *crd_architecture_usual(crd_sample_type type) {
  static const char *const usual[] = {
    [CRD_SAMPLES_IMAGES] = "cnn", [CRD_SAMPLES_VECTORS] = "mlp", [CRD_SAMPLES_TEXTS] = "text-cnn"
  };
  return usual[type];
}

static crd__setting_table settings_of(const void *self, size_t index) {
  const crd_architecture_info *const info = crd_architecture_at(index);
  (void)self;
  return (crd__setting_table){ info->name, info->setting_count, info->settings };
}

static const crd__choices choices = { .names = &names,
                                      .entry = "the name of a network",
                                      .settings = settings_of };

/* ---- Shapes. */

enum { ELEMENTS_MOST = INT32_MAX };

static crd_status check_dims(crd_context *ctx, const char *name,
                             const crd_architecture_shape *shape) {
  int64_t count = 1;
  for (size_t i = 0; i < shape->rank; i++) {
    if (shape->dims[i] < 1 || shape->dims[i] > ELEMENTS_MOST / count)
      return crd__fail(ctx, CRD_EUSAGE,
                       "%s: dimension %zu of a sample is %lld; a sample has 1 to %d elements", name,
                       i, (long long)shape->dims[i], ELEMENTS_MOST);
    count *= shape->dims[i];
  }
  return CRD_OK;
}

static crd_status check_type(crd_context *ctx, const crd_architecture_info *info,
                             const crd_architecture_shape *shape) {
  static const struct {
    const char *samples;
    size_t least, most; /* dimensions */
  } types[] = {
    [CRD_SAMPLES_IMAGES] = { "images (channels, height, width)", 3, 3 },
    [CRD_SAMPLES_VECTORS] = { "samples of any shape", 1, CRD_RANK_MAX - 1 },
    [CRD_SAMPLES_TEXTS] = { "texts (tokens)", 1, 1 },
  };
  if (shape->rank < types[info->input].least || shape->rank > types[info->input].most)
    return crd__fail(ctx, CRD_EUSAGE, "%s takes %s; the samples have %zu dimensions", info->name,
                     types[info->input].samples, shape->rank);
  if (info->input == CRD_SAMPLES_TEXTS && (shape->words < 2 || shape->words > INT32_MAX))
    return crd__fail(ctx, CRD_EUSAGE, "%s takes texts: %s is %zu, allowed are 2 to %d", info->name,
                     crd__spell(ctx, "words"), shape->words, INT32_MAX);
  if (info->input != CRD_SAMPLES_TEXTS && shape->words)
    return crd__fail(ctx, CRD_EUSAGE, "%s takes %s, not texts: %s is %zu, allowed is 0", info->name,
                     types[info->input].samples, crd__spell(ctx, "words"), shape->words);
  return CRD_OK;
}

static crd_status check_shape(crd_context *ctx, const crd__zoo_architecture *a,
                              const crd_architecture_shape *shape) {
  const char *const name = a->info.name;
  if (shape->classes < 2 || shape->classes > INT32_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%s: %s is %zu, allowed are 2 to %d", name,
                     crd__spell(ctx, "classes"), shape->classes, INT32_MAX);
  CRD_TRY(check_type(ctx, &a->info, shape));
  CRD_TRY(check_dims(ctx, name, shape));
  for (size_t i = 1; i < shape->rank; i++)
    if (shape->dims[i] < a->least)
      return crd__fail(ctx, CRD_EUSAGE,
                       "%s: images are %lld x %lld, at least %lld x %lld are needed", name,
                       (long long)shape->dims[1], (long long)shape->dims[2], (long long)a->least,
                       (long long)a->least);
  return CRD_OK;
}

/* ---- Building. */

/* Adds the layers. Clear `b` also after a failure. */
static crd_status build(crd_context *ctx, const char *expression,
                        const crd_architecture_shape *shape, bool counting, crd__zoo_builder *b) {
  crd__choice choice;
  crd__zoo_begin(b, ctx, shape);
  crd_status status = crd__choice_read_one(ctx, &choices, expression, &choice);
  if (status == CRD_OK) {
    const crd__zoo_architecture *const a = architectures[choice.index];
    b->owner = a->info.name;
    b->variant = a->variant;
    b->settings = choice.values;
    b->list = choice.list;
    b->list_count = choice.list_count;
    b->counting = counting;
    status = check_shape(ctx, a, shape);
    if (status == CRD_OK) status = a->build(b);
    if (status == CRD_OK) status = crd__zoo_status(b);
  }
  crd__choice_clear(&ctx->alloc, &choice);
  return status;
}

crd_status crd_architecture_parameters(crd_context *ctx, const char *expression,
                                       const crd_architecture_shape *shape, uint64_t *out) {
  crd_architecture_shape own;
  crd__zoo_builder b;
  *out = 0;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_architecture_shape, shape, &own));
  const crd_status status = build(ctx, expression, &own, true, &b);
  *out = status == CRD_OK ? b.parameters : 0;
  crd__zoo_clear(&b);
  return status;
}

crd_status crd_architecture_build(crd_context *ctx, const char *expression,
                                  const crd_architecture_shape *shape, crd_model **out) {
  crd_architecture_shape own;
  crd__zoo_builder b;
  crd__text bytes;
  uint64_t parameters;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_architecture_shape, shape, &own));
  /* Fails before weights are drawn. */
  CRD_TRY(crd_architecture_parameters(ctx, expression, &own, &parameters));
  crd__text_init(&bytes, &ctx->alloc);
  crd_status status = build(ctx, expression, &own, false, &b);
  if (status == CRD_OK) status = crd__onnx_graph_finish(ctx, &b.graph, b.owner, expression, &bytes);
  crd__zoo_clear(&b);
  if (status == CRD_OK) status = crd__network_model_adopt(ctx, expression, &bytes, out);
  crd__text_clear(&bytes);
  return status;
}
