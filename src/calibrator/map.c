/* map.c -- builds a calibrator's map from the description of its method. */
#include "calibrator/map.h"
#include "base/memory.h"
#include "calibrator/calibrator.h"

#include <assert.h>
#include <float.h>
#include <string.h>

void crd__calibrator_map_clear(crd__calibrator_map *map) {
  for (size_t i = 0; i < map->count; i++) {
    crd__free(&map->alloc, map->steps[i].a.start);
    crd__free(&map->alloc, map->steps[i].a.values);
    crd__free(&map->alloc, map->steps[i].b.start);
    crd__free(&map->alloc, map->steps[i].b.values);
  }
  crd__free(&map->alloc, map->steps);
  *map = (crd__calibrator_map){ .alloc = map->alloc };
}

/* Appends one part after the `parts` existing ones; false if memory is exhausted. */
static bool extend(const crd_allocator *alloc, crd__calibrator_operand *operand, size_t parts,
                   const double *values, size_t count) {
  size_t *const start = crd__resize(alloc, operand->start, parts + 2, sizeof *start);
  if (!start) return false;
  operand->start = start;
  if (parts == 0) start[0] = 0;
  double *const all = crd__resize(alloc, operand->values, start[parts] + count + 1, sizeof *all);
  if (!all) return false;
  operand->values = all;
  if (count) memcpy(all + start[parts], values, count * sizeof *all);
  start[parts + 1] = start[parts] + count;
  return true;
}

crd_status crd__calibrator_map_add(crd_context *ctx, crd__calibrator_map *map,
                                   crd__calibrator_op op, const double *a, size_t a_count,
                                   const double *b, size_t b_count) {
  if (map->part == 0) {
    crd__calibrator_step *const steps =
        crd__resize(&map->alloc, map->steps, map->count + 1, sizeof *steps);
    if (!steps) return crd__fail(ctx, CRD_ENOMEM, "no memory for a map");
    map->steps = steps;
    steps[map->count++] = (crd__calibrator_step){ .op = op };
  }
  crd__calibrator_step *const step = &map->steps[map->next++];
  assert(map->next <= map->count && step->op == op && step->parts == map->part);
  if (!extend(&map->alloc, &step->a, step->parts, a, a_count) ||
      !extend(&map->alloc, &step->b, step->parts, b, b_count))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a map (%zu numbers)", a_count + b_count);
  step->parts++;
  return CRD_OK;
}

void crd__calibrator_map_next(crd__calibrator_map *map) {
  map->part++;
  map->next = 0;
}

size_t crd__calibrator_step_segments(const crd__calibrator_step *step, size_t event) {
  const size_t count = step->a.start[event + 1] - step->a.start[event];
  return step->op == CRD__BENT ? count - 1 : count + 1;
}

/* Segments between neighbouring points; the first and the last one are unbounded. */
static crd__calibrator_segment bent_segment(const double *a, const double *b, size_t index,
                                            size_t last) {
  return (crd__calibrator_segment){ .low = index > 0 ? a[index] : -DBL_MAX,
                                    .high = index < last ? a[index + 1] : DBL_MAX,
                                    .at = a[index],
                                    .value = b[index],
                                    .slope =
                                        (b[index + 1] - b[index]) / (a[index + 1] - a[index]) };
}

/* The outer limits of the first and the last segment contain all probabilities and log-odds. */
crd__calibrator_segment crd__calibrator_step_segment(const crd__calibrator_step *step, size_t event,
                                                     size_t index) {
  const double *const a = step->a.values + step->a.start[event];
  const double *const b = step->b.values + step->b.start[event];
  const size_t last = crd__calibrator_step_segments(step, event) - 1;
  if (step->op == CRD__BENT) return bent_segment(a, b, index, last);
  const bool lines = step->op == CRD__LINES, inside = lines && index > 0 && index < last;
  return (crd__calibrator_segment){ .low = index > 0 ? a[index - 1] : -1e300,
                                    .high = index < last ? a[index] : 1e300,
                                    .at = inside ? a[index - 1] : 0,
                                    .value = b[lines && index > 0 ? index - 1 : index],
                                    .slope =
                                        inside && a[index] > a[index - 1]
                                            ? (b[index] - b[index - 1]) / (a[index] - a[index - 1])
                                            : 0 };
}

static crd_status describe_events(crd_context *ctx, const crd__calibrator_event_method *event,
                                  const crd__calibrator_model *model, crd__calibrator_map *map) {
  const size_t events = model->top || model->classes == 2 ? 1 : model->classes;
  map->reach = model->top ? CRD__TOP_EVENT : CRD__ALL_EVENTS;
  for (size_t part = 0; part < events; part++) {
    CRD_TRY(event->describe(ctx, model, event->shared ? 0 : part, map));
    crd__calibrator_map_next(map);
  }
  return CRD_OK;
}

crd_status crd__calibrator_map_make(crd_context *ctx, const crd_calibrator *calibrator,
                                    crd__calibrator_map *out) {
  const crd__calibrator_method *const method = calibrator->method;
  const crd__calibrator_model model = crd__calibrator_model_of(calibrator);
  *out = (crd__calibrator_map){
    .alloc = ctx->alloc,
    .classes = model.classes,
    .input = calibrator->input,
    .floor = crd__calibrator_floor(calibrator),
    .normalise = method->scale == CRD__LOG_P && calibrator->input == CRD_INPUT_LOGITS,
  };
  if (method->event ? !method->event->describe : !method->describe)
    return crd__fail(ctx, CRD_EUSAGE, "%s cannot be exported: it has no closed formula",
                     method->info.name);
  return method->event ? describe_events(ctx, method->event, &model, out)
                       : method->describe(ctx, &model, out);
}
