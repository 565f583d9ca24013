/* calibrator.c -- any bytes as a calibrator, without the checksum, which would reject nearly all.
 */
#include "fuzz.h"

#include "calibrator/calibrator.h"
#include "export/export.h"

#include <string.h>

enum { ROWS = 4, CLASSES_MAX = 8, WIDTH_MAX = 8 };

/* Applies it to rows of the kind that it was fitted on. */
static void apply(crd_context *ctx, const crd_calibrator *c) {
  const size_t classes = c->classes ? c->classes : 1;
  double scores[ROWS * CLASSES_MAX], out[ROWS * CLASSES_MAX], features[ROWS * WIDTH_MAX];
  crd_predictions *p = NULL;
  for (size_t i = 0; i < ROWS * classes; i++)
    scores[i] = 1 / (double)(c->classes ? classes : i + 1);
  for (size_t i = 0; c->input == CRD_INPUT_LOGITS && i < ROWS * classes; i++)
    scores[i] = (double)(i * 7 % 11) - 5;
  for (size_t i = 0; i < ROWS * WIDTH_MAX; i++) features[i] = (double)(i * 5 % 7) - 3;
  const size_t width = c->width ? c->width : 1;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, ROWS, classes),
                                        .features =
                                            crd_array_matrix(features, CRD_F64, ROWS, width),
                                        .input = c->input,
                                        .labels_optional = 1 };
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK)
    return; /* for instance pairs of two classes */
  const crd_status status = crd_calibrator_apply(ctx, c, p, 0, ROWS, out, NULL, NULL);
  HOLDS(status == CRD_OK || crd_context_message(ctx)[0]);
  crd_predictions_destroy(p);
}

static void export(crd_context *ctx, const crd_calibrator *c) {
  crd__calibrator_map map;
  if (crd__calibrator_map_make(ctx, c, &map) == CRD_OK)
    for (size_t i = 0; crd_export_at(i); i++) {
      crd__text text;
      crd__text_init(&text, &ctx->alloc);
      const crd_status status =
          crd__export_map(ctx, &map, crd_export_at(i)->name, "", NULL, &text, NULL);
      HOLDS(status == CRD_OK || crd_context_message(ctx)[0]);
      crd__text_clear(&text);
    }
  crd__calibrator_map_clear(&map);
}

/* Saving and loading again gives the same calibrator. */
static void check_again(crd_context *ctx, const crd_calibrator *c) {
  crd__text first, second;
  crd_calibrator *again = NULL;
  crd__text_init(&first, &ctx->alloc);
  crd__text_init(&second, &ctx->alloc);
  crd__calibrator_write(c, &first);
  crd__text_add(&first, "\"checksum\": \"\"}");
  HOLDS(crd__calibrator_read(ctx, first.bytes, first.length, true, &again) == CRD_OK);
  crd__calibrator_write(again, &second);
  crd__text_add(&second, "\"checksum\": \"\"}");
  HOLDS(first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0);
  crd__text_clear(&first);
  crd__text_clear(&second);
  crd_calibrator_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd_calibrator *c = NULL;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  crd_context_set_threads(ctx, 1);
  const crd_status status = crd__calibrator_read(ctx, (const char *)bytes, length, true, &c);
  HOLDS((status == CRD_OK) == (c != NULL));
  HOLDS(status == CRD_OK || crd_context_message(ctx)[0]);
  if (c) check_again(ctx, c);
  if (c && c->classes <= CLASSES_MAX && c->width <= WIDTH_MAX) {
    apply(ctx, c);
    export(ctx, c);
  }
  crd_calibrator_destroy(c);
  crd_context_destroy(ctx);
  return 0;
}
