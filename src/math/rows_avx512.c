/* rows_avx512.c -- sixteen lanes in two registers of float64, or one of float32. */
#include "math/rows_lanes.h"

#include <immintrin.h>

#define KERNELS crd__math_rows_avx512
#define KERNELS_NAME "avx512"
#define KERNELS_USABLE crd__math_cpu_avx512

typedef struct {
  __m512d a, b;
} lanes;
typedef struct {
  __mmask8 a, b;
} flags;
typedef __m512 singles;

INLINE lanes lanes_set(double x) { return (lanes){ _mm512_set1_pd(x), _mm512_set1_pd(x) }; }
INLINE lanes lanes_widen(singles x) {
  return (lanes){ _mm512_cvtps_pd(_mm512_castps512_ps256(x)),
                  _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)) };
}
INLINE unsigned first_lanes(size_t count) { return count < LANES ? (1u << count) - 1 : 0xffff; }
INLINE lanes lanes_load(const void *from, size_t count, double fill) {
  const unsigned mask = first_lanes(count);
  const __m512d empty = _mm512_set1_pd(fill);
  return (lanes){ _mm512_mask_loadu_pd(empty, (__mmask8)mask, from),
                  _mm512_mask_loadu_pd(empty, (__mmask8)(mask >> 8), (const char *)from + 64) };
}
INLINE void lanes_store(double *to, size_t count, lanes x) {
  const unsigned mask = first_lanes(count);
  _mm512_mask_storeu_pd(to, (__mmask8)mask, x.a);
  _mm512_mask_storeu_pd(to + 8, (__mmask8)(mask >> 8), x.b);
}
INLINE lanes lanes_add(lanes x, lanes y) {
  return (lanes){ _mm512_add_pd(x.a, y.a), _mm512_add_pd(x.b, y.b) };
}
INLINE lanes lanes_sub(lanes x, lanes y) {
  return (lanes){ _mm512_sub_pd(x.a, y.a), _mm512_sub_pd(x.b, y.b) };
}
INLINE lanes lanes_mul(lanes x, lanes y) {
  return (lanes){ _mm512_mul_pd(x.a, y.a), _mm512_mul_pd(x.b, y.b) };
}
INLINE lanes lanes_div(lanes x, lanes y) {
  return (lanes){ _mm512_div_pd(x.a, y.a), _mm512_div_pd(x.b, y.b) };
}
INLINE lanes lanes_fma(lanes x, lanes y, lanes z) {
  return (lanes){ _mm512_fmadd_pd(x.a, y.a, z.a), _mm512_fmadd_pd(x.b, y.b, z.b) };
}
INLINE lanes lanes_max(lanes x, lanes y) {
  return (lanes){ _mm512_max_pd(x.a, y.a), _mm512_max_pd(x.b, y.b) };
}
INLINE lanes lanes_min(lanes x, lanes y) {
  return (lanes){ _mm512_min_pd(x.a, y.a), _mm512_min_pd(x.b, y.b) };
}
INLINE flags flags_none(void) { return (flags){ 0, 0 }; }
INLINE flags lanes_below(lanes x, double limit) {
  const __m512d y = _mm512_set1_pd(limit);
  return (flags){ _mm512_cmp_pd_mask(x.a, y, _CMP_LT_OQ), _mm512_cmp_pd_mask(x.b, y, _CMP_LT_OQ) };
}
INLINE bool flags_any(flags f) { return (f.a | f.b) != 0; }
INLINE lanes lanes_drop(flags f, lanes x) {
  return (lanes){ _mm512_maskz_mov_pd((__mmask8)~f.a, x.a),
                  _mm512_maskz_mov_pd((__mmask8)~f.b, x.b) };
}
INLINE unsigned lanes_equal(lanes x, lanes y) {
  return _mm512_cmp_pd_mask(x.a, y.a, _CMP_EQ_OQ) |
         (unsigned)_mm512_cmp_pd_mask(x.b, y.b, _CMP_EQ_OQ) << 8;
}
INLINE lanes lanes_power(lanes t) {
  const __m512i low = _mm512_loadu_si512(exp_table), high = _mm512_loadu_si512(exp_table + 8);
  const __m512i a = _mm512_castpd_si512(t.a), b = _mm512_castpd_si512(t.b);
  return (lanes){ _mm512_castsi512_pd(_mm512_add_epi64(_mm512_permutex2var_epi64(low, a, high),
                                                       _mm512_slli_epi64(a, 48))),
                  _mm512_castsi512_pd(_mm512_add_epi64(_mm512_permutex2var_epi64(low, b, high),
                                                       _mm512_slli_epi64(b, 48))) };
}
INLINE __m256d upper(__m512d x) { return _mm512_extractf64x4_pd(x, 1); }
INLINE double lanes_sum(lanes x) {
  const __m512d eight = _mm512_add_pd(x.a, x.b);
  const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(eight), upper(eight));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
INLINE double lanes_top(lanes x) { return _mm512_reduce_max_pd(_mm512_max_pd(x.a, x.b)); }
INLINE double lanes_bottom(lanes x) { return _mm512_reduce_min_pd(_mm512_min_pd(x.a, x.b)); }

INLINE singles singles_set(float x) { return _mm512_set1_ps(x); }
INLINE singles singles_load(const void *from, size_t count, float fill) {
  const unsigned mask = first_lanes(count);
  return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), (__mmask16)mask, from);
}
INLINE singles singles_load_half(const void *from, size_t count, float fill) {
  const unsigned mask = first_lanes(count);
  return _mm512_mask_cvtph_ps(_mm512_set1_ps(fill), (__mmask16)mask,
                              _mm256_maskz_loadu_epi16((__mmask16)mask, from));
}
INLINE singles singles_max(singles x, singles y) { return _mm512_max_ps(x, y); }
INLINE singles singles_min(singles x, singles y) { return _mm512_min_ps(x, y); }
INLINE unsigned singles_equal(singles x, singles y) { return _mm512_cmp_ps_mask(x, y, _CMP_EQ_OQ); }
INLINE float singles_top(singles x) { return _mm512_reduce_max_ps(x); }

INLINE unsigned lowest_bit(uint64_t mask) { return (unsigned)_mm_popcnt_u64(~mask & (mask - 1)); }
INLINE void prefetch(const void *address) { _mm_prefetch((const char *)address, _MM_HINT_T0); }

#include "math/rows_body.h"
