/*
 * rows_body.h -- the row kernels, written once over 16 lanes.
 *
 * Included at the end of each rows_<instruction set>.c, which defines the lanes: `lanes` are 16
 * float64, `singles` 16 float32, and `flags` one truth value per float64. float16 is widened to
 * float32; comparisons (maximum, minimum, their indices) use float32 if the type allows it.
 *
 * exp(d) for d <= 0: k = round(16 d / ln 2), r = d - k ln 2 / 16 in two steps, |r| <= ln 2 / 32,
 * exp(d) = 2^(k/16) (1 + r + r^2 p(r)), p of degree 4 near minimax (relative error 3e-17 before
 * rounding, 2.5e-16 after). Adding 1.5 * 2^52 rounds 16 d / ln 2 and leaves k in the low bits of
 * the sum: 4 of them select from a table of 2^(j/16), and a shift by 48 moves the others to the
 * exponent; the table is less by j << 48 to cancel the low bits that the shift moves too.
 */
#include <math.h>
#include <string.h>

/* Terms below cut_sum are left out of sums: together they are less than 1e-140, and no square of
 * the others is subnormal. Values below cut_value are 0: their exponent would be subnormal. */
static const double cut_sum = -350, cut_value = -708;

INLINE lanes exp_lanes(lanes d) {
  const lanes magic = lanes_set(0x1.8p52);
  const lanes t = lanes_fma(d, lanes_set(0x1.71547652b82fep+4), magic);
  const lanes k = lanes_sub(t, magic);
  const lanes near = lanes_fma(k, lanes_set(-0x1.62e42fefa39efp-5), d);
  const lanes r = lanes_fma(k, lanes_set(-0x1.abc9e3b39803fp-60), near), r2 = lanes_mul(r, r);
  const lanes a = lanes_fma(r, lanes_set(0x1.55555554dd44dp-3), lanes_set(0.5));
  lanes b = lanes_fma(r, lanes_set(0x1.11120af701decp-7), lanes_set(0x1.55555555194d2p-5));
  b = lanes_fma(r2, lanes_set(0x1.6c17bb51f236dp-10), b);
  const lanes p = lanes_fma(r2, b, a), power = lanes_power(t);
  return lanes_fma(power, lanes_fma(p, r2, r), power);
}

/* Sixteen elements for comparison; only the member of the type is used. */
typedef struct {
  lanes wide;
  singles narrow;
} block;

INLINE block block_set(crd__math_row_type type, double x) {
  block b;
  if (type == CRD__ROW_F64) b.wide = lanes_set(x);
  else b.narrow = singles_set((float)x);
  return b;
}

INLINE size_t size_of(crd__math_row_type type) { return crd__math_row_type_size(type); }

/* Loads `count` elements from k on; the remaining lanes are `fill`. */
INLINE block block_load(const char *row, crd__math_row_type type, size_t k, size_t count,
                        double fill) {
  const char *const from = row + k * size_of(type);
  block b;
  if (type == CRD__ROW_F64) b.wide = lanes_load(from, count, fill);
  else if (type == CRD__ROW_F32) b.narrow = singles_load(from, count, (float)fill);
  else b.narrow = singles_load_half(from, count, (float)fill);
  return b;
}

INLINE lanes block_widen(crd__math_row_type type, block x) {
  return type == CRD__ROW_F64 ? x.wide : lanes_widen(x.narrow);
}

/* Running maximum and minimum. */
typedef struct {
  block top, low;
} range;

INLINE void range_add(crd__math_row_type type, range *s, block top, block low) {
  if (type == CRD__ROW_F64) {
    s->top.wide = lanes_max(s->top.wide, top.wide);
    s->low.wide = lanes_min(s->low.wide, low.wide);
  } else {
    s->top.narrow = singles_max(s->top.narrow, top.narrow);
    s->low.narrow = singles_min(s->low.narrow, low.narrow);
  }
}

INLINE unsigned block_equal(crd__math_row_type type, block x, block y) {
  return type == CRD__ROW_F64 ? lanes_equal(x.wide, y.wide) : singles_equal(x.narrow, y.narrow);
}

enum { CHAINS = 4 }; /* comparisons in flight at once, to hide their latency */
enum { STRIDE = CHAINS * LANES };

/* Finds maximum and minimum of a row, the minimum still in lanes. The lane of the maximum is not
 * tracked: its first index is searched for later. */
INLINE block find_range(const char *row, crd__math_row_type type, size_t cols, double *top) {
  const range none = { block_set(type, -INFINITY), block_set(type, INFINITY) };
  range r[CHAINS] = { none, none, none, none };
  size_t k = 0;
  for (; k + STRIDE <= cols; k += STRIDE) {
    for (size_t c = 0; c < CHAINS; c++) {
      const block x = block_load(row, type, k + c * LANES, LANES, 0);
      range_add(type, &r[c], x, x);
    }
  }
  if (k)
    for (size_t c = 1; c < CHAINS; c++) range_add(type, &r[0], r[c].top, r[c].low);
  for (; k < cols; k += LANES)
    range_add(type, &r[0], block_load(row, type, k, cols - k, -INFINITY),
              block_load(row, type, k, cols - k, INFINITY));
  /* Adding 0 turns -0 into 0. */
  *top = (type == CRD__ROW_F64 ? lanes_top(r[0].top.wide) : singles_top(r[0].top.narrow)) + 0.0;
  return r[0].low;
}

INLINE size_t find_first(const char *row, crd__math_row_type type, size_t cols, double value) {
  const block wanted = block_set(type, value);
  size_t k = 0;
  for (; k + STRIDE <= cols; k += STRIDE) {
    uint64_t found = 0;
    for (size_t c = 0; c < CHAINS; c++) {
      const block x = block_load(row, type, k + c * LANES, LANES, 0);
      found |= (uint64_t)block_equal(type, x, wanted) << c * LANES;
    }
    if (found) return k + lowest_bit(found);
  }
  for (; k < cols; k += LANES) {
    const unsigned found = block_equal(type, block_load(row, type, k, cols - k, -INFINITY), wanted);
    if (found) return k + lowest_bit(found);
  }
  return 0; /* only with a NaN */
}

typedef struct {
  lanes mass, mean, square;
} sums;

/* Adds exp(d) and its moments for a block of d = z - m. `cut`: drop terms below cut_sum; most rows
 * have none, and skip the comparison. */
INLINE void sums_add(sums *s, lanes d, bool cut, bool moments) {
  const flags low = cut ? lanes_below(d, cut_sum) : flags_none();
  const lanes e = lanes_drop(low, exp_lanes(d));
  s->mass = lanes_add(s->mass, e);
  if (moments) {
    s->mean = lanes_fma(e, lanes_drop(low, d), s->mean);
    s->square = lanes_fma(e, e, s->square);
  }
}

INLINE void logits_sum(const char *row, crd__math_row_type type, size_t cols, bool cut,
                       bool moments, crd__math_row_summary *out) {
  const lanes m = lanes_set(out->top);
  sums s = { lanes_set(0), lanes_set(0), lanes_set(0) };
  size_t k = 0;
  for (; k + LANES <= cols; k += LANES) {
    const char *const from = row + k * size_of(type);
    prefetch((const void *)((uintptr_t)from + cols * size_of(type))); /* the next row */
    const lanes z = block_widen(type, block_load(row, type, k, LANES, 0));
    sums_add(&s, lanes_sub(z, m), cut, moments);
  }
  if (k < cols) {
    const lanes z = block_widen(type, block_load(row, type, k, cols - k, -INFINITY));
    sums_add(&s, lanes_sub(z, m), true, moments);
  }
  out->mass = lanes_sum(s.mass);
  out->mean = moments ? lanes_sum(s.mean) : 0;
  out->square = moments ? lanes_sum(s.square) : 0;
}

INLINE void logits_row(const char *row, crd__math_row_type type, size_t cols, bool moments,
                       crd__math_row_summary *out) {
  const block low = find_range(row, type, cols, &out->top);
  const lanes deepest = lanes_sub(block_widen(type, low), lanes_set(out->top));
  if (cols >= LANES && flags_any(lanes_below(deepest, cut_sum)))
    logits_sum(row, type, cols, true, moments, out);
  else logits_sum(row, type, cols, false, moments, out);
  out->argmax = find_first(row, type, cols, out->top);
  out->low = 0;
  /* The maximum or minimum is infinite if any value is, and a NaN propagates to the mass. */
  out->finite = out->top < INFINITY && !isnan(out->mass) &&
                !block_equal(type, low, block_set(type, -INFINITY));
}

/* ---- Rows of at most sixteen classes, sixteen rows at once: lane i is row i. */

/* The tree of lanes_sum, over columns: the same additions, so the same bits. */
INLINE lanes fold(lanes x[LANES], size_t cols) {
  for (size_t half = LANES / 2; half; half /= 2)
    for (size_t j = 0; j < half && j + half < cols; j++) x[j] = lanes_add(x[j], x[j + half]);
  return x[0];
}

/* Loads element k of sixteen rows. */
INLINE block block_column(const char *rows, crd__math_row_type type, size_t cols, size_t k) {
  const size_t size = size_of(type);
  char column[LANES * sizeof(double)];
  for (size_t i = 0; i < LANES; i++) memcpy(column + i * size, rows + (i * cols + k) * size, size);
  return block_load(column, type, 0, LANES, 0);
}

INLINE void logits_short(const char *rows, crd__math_row_type type, size_t cols, bool moments,
                         crd__math_row_summary *out) {
  block x[LANES];
  range r = { block_set(type, -INFINITY), block_set(type, INFINITY) };
  for (size_t k = 0; k < cols; k++) {
    x[k] = block_column(rows, type, cols, k);
    range_add(type, &r, x[k], x[k]);
  }
  const lanes top = lanes_add(block_widen(type, r.top), lanes_set(0));
  lanes mass[LANES], mean[LANES], square[LANES];
  lanes first = lanes_set(0); /* 16 - k for the lowest k at which the row has its maximum */
  for (size_t k = 0; k < cols; k++) {
    const lanes z = block_widen(type, x[k]);
    const lanes d = lanes_sub(z, top);
    sums s = { lanes_set(0), lanes_set(0), lanes_set(0) };
    sums_add(&s, d, true, moments);
    first = lanes_max(first, lanes_drop(lanes_below(d, 0), lanes_set((double)(LANES - k))));
    mass[k] = s.mass;
    mean[k] = s.mean;
    square[k] = s.square;
  }
  double tops[LANES], firsts[LANES], lows[LANES], masses[LANES];
  double means[LANES] = { 0 }, squares[LANES] = { 0 };
  lanes_store(tops, LANES, top);
  lanes_store(firsts, LANES, first);
  lanes_store(lows, LANES, block_widen(type, r.low));
  lanes_store(masses, LANES, fold(mass, cols));
  if (moments) lanes_store(means, LANES, fold(mean, cols));
  if (moments) lanes_store(squares, LANES, fold(square, cols));
  for (size_t i = 0; i < LANES; i++) {
    out[i] = (crd__math_row_summary){ .top = tops[i],
                                      .argmax = LANES - (size_t)firsts[i],
                                      .mass = masses[i],
                                      .mean = means[i],
                                      .square = squares[i] };
    out[i].finite = tops[i] < INFINITY && !isnan(masses[i]) && lows[i] > -INFINITY;
  }
}

INLINE void logits_rows(const char *data, crd__math_row_type type, size_t rows, size_t cols,
                        bool moments, crd__math_row_summary *out) {
  size_t i = 0;
  for (; cols <= LANES && i + LANES <= rows; i += LANES)
    logits_short(data + i * cols * size_of(type), type, cols, moments, out + i);
  for (; i < rows; i++) logits_row(data + i * cols * size_of(type), type, cols, moments, out + i);
}

/* ---- Without exponentials, and with another temperature. */

INLINE void peaks_rows(const char *data, crd__math_row_type type, size_t rows, size_t cols,
                       crd__math_row_summary *out) {
  for (size_t i = 0; i < rows; i++) {
    const char *const row = data + i * cols * size_of(type);
    double top;
    find_range(row, type, cols, &top);
    lanes zero = lanes_set(0); /* stays 0 unless an element is not finite */
    for (size_t k = 0; k < cols; k += LANES) {
      const lanes z = block_widen(type, block_load(row, type, k, cols - k, 0));
      zero = lanes_fma(z, lanes_set(0), zero);
    }
    out[i] = (crd__math_row_summary){ .top = top,
                                      .argmax = find_first(row, type, cols, top),
                                      .finite = lanes_sum(zero) == 0 };
  }
}

typedef struct {
  lanes mass, mean, square, cube;
} tempered;

/* Adds a block of z - top; d of a cut-off term may be -infinity, and must not be multiplied. */
INLINE void tempered_add(tempered *s, lanes d, lanes b, bool moments) {
  const lanes depth = lanes_mul(d, b);
  const flags low = lanes_below(depth, cut_sum);
  const lanes e = lanes_drop(low, exp_lanes(depth)), x = lanes_drop(low, d);
  s->mass = lanes_add(s->mass, e);
  if (!moments) return;
  const lanes first = lanes_mul(e, x), second = lanes_mul(first, x);
  s->mean = lanes_add(s->mean, first);
  s->square = lanes_add(s->square, second);
  s->cube = lanes_fma(second, x, s->cube);
}

INLINE void temper_rows(const char *data, crd__math_row_type type, size_t rows, size_t cols,
                        double b, const double *top, bool moments, crd__math_row_moments *out) {
  const lanes scale = lanes_set(b);
  for (size_t i = 0; i < rows; i++) {
    const char *const row = data + i * cols * size_of(type);
    const lanes m = lanes_set(top[i]), none = lanes_set(0);
    tempered s = { none, none, none, none };
    size_t k = 0;
    for (; k + LANES <= cols; k += LANES) {
      const lanes z = block_widen(type, block_load(row, type, k, LANES, 0));
      tempered_add(&s, lanes_sub(z, m), scale, moments);
    }
    if (k < cols) {
      const lanes z = block_widen(type, block_load(row, type, k, cols - k, -INFINITY));
      tempered_add(&s, lanes_sub(z, m), scale, moments);
    }
    out[i] = (crd__math_row_moments){ lanes_sum(s.mass), lanes_sum(s.mean), lanes_sum(s.square),
                                      lanes_sum(s.cube) };
  }
}

INLINE void probabilities_rows(const char *data, crd__math_row_type type, size_t rows, size_t cols,
                               unsigned want, crd__math_row_summary *out) {
  for (size_t i = 0; i < rows; i++, out++) {
    const char *const row = data + i * cols * size_of(type);
    const block low = find_range(row, type, cols, &out->top);
    lanes mass = lanes_set(0), square = lanes_set(0);
    for (size_t k = 0; k < cols; k += LANES) {
      const lanes p = block_widen(type, block_load(row, type, k, cols - k, 0));
      mass = lanes_add(mass, p);
      square = lanes_fma(p, p, square);
    }
    out->argmax = find_first(row, type, cols, out->top);
    out->mass = lanes_sum(mass);
    out->mean = want & CRD__WANT_MEAN ? crd__math_row_mean_log(row, type, cols) : 0;
    out->square = lanes_sum(square);
    out->low = lanes_bottom(block_widen(type, low)) + 0.0;
    out->finite = out->mass == out->mass && out->top < INFINITY && out->low > -INFINITY;
  }
}

/* Computes softmax; with `sum` also the summary, with the same bits as logits_rows. */
INLINE void softmax_rows(const char *data, crd__math_row_type type, size_t rows, size_t cols,
                         crd__math_row_summary *sum, double *out) {
  for (size_t i = 0; i < rows; i++, out += cols) {
    const char *const row = data + i * cols * size_of(type);
    double m;
    const block low = find_range(row, type, cols, &m);
    const size_t argmax = sum ? find_first(row, type, cols, m) : 0; /* `out` may be the row */
    const lanes top = lanes_set(m);
    lanes masses = lanes_set(0), mean = lanes_set(0);
    for (size_t k = 0; k < cols; k += LANES) {
      const block z = block_load(row, type, k, cols - k, -INFINITY);
      const lanes d = lanes_sub(block_widen(type, z), top), e = exp_lanes(d);
      const flags cut = lanes_below(d, cut_sum);
      const lanes counted = lanes_drop(cut, e);
      masses = lanes_add(masses, counted);
      if (sum) mean = lanes_fma(counted, lanes_drop(cut, d), mean);
      lanes_store(out + k, cols - k, lanes_drop(lanes_below(d, cut_value), e));
    }
    const double mass = lanes_sum(masses);
    if (sum) {
      sum[i] = (crd__math_row_summary){ .top = m, .argmax = argmax, .mass = mass };
      sum[i].mean = lanes_sum(mean);
      sum[i].finite =
          m < INFINITY && !isnan(mass) && !block_equal(type, low, block_set(type, -INFINITY));
    }
    const lanes scale = lanes_set(1 / mass);
    for (size_t k = 0; k < cols; k += LANES)
      lanes_store(out + k, cols - k, lanes_mul(lanes_load(out + k, cols - k, 0), scale));
  }
}

INLINE void normalise_rows(const char *data, crd__math_row_type type, size_t rows, size_t cols,
                           double *out) {
  for (size_t i = 0; i < rows; i++, out += cols) {
    const char *const row = data + i * cols * size_of(type);
    lanes mass = lanes_set(0);
    for (size_t k = 0; k < cols; k += LANES)
      mass = lanes_add(mass, block_widen(type, block_load(row, type, k, cols - k, 0)));
    const lanes whole = lanes_set(lanes_sum(mass));
    for (size_t k = 0; k < cols; k += LANES) {
      const lanes p = block_widen(type, block_load(row, type, k, cols - k, 0));
      lanes_store(out + k, cols - k, lanes_div(p, whole));
    }
  }
}

/* Instantiates `function` for each element type. */
#define BY_TYPE(function, type, data, ...)                                                         \
  do {                                                                                             \
    if (type == CRD__ROW_F64) function(data, CRD__ROW_F64, __VA_ARGS__);                           \
    else if (type == CRD__ROW_F32) function(data, CRD__ROW_F32, __VA_ARGS__);                      \
    else function(data, CRD__ROW_F16, __VA_ARGS__);                                                \
  } while (0)

static void logits(const void *data, crd__math_row_type type, size_t rows, size_t cols,
                   unsigned want, crd__math_row_summary *out) {
  if (want) BY_TYPE(logits_rows, type, data, rows, cols, true, out);
  else BY_TYPE(logits_rows, type, data, rows, cols, false, out);
}

static void probabilities(const void *data, crd__math_row_type type, size_t rows, size_t cols,
                          unsigned want, crd__math_row_summary *out) {
  BY_TYPE(probabilities_rows, type, data, rows, cols, want, out);
}

static void peaks(const void *data, crd__math_row_type type, size_t rows, size_t cols,
                  crd__math_row_summary *out) {
  BY_TYPE(peaks_rows, type, data, rows, cols, out);
}

static void temper(const void *data, crd__math_row_type type, size_t rows, size_t cols, double b,
                   const double *top, bool moments, crd__math_row_moments *out) {
  if (moments) BY_TYPE(temper_rows, type, data, rows, cols, b, top, true, out);
  else BY_TYPE(temper_rows, type, data, rows, cols, b, top, false, out);
}

static void softmax(const void *data, crd__math_row_type type, size_t rows, size_t cols,
                    double *out) {
  BY_TYPE(softmax_rows, type, data, rows, cols, NULL, out);
}

static void resolve(const void *data, crd__math_row_type type, size_t rows, size_t cols,
                    crd__math_row_summary *sum, double *out) {
  BY_TYPE(softmax_rows, type, data, rows, cols, sum, out);
}

static void normalise(const void *data, crd__math_row_type type, size_t rows, size_t cols,
                      double *out) {
  BY_TYPE(normalise_rows, type, data, rows, cols, out);
}

const crd__math_row_kernels KERNELS = { .name = KERNELS_NAME,
                                        .usable = KERNELS_USABLE,
                                        .logits = logits,
                                        .probabilities = probabilities,
                                        .peaks = peaks,
                                        .temper = temper,
                                        .softmax = softmax,
                                        .resolve = resolve,
                                        .normalise = normalise };
