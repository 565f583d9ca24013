/* rows_avx2.c -- sixteen lanes in four registers of float64, or two of float32. */
#include "math/rows_lanes.h"

#include <immintrin.h>
#include <string.h>

#define KERNELS crd__math_rows_avx2
#define KERNELS_NAME "avx2"
#define KERNELS_USABLE crd__math_cpu_avx2

typedef struct {
  __m256d a, b, c, d;
} lanes;
typedef lanes flags; /* all bits of a lane are set, or none */
typedef struct {
  __m256 a, b;
} singles;

/* Applies an instruction to every register of the lanes. */
#define UNARY(call)                                                                                \
  { call(x.a), call(x.b), call(x.c), call(x.d) }
#define BINARY(call)                                                                               \
  { call(x.a, y.a), call(x.b, y.b), call(x.c, y.c), call(x.d, y.d) }
#define TERNARY(call)                                                                              \
  { call(x.a, y.a, z.a), call(x.b, y.b, z.b), call(x.c, y.c, z.c), call(x.d, y.d, z.d) }

INLINE lanes lanes_set(double x) {
  const __m256d y = _mm256_set1_pd(x);
  return (lanes){ y, y, y, y };
}
INLINE __m128 lower_half(__m256 x) { return _mm256_castps256_ps128(x); }
INLINE __m128 upper_half(__m256 x) { return _mm256_extractf128_ps(x, 1); }
INLINE lanes lanes_widen(singles x) {
  return (lanes){ _mm256_cvtps_pd(lower_half(x.a)), _mm256_cvtps_pd(upper_half(x.a)),
                  _mm256_cvtps_pd(lower_half(x.b)), _mm256_cvtps_pd(upper_half(x.b)) };
}
/* Missing lanes are filled in memory: there are no masked loads of float16. */
INLINE lanes lanes_load(const void *from, size_t count, double fill) {
  double full[LANES];
  const double *at = from;
  if (count < LANES) {
    for (size_t j = 0; j < LANES; j++) full[j] = fill;
    memcpy(full, from, count * sizeof *full);
    at = full;
  }
  return (lanes){ _mm256_loadu_pd(at), _mm256_loadu_pd(at + 4), _mm256_loadu_pd(at + 8),
                  _mm256_loadu_pd(at + 12) };
}
INLINE void lanes_store(double *to, size_t count, lanes x) {
  double full[LANES];
  double *const at = count < LANES ? full : to;
  _mm256_storeu_pd(at, x.a);
  _mm256_storeu_pd(at + 4, x.b);
  _mm256_storeu_pd(at + 8, x.c);
  _mm256_storeu_pd(at + 12, x.d);
  if (count < LANES) memcpy(to, full, count * sizeof *full);
}
INLINE lanes lanes_add(lanes x, lanes y) { return (lanes)BINARY(_mm256_add_pd); }
INLINE lanes lanes_sub(lanes x, lanes y) { return (lanes)BINARY(_mm256_sub_pd); }
INLINE lanes lanes_mul(lanes x, lanes y) { return (lanes)BINARY(_mm256_mul_pd); }
INLINE lanes lanes_div(lanes x, lanes y) { return (lanes)BINARY(_mm256_div_pd); }
INLINE lanes lanes_max(lanes x, lanes y) { return (lanes)BINARY(_mm256_max_pd); }
INLINE lanes lanes_min(lanes x, lanes y) { return (lanes)BINARY(_mm256_min_pd); }
INLINE lanes lanes_fma(lanes x, lanes y, lanes z) { return (lanes)TERNARY(_mm256_fmadd_pd); }
INLINE lanes lanes_drop(flags x, lanes y) { return (lanes)BINARY(_mm256_andnot_pd); }

INLINE flags flags_none(void) { return lanes_set(0); }
INLINE __m256d below(__m256d x, __m256d y) { return _mm256_cmp_pd(x, y, _CMP_LT_OQ); }
INLINE flags lanes_below(lanes x, double limit) {
  const lanes y = lanes_set(limit);
  return (flags)BINARY(below);
}
INLINE bool flags_any(flags f) {
  return _mm256_movemask_pd(_mm256_or_pd(_mm256_or_pd(f.a, f.b), _mm256_or_pd(f.c, f.d))) != 0;
}
INLINE unsigned equal(__m256d x, __m256d y) {
  return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_EQ_OQ));
}
INLINE unsigned lanes_equal(lanes x, lanes y) {
  return equal(x.a, y.a) | equal(x.b, y.b) << 4 | equal(x.c, y.c) << 8 | equal(x.d, y.d) << 12;
}
INLINE __m256d power(__m256d t) {
  const __m256i bits = _mm256_castpd_si256(t);
  const __m256i j = _mm256_and_si256(bits, _mm256_set1_epi64x(LANES - 1));
  const __m256i root = _mm256_i64gather_epi64((const long long *)(const void *)exp_table, j, 8);
  return _mm256_castsi256_pd(_mm256_add_epi64(root, _mm256_slli_epi64(bits, 48)));
}
INLINE lanes lanes_power(lanes x) { return (lanes)UNARY(power); }
INLINE double lanes_sum(lanes x) {
  const __m256d four = _mm256_add_pd(_mm256_add_pd(x.a, x.c), _mm256_add_pd(x.b, x.d));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
INLINE double lanes_top(lanes x) {
  const __m256d four = _mm256_max_pd(_mm256_max_pd(x.a, x.b), _mm256_max_pd(x.c, x.d));
  const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}
INLINE double lanes_bottom(lanes x) { return -lanes_top(lanes_sub(lanes_set(0), x)); }

INLINE singles singles_set(float x) { return (singles){ _mm256_set1_ps(x), _mm256_set1_ps(x) }; }
INLINE singles singles_load(const void *from, size_t count, float fill) {
  float full[LANES];
  const float *at = from;
  if (count < LANES) {
    for (size_t j = 0; j < LANES; j++) full[j] = fill;
    memcpy(full, from, count * sizeof *full);
    at = full;
  }
  return (singles){ _mm256_loadu_ps(at), _mm256_loadu_ps(at + 8) };
}
INLINE singles singles_load_half(const void *from, size_t count, float fill) {
  uint16_t full[LANES];
  const void *at = from;
  if (count < LANES) {
    const int half = _cvtss_sh(fill, 0);
    for (size_t j = 0; j < LANES; j++) full[j] = (uint16_t)half;
    memcpy(full, from, count * sizeof *full);
    at = full;
  }
  return (singles){ _mm256_cvtph_ps(_mm_loadu_si128(at)),
                    _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)at + 1)) };
}
INLINE singles singles_max(singles x, singles y) {
  return (singles){ _mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b) };
}
INLINE singles singles_min(singles x, singles y) {
  return (singles){ _mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b) };
}
INLINE unsigned singles_equal(singles x, singles y) {
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x.a, y.a, _CMP_EQ_OQ)) |
         (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x.b, y.b, _CMP_EQ_OQ)) << 8;
}
INLINE float singles_top(singles x) {
  const __m256 eight = _mm256_max_ps(x.a, x.b);
  const __m128 four = _mm_max_ps(lower_half(eight), upper_half(eight));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}

INLINE unsigned lowest_bit(uint64_t mask) { return (unsigned)_mm_popcnt_u64(~mask & (mask - 1)); }
INLINE void prefetch(const void *address) { _mm_prefetch((const char *)address, _MM_HINT_T0); }

#include "math/rows_body.h"
