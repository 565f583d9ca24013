/* stored_testing.h -- for tests: a clamp with a given perturbation and temperature. */
#ifndef CRD_CLAMP_STORED_TESTING_H
#define CRD_CLAMP_STORED_TESTING_H

#include "io/testing.h"

#include "base/text.h"
#include "credence/clamp.h"

/* Writes a clamp as JSON and loads it. `dims` is the shape of a batch, whose first dimension is not
 * part of delta. */
static inline crd_clamp *stored_clamp(crd_context *ctx, size_t classes, double temperature,
                                      size_t rank, const int64_t *dims, const float *delta) {
  size_t count = 1;
  crd__text text;
  crd_clamp *clamp;
  crd__text_init(&text, &ctx->alloc);
  crd__text_addf(&text,
                 "{\"credence\": \"clamp\", \"version\": 1, \"classes\": %zu, \"rows\": 1,"
                 " \"settings\": \"\", \"mean\": [], \"std\": [], \"temperature\": ",
                 classes);
  crd__text_add_number(&text, temperature);
  crd__text_add(&text, ", \"shape\": [");
  for (size_t i = 1; i < rank; i++) {
    crd__text_addf(&text, "%s%lld", i > 1 ? ", " : "", (long long)dims[i]);
    count *= (size_t)dims[i];
  }
  crd__text_add(&text, "], \"delta\": [");
  for (size_t i = 0; i < count; i++) {
    crd__text_add(&text, i ? ", " : "");
    crd__text_add_number(&text, delta[i]);
  }
  crd__text_add(&text, "]}");
  const char *const path = put_text("made.json", text.bytes);
  crd__text_clear(&text);
  WORKS(ctx, crd_clamp_load(ctx, path, &clamp));
  unlink(path);
  return clamp;
}

#endif
