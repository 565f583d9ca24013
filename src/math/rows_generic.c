/*
 * rows_generic.c -- sixteen lanes in arrays, for any processor. fma() rounds once, as C requires:
 * slow without hardware support, but correct.
 */
#define INLINE static inline
#include "math/rows_lanes.h"

#include "math/half.h"

#include <math.h>
#include <string.h>

#define KERNELS crd__math_rows_generic
#define KERNELS_NAME "generic"
#define KERNELS_USABLE always

typedef struct {
  double at[LANES];
} lanes;
typedef struct {
  float at[LANES];
} singles;
typedef struct {
  bool at[LANES];
} flags;

static bool always(void) { return true; }

/* Defines a function of lanes, one by one: `value` is the new value of lane j. */
#define LANEWISE(type, head, value)                                                                \
  INLINE type head {                                                                               \
    type y;                                                                                        \
    for (size_t j = 0; j < LANES; j++) y.at[j] = value;                                            \
    return y;                                                                                      \
  }

LANEWISE(lanes, lanes_set(double x), x)
LANEWISE(lanes, lanes_widen(singles x), x.at[j])
LANEWISE(lanes, lanes_add(lanes x, lanes z), x.at[j] + z.at[j])
LANEWISE(lanes, lanes_sub(lanes x, lanes z), x.at[j] - z.at[j])
LANEWISE(lanes, lanes_mul(lanes x, lanes z), x.at[j] * z.at[j])
LANEWISE(lanes, lanes_div(lanes x, lanes z), x.at[j] / z.at[j])
LANEWISE(lanes, lanes_fma(lanes x, lanes z, lanes w), fma(x.at[j], z.at[j], w.at[j]))
LANEWISE(lanes, lanes_max(lanes x, lanes z), x.at[j] > z.at[j] ? x.at[j] : z.at[j])
LANEWISE(lanes, lanes_min(lanes x, lanes z), x.at[j] < z.at[j] ? x.at[j] : z.at[j])
LANEWISE(lanes, lanes_drop(flags f, lanes x), f.at[j] ? 0 : x.at[j])
LANEWISE(flags, lanes_below(lanes x, double limit), x.at[j] < limit)
LANEWISE(flags, flags_none(void), false)
LANEWISE(singles, singles_set(float x), x)
LANEWISE(singles, singles_max(singles x, singles z), x.at[j] > z.at[j] ? x.at[j] : z.at[j])
LANEWISE(singles, singles_min(singles x, singles z), x.at[j] < z.at[j] ? x.at[j] : z.at[j])

INLINE lanes lanes_load(const void *from, size_t count, double fill) {
  lanes x = lanes_set(fill);
  memcpy(x.at, from, (count < LANES ? count : LANES) * sizeof *x.at);
  return x;
}
INLINE void lanes_store(double *to, size_t count, lanes x) {
  memcpy(to, x.at, (count < LANES ? count : LANES) * sizeof *x.at);
}
INLINE singles singles_load(const void *from, size_t count, float fill) {
  singles x = singles_set(fill);
  memcpy(x.at, from, (count < LANES ? count : LANES) * sizeof *x.at);
  return x;
}
INLINE singles singles_load_half(const void *from, size_t count, float fill) {
  uint16_t half[LANES];
  singles x = singles_set(fill);
  if (count > LANES) count = LANES;
  memcpy(half, from, count * sizeof *half);
  for (size_t j = 0; j < count; j++) x.at[j] = (float)crd__math_half_to_double(half[j]);
  return x;
}

INLINE bool flags_any(flags f) {
  bool any = false;
  for (size_t j = 0; j < LANES; j++) any |= f.at[j];
  return any;
}
INLINE unsigned lanes_equal(lanes x, lanes y) {
  unsigned mask = 0;
  for (unsigned j = 0; j < LANES; j++) mask |= (unsigned)(x.at[j] == y.at[j]) << j;
  return mask;
}
INLINE unsigned singles_equal(singles x, singles y) {
  return lanes_equal(lanes_widen(x), lanes_widen(y));
}
INLINE lanes lanes_power(lanes t) {
  uint64_t bits[LANES];
  memcpy(bits, t.at, sizeof bits);
  for (size_t j = 0; j < LANES; j++) bits[j] = exp_table[bits[j] % LANES] + (bits[j] << 48);
  memcpy(t.at, bits, sizeof bits);
  return t;
}
INLINE double lanes_sum(lanes x) {
  for (size_t half = LANES / 2; half; half /= 2)
    for (size_t j = 0; j < half; j++) x.at[j] += x.at[j + half];
  return x.at[0];
}
INLINE double lanes_top(lanes x) {
  double top = x.at[0];
  for (size_t j = 1; j < LANES; j++) top = x.at[j] > top ? x.at[j] : top;
  return top;
}
INLINE double lanes_bottom(lanes x) {
  double low = x.at[0];
  for (size_t j = 1; j < LANES; j++) low = x.at[j] < low ? x.at[j] : low;
  return low;
}
INLINE float singles_top(singles x) { return (float)lanes_top(lanes_widen(x)); }
INLINE unsigned lowest_bit(uint64_t mask) {
  unsigned bit = 0;
  while (!(mask >> bit & 1)) bit++;
  return bit;
}
INLINE void prefetch(const void *address) { (void)address; }

#include "math/rows_body.h"
