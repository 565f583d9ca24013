/*
 * f32_channels.h -- the part of f32_body.h that normalizes channels: element i belongs to lane i %
 * 16, and every lane has its own parameters (batch_train.h).
 *
 * Sums are in float32 over a few vectors of lanes, and in float64 beyond; two chains run in
 * parallel.
 */
enum { SPAN = 32 * LANES, PAIR = 2 * LANES };

/* Load the next up to sixteen elements, padded with zeros. */
INLINE lanes row_at(const float *x, size_t left) {
  lanes row = { 0 };
  if (left >= LANES) memcpy(&row, x, sizeof row);
  else memcpy(&row, x, left * sizeof *x);
  return row;
}

INLINE void put_row(float *x, size_t left, lanes row) {
  if (left >= LANES) memcpy(x, &row, sizeof row);
  else memcpy(x, &row, left * sizeof *x);
}

INLINE lanes parameters(const float *list) { return row_at(list, LANES); }

/* max(v, 0); NaN stays. */
INLINE lanes positive(lanes v) { return (lanes)((marks)v & ~(v <= 0)); }

INLINE lanes where_positive(lanes y, lanes v) { return (lanes)((marks)v & (y > 0)); }

INLINE void flush(lanes one, lanes other, double *sums) {
  float all[LANES];
  put_row(all, LANES, one + other);
  for (size_t j = 0; j < LANES; j++) sums[j] += (double)all[j];
}

static void channel_moments(size_t n, const float *x, const float *centre, double *sum,
                            double *square) {
  const lanes c = parameters(centre);
  for (size_t block = 0; block < n; block += SPAN) {
    const size_t end = n - block < SPAN ? n : block + SPAN;
    lanes s[2] = { { 0 } }, q[2] = { { 0 } };
    size_t k = block;
    for (; k + PAIR <= end; k += PAIR)
      for (size_t i = 0; i < 2; i++) {
        const lanes d = row_at(x + k + i * LANES, LANES) - c;
        s[i] += d;
        q[i] += d * d;
      }
    for (; k < end; k += LANES) {
      lanes row = c; /* so that padding contributes 0 */
      memcpy(&row, x + k, (end - k < LANES ? end - k : LANES) * sizeof *x);
      s[0] += row - c;
      q[0] += (row - c) * (row - c);
    }
    flush(s[0], s[1], sum);
    flush(q[0], q[1], square);
  }
}

INLINE void normalise_rows(size_t n, const crd__kernel_f32_channels *p, const float *x,
                           const float *addend, float *y, bool adds, bool relu) {
  const lanes mean = parameters(p->mean), factor = parameters(p->factor);
  const lanes shift = parameters(p->shift);
  for (size_t k = 0; k < n; k += LANES) {
    lanes v = (row_at(x + k, n - k) - mean) * factor + shift;
    if (adds) v += row_at(addend + k, n - k);
    put_row(y + k, n - k, relu ? positive(v) : v);
  }
}

static void channel_normalise(size_t n, const crd__kernel_f32_channels *p, const float *x,
                              const float *addend, float *y) {
  if (addend && p->relu) normalise_rows(n, p, x, addend, y, true, true);
  else if (addend) normalise_rows(n, p, x, addend, y, true, false);
  else if (p->relu) normalise_rows(n, p, x, addend, y, false, true);
  else normalise_rows(n, p, x, addend, y, false, false);
}

/* ---- Backward pass. The incoming gradient, where the result is above 0. */

typedef enum { ALWAYS, WHERE_X, WHERE_Y } condition;

INLINE condition condition_of(const crd__kernel_f32_channels *p, const float *y) {
  return !p->relu ? ALWAYS : y ? WHERE_Y : WHERE_X;
}

/* From x, the sign is that of exactly the bits that normalise_rows computes. */
INLINE lanes let_in(condition when, lanes d, lanes factor, lanes shift, const float *y, size_t left,
                    lanes g) {
  if (when == WHERE_X) return where_positive(d * factor + shift, g);
  return when == WHERE_Y ? where_positive(row_at(y, left), g) : g;
}

/* dy is padded with zeros, which add nothing. */
INLINE void sum_rows(size_t n, const crd__kernel_f32_channels *p, const float *x, const float *y,
                     const float *dy, float *dz, double *sum, double *product, condition when) {
  const lanes mean = parameters(p->mean), factor = parameters(p->factor);
  const lanes shift = parameters(p->shift);
  for (size_t block = 0; block < n; block += SPAN) {
    const size_t end = n - block < SPAN ? n : block + SPAN;
    lanes s[2] = { { 0 } }, q[2] = { { 0 } };
    for (size_t k = block; k < end; k += PAIR)
      for (size_t i = 0; i < 2 && k + i * LANES < end; i++) {
        const size_t at = k + i * LANES, left = end - at;
        const lanes d = row_at(x + at, left) - mean;
        const lanes g = let_in(when, d, factor, shift, y + at, left, row_at(dy + at, left));
        if (dz) put_row(dz + at, left, g);
        s[i] += g;
        q[i] += d * g;
      }
    flush(s[0], s[1], sum);
    flush(q[0], q[1], product);
  }
}

static void channel_sums(size_t n, const crd__kernel_f32_channels *p, const float *x,
                         const float *y, const float *dy, float *dz, double *sum, double *product) {
  switch (condition_of(p, y)) {
  case ALWAYS:
    sum_rows(n, p, x, x, dy, dz, sum, product, ALWAYS);
    break;
  case WHERE_X:
    sum_rows(n, p, x, x, dy, dz, sum, product, WHERE_X);
    break;
  case WHERE_Y:
    sum_rows(n, p, x, y, dy, dz, sum, product, WHERE_Y);
    break;
  }
}

INLINE void bend_rows(size_t n, const crd__kernel_f32_channels *p, const float *x, const float *y,
                      const float *dy, float *dx, condition when) {
  const lanes mean = parameters(p->mean), factor = parameters(p->factor);
  const lanes shift = parameters(p->shift), tilt = parameters(p->tilt);
  const lanes level = parameters(p->level);
  for (size_t k = 0; k < n; k += LANES) {
    const lanes d = row_at(x + k, n - k) - mean;
    const lanes g = let_in(when, d, factor, shift, y + k, n - k, row_at(dy + k, n - k));
    put_row(dx + k, n - k, g * factor + (level + d * tilt));
  }
}

static void channel_bend(size_t n, const crd__kernel_f32_channels *p, const float *x,
                         const float *y, const float *dy, float *dx) {
  switch (condition_of(p, y)) {
  case ALWAYS:
    bend_rows(n, p, x, x, dy, dx, ALWAYS);
    break;
  case WHERE_X:
    bend_rows(n, p, x, x, dy, dx, WHERE_X);
    break;
  case WHERE_Y:
    bend_rows(n, p, x, y, dy, dx, WHERE_Y);
    break;
  }
}
