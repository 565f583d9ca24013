/* layer.c -- recurrent layers of any type (layer.h): float16 is converted to float32 and back. */
#include "engine/kernel/recurrent/layer.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"

size_t crd__kernel_recurrent_gates(crd__kernel_cell cell) {
  static const size_t gates[] = { [CRD__LSTM] = 4, [CRD__GRU] = 3, [CRD__RNN] = 1 };
  return gates[cell];
}

crd__kernel_recurrent_shape crd__kernel_recurrent_shape_of(const crd__kernel_recurrent *k,
                                                           bool kept) {
  crd__kernel_recurrent_shape at = { .rows = k->steps * k->batch,
                                     .gates = crd__kernel_recurrent_gates(k->cell) * k->hidden,
                                     .by_step = k->batch_first ? 1 : k->batch,
                                     .by_batch = k->batch_first ? k->steps : 1 };
  const size_t states = kept ? k->directions * at.rows * k->hidden : 0;
  const bool extra = k->cell == CRD__GRU || k->peepholes;
  at.h = k->directions * at.rows * at.gates;
  at.c = at.h + states;
  at.extra = at.c + (k->cell == CRD__LSTM ? states : 0);
  at.record = at.extra + (extra ? states : 0);
  return at;
}

static size_t size_of(const crd__kernel_recurrent *k) {
  return k->dtype == CRD_F64 ? sizeof(double) : sizeof(float);
}

size_t crd__kernel_recurrent_record(const crd__kernel_recurrent *k, bool kept) {
  return crd__kernel_recurrent_shape_of(k, kept).record * size_of(k);
}

/* ---- Rows of the batch. */

typedef struct {
  const crd__kernel_recurrent *k;
  void (*run)(const void *work, size_t direction, size_t from, size_t to);
  const void *work;
} division;

static void run_part(void *arg, size_t from, size_t to) {
  const division *const v = arg;
  for (size_t d = 0; d < v->k->directions; d++) {
    const size_t first = d * v->k->batch, last = first + v->k->batch;
    const size_t low = from > first ? from : first, high = to < last ? to : last;
    if (low < high) v->run(v->work, d, low - first, high - first);
  }
}

void crd__kernel_recurrent_divide(unsigned threads, const crd__kernel_recurrent *k,
                                  void (*run)(const void *work, size_t direction, size_t from,
                                              size_t to),
                                  const void *work) {
  division v = { k, run, work };
  const size_t each = k->steps * k->hidden * crd__kernel_recurrent_gates(k->cell) * k->hidden;
  crd__parallel_spans(threads, k->directions * k->batch, 1 + 65536 / (each + 1), run_part, &v);
}

/* ---- Converted arrays. */

enum { INPUTS = 7, OUTPUTS = 3 };

/* Set the number of elements of x, w, r, b, h, c, p; and of y, y_h, y_c. */
static void count_elements(const crd__kernel_recurrent *k, size_t inputs[INPUTS],
                           size_t outputs[OUTPUTS]) {
  const crd__kernel_recurrent_shape at = crd__kernel_recurrent_shape_of(k, false);
  const size_t d = k->directions, state = d * k->batch * k->hidden;
  inputs[0] = at.rows * k->inputs;
  inputs[1] = d * at.gates * k->inputs;
  inputs[2] = d * at.gates * k->hidden;
  inputs[3] = 2 * d * at.gates;
  inputs[4] = inputs[5] = state;
  inputs[6] = 3 * d * k->hidden;
  outputs[0] = d * at.rows * k->hidden;
  outputs[1] = outputs[2] = state;
}

size_t crd__kernel_recurrent_scratch(const crd__kernel_recurrent *k) {
  size_t inputs[INPUTS], outputs[OUTPUTS], count;
  if (k->dtype == CRD_F64) return crd__kernel_recurrent_f64_scratch(k) * sizeof(double);
  count = crd__kernel_recurrent_f32_scratch(k);
  count_elements(k, inputs, outputs);
  for (size_t i = 0; i < INPUTS && k->dtype == CRD_F16; i++) count += inputs[i];
  for (size_t i = 0; i < OUTPUTS && k->dtype == CRD_F16; i++) count += outputs[i];
  return count * sizeof(float);
}

static void run_float16(unsigned threads, const crd__kernel_recurrent *k, bool kept,
                        const crd__kernel_recurrent_arrays *a) {
  crd__kernel_recurrent_arrays wide = *a;
  const void **const from[] = { &wide.x, &wide.w, &wide.r, &wide.b, &wide.h, &wide.c, &wide.p };
  void **const to[] = { &wide.y, &wide.y_h, &wide.y_c };
  void *const narrow[] = { a->y, a->y_h, a->y_c };
  size_t inputs[INPUTS], outputs[OUTPUTS];
  float *next = a->scratch;
  count_elements(k, inputs, outputs);
  for (size_t i = 0; i < INPUTS; i++) {
    if (!*from[i]) continue;
    crd__kernel_cast(threads, CRD_F16, CRD_F32, inputs[i], *from[i], next);
    *from[i] = next;
    next += inputs[i];
  }
  for (size_t i = 0; i < OUTPUTS; i++) {
    if (*to[i]) *to[i] = next;
    next += outputs[i];
  }
  wide.scratch = next;
  crd__kernel_recurrent_f32(threads, k, kept, &wide);
  for (size_t i = 0; i < OUTPUTS; i++)
    if (narrow[i]) crd__kernel_cast(threads, CRD_F32, CRD_F16, outputs[i], *to[i], narrow[i]);
}

void crd__kernel_recurrent_run(unsigned threads, const crd__kernel_recurrent *k, bool kept,
                               const crd__kernel_recurrent_arrays *a) {
  crd__kernel_recurrent_fn *const run = k->dtype == CRD_F64   ? crd__kernel_recurrent_f64
                                        : k->dtype == CRD_F32 ? crd__kernel_recurrent_f32
                                                              : run_float16;
  run(threads, k, kept, a);
}
