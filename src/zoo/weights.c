/*
 * weights.c -- initial values of parameters.
 *
 * Element i of a tensor is the i-th number of the stream that its name determines (FNV-1a), under
 * the context's seed: a layer's weights depend on no other layer and on no number of threads.
 *   Glorot, Bengio: Understanding the difficulty of training deep feedforward neural networks
 *   (AISTATS 2010).
 *   He, Zhang, Ren, Sun: Delving deep into rectifiers (ICCV 2015).
 *   LeCun, Bottou, Orr, Mueller: Efficient BackProp (1998); LeCun et al. (1998), appendix A.
 */
#include "zoo/weights.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>

/* An ONNX file has at most 2 GB, the limit of protocol buffers. */
enum { PARAMETERS_MOST = 500000000, CHUNK = 65536 };

typedef struct {
  uint64_t seed, stream;
  bool normal;
  double scale; /* standard deviation, or half the width of the interval */
  float *values;
} drawing;

static uint64_t stream_of(const char *name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
  return hash;
}

static crd_status draw(crd_context *local, void *arg, unsigned worker, size_t from, size_t to) {
  const drawing *const d = arg;
  (void)local, (void)worker;
  for (size_t i = from; i < to; i++)
    d->values[i] =
        (float)(d->scale * (d->normal ? crd__random_normal(d->seed, d->stream, i)
                                      : 2 * crd__random_uniform(d->seed, d->stream, i) - 1));
  return CRD_OK;
}

static double scale_of(crd__zoo_init init, crd__zoo_fans fans) {
  const double scales[] = {
    [CRD__ZOO_HE] = sqrt(2 / fans.in),
    [CRD__ZOO_HE_OUT] = sqrt(2 / fans.out),
    [CRD__ZOO_GLOROT] = sqrt(6 / (fans.in + fans.out)),
    [CRD__ZOO_PLAIN] = 1 / sqrt(fans.in),
    [CRD__ZOO_LECUN] = 2.4 / fans.in,
    [CRD__ZOO_SMALL] = 0.05,
  };
  return scales[init];
}

/* Counts the elements. Returns false if no values are needed, or the network is too large. */
static bool admit(crd__zoo_builder *b, const int64_t *dims, size_t rank, bool statistic,
                  size_t *count) {
  *count = 1;
  if (b->status != CRD_OK) return false;
  bool fits = true;
  for (size_t i = 0; i < rank; i++) fits = fits && crd__size_mul(*count, (size_t)dims[i], count);
  if (!fits || *count > PARAMETERS_MOST - b->parameters) {
    b->status = crd__fail(b->ctx, CRD_EUSAGE,
                          "%s: it would have more than %d parameters, which no .onnx file holds",
                          b->owner, PARAMETERS_MOST);
    return false;
  }
  if (!statistic) b->parameters += *count;
  return !b->counting;
}

static crd__onnx_graph_value add(crd__zoo_builder *b, const char *name, const char *kind,
                                 const float *values, const int64_t *dims, size_t rank) {
  char whole[80];
  snprintf(whole, sizeof whole, "%s.%s", name, kind);
  return crd__onnx_graph_floats(&b->graph, whole, values, dims, rank);
}

crd__onnx_graph_value crd__zoo_weights(crd__zoo_builder *b, const char *name, crd__zoo_init init,
                                       crd__zoo_fans fans, const int64_t *dims, size_t rank) {
  crd__onnx_graph_value out = { .name = "" };
  size_t count;
  drawing d = { .seed = b->ctx->seed,
                .stream = stream_of(name),
                .normal = init == CRD__ZOO_HE || init == CRD__ZOO_HE_OUT,
                .scale = scale_of(init, fans) };
  if (!admit(b, dims, rank, false, &count)) return out;
  b->status = crd__new(b->ctx, count, sizeof *d.values, "weights", &d.values);
  if (b->status == CRD_OK) b->status = crd__parallel_for(b->ctx, NULL, count, CHUNK, draw, &d);
  if (b->status == CRD_OK) out = add(b, name, "weight", d.values, dims, rank);
  crd__free(&b->ctx->alloc, d.values);
  return out;
}

crd__onnx_graph_value crd__zoo_constants(crd__zoo_builder *b, const char *name, const char *kind,
                                         float value, int64_t count, bool statistic) {
  crd__onnx_graph_value out = { .name = "" };
  float *values = NULL;
  size_t elements;
  if (!admit(b, &count, 1, statistic, &elements)) return out;
  b->status = crd__new(b->ctx, elements, sizeof *values, "weights", &values);
  for (size_t i = 0; b->status == CRD_OK && i < elements; i++) values[i] = value;
  if (b->status == CRD_OK) out = add(b, name, kind, values, &count, 1);
  crd__free(&b->ctx->alloc, values);
  return out;
}
