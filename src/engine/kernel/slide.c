/* slide.c -- see slide.h. */
#include "engine/kernel/slide.h"

size_t crd__kernel_slide_map(const int64_t *dims, size_t spatial) {
  size_t total = 1;
  for (size_t d = 0; d < spatial; d++) total *= (size_t)dims[d];
  return total;
}

size_t crd__kernel_slide_taps(const crd__kernel_slide *w) {
  return crd__kernel_slide_map(w->size, w->spatial);
}
size_t crd__kernel_conv_taps(const crd__kernel_conv *c) {
  return c->inputs > 0 ? crd__kernel_slide_taps(&c->window) : 0;
}
size_t crd__kernel_slide_rows(const crd__kernel_slide *w) {
  return crd__kernel_slide_map(w->out, w->spatial - 1);
}

static int64_t round_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

bool crd__kernel_slide_under(const crd__kernel_slide *w, size_t row, size_t tap, size_t first,
                             size_t n, bool padded, crd__kernel_under *out) {
  const size_t last = w->spatial - 1;
  int64_t rest = (int64_t)tap, outer = (int64_t)row, at = 0, step = 1;
  for (size_t d = w->spatial; d-- > 0;) {
    const int64_t shift = rest % w->size[d] * w->dilation[d] - w->before[d];
    const int64_t low = padded ? -w->before[d] : 0, high = w->in[d] + (padded ? w->after[d] : 0);
    rest /= w->size[d];
    if (d == last) { /* first + i: low <= (first + i) * stride + shift < high */
      const int64_t start = (int64_t)first * w->stride[d] + shift;
      const int64_t from = round_up(low - start, w->stride[d]);
      const int64_t to = round_up(high - start, w->stride[d]);
      out->from = (size_t)from;
      out->to = to < (int64_t)n ? (size_t)to : n;
      if (out->from >= out->to) return false;
      at = start + from * w->stride[d];
    } else {
      const int64_t here = outer % w->out[d] * w->stride[d] + shift;
      outer /= w->out[d];
      if (here < low || here >= high) return false;
      at += here * step;
    }
    step *= w->in[d];
  }
  out->at = at;
  out->step = w->stride[last];
  return true;
}
