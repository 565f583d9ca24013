/*
 * normalization.c -- (x - mean) / sqrt(variance + epsilon) scale + bias.
 *
 * BatchNormalization: per channel, with the given statistics, or those of the batch
 * (training_mode), which also update the given ones. LayerNormalization: over all dimensions from
 * `axis` on, with its own statistics. RMSNormalization: the same, with a mean of 0.
 * GroupNormalization: over a group of channels of one sample; InstanceNormalization: over one.
 */
#include "ref/op.h"

#include <math.h>

enum { ROUNDINGS = 8 };

typedef struct {
  double mean, variance, sizes; /* the last: mean of |x| */
} moments;

static moments channel_moments(const ref_tensor *x, int64_t channel) {
  long double sum = 0, squares = 0, sizes = 0, count = 0;
  int64_t at[CRD_RANK_MAX];
  for (int pass = 0; pass < 2; pass++)
    for (size_t n = 0; n < ref_count(x); n++) {
      ref_index(x, n, at);
      if (at[1] != channel) continue;
      const double v = x->values[n];
      if (pass) squares += (v - sum / count) * (v - sum / count);
      else {
        sum += v;
        sizes += fabs(v);
        count++;
      }
    }
  return (moments){ (double)(sum / count), (double)(squares / count), (double)(sizes / count) };
}

/* Update a channel's running statistics with those of the batch. */
static void mix(ref_node *node, const moments *batch) {
  const double keep = ref_number(node, "momentum", 0.9);
  const int64_t channels = node->inputs[0]->dims[1];
  for (size_t k = 0; k < 2; k++) {
    const ref_tensor *const old = node->inputs[3 + k];
    ref_tensor *const y = ref_make(node, 1 + k, old->dtype, 1, &channels, true);
    for (int64_t c = 0; c < channels; c++) {
      const double now = k ? batch[c].variance : batch[c].mean;
      y->values[c] = keep * old->values[c] + (1 - keep) * now;
      y->slack[c] = ROUNDINGS * (double)ref_count(node->inputs[0]) *
                    (fabs(old->values[c]) + fabs(now) + batch[c].sizes);
    }
  }
}

void ref_BatchNormalization(ref_node *node) {
  enum { CHANNELS_MAX = 256 };
  const ref_tensor *const x = node->inputs[0], *const scale = node->inputs[1];
  const ref_tensor *const bias = node->inputs[2];
  const double epsilon = ref_number(node, "epsilon", 1e-5);
  const bool training = ref_int(node, "training_mode", 0) != 0;
  moments by[CHANNELS_MAX] = { { 0 } };
  int64_t at[CRD_RANK_MAX];
  for (int64_t c = 0; c < x->dims[1]; c++)
    by[c] = training ? channel_moments(x, c)
                     : (moments){ node->inputs[3]->values[c], node->inputs[4]->values[c], 0 };
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, true);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const moments m = by[at[1]];
    const double factor = scale->values[at[1]] / sqrt(m.variance + epsilon);
    const double shift = bias->values[at[1]];
    y->values[n] = (x->values[n] - m.mean) * factor + shift;
    y->slack[n] = ROUNDINGS * (training ? (double)ref_count(x) : 1) *
                  ((fabs(x->values[n]) + fabs(m.mean) + m.sizes) * fabs(factor) + fabs(shift));
  }
  if (training) mix(node, by);
}

static moments row_moments(const double *x, size_t count, bool centred) {
  long double sum = 0, squares = 0, sizes = 0;
  for (size_t i = 0; i < count && centred; i++) sum += x[i];
  const long double mean = sum / (long double)count;
  for (size_t i = 0; i < count; i++) {
    squares += (x[i] - mean) * (x[i] - mean);
    sizes += fabs(x[i]);
  }
  return (moments){ (double)mean, (double)(squares / (long double)count),
                    (double)(sizes / (long double)count) };
}

static void normalise_rows(ref_node *node, bool centred) {
  const ref_tensor *const x = node->inputs[0], *const scale = node->inputs[1];
  const ref_tensor *const bias = ref_input(node, 2);
  const size_t axis = ref_axis(ref_int(node, "axis", -1), x->rank);
  const double epsilon = ref_number(node, "epsilon", 1e-5);
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  size_t count = 1;
  for (size_t k = 0; k < x->rank; k++) dims[k] = k < axis ? x->dims[k] : 1;
  for (size_t k = axis; k < x->rank; k++) count *= (size_t)x->dims[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, true);
  ref_tensor *const mean = ref_make(node, 1, CRD_F32, x->rank, dims, true);
  ref_tensor *const inverse = ref_make(node, 2, CRD_F32, x->rank, dims, true);
  for (size_t row = 0; row < ref_count(mean); row++) {
    const moments m = row_moments(x->values + row * count, count, centred);
    const double deviation = sqrt(m.variance + epsilon), steps = (double)count + ROUNDINGS;
    mean->values[row] = m.mean;
    mean->slack[row] = steps * m.sizes;
    inverse->values[row] = 1 / deviation;
    inverse->slack[row] = steps / deviation * (1 + m.sizes / deviation);
    for (size_t n = row * count; n < (row + 1) * count; n++) {
      ref_index(y, n, at);
      const double factor = scale->values[ref_spread(scale, at, x->rank)] / deviation;
      const double shift = bias ? bias->values[ref_spread(bias, at, x->rank)] : 0;
      y->values[n] = (x->values[n] - m.mean) * factor + shift;
      y->slack[n] = steps * ((fabs(x->values[n]) + m.sizes) * fabs(factor) + fabs(shift));
    }
  }
}

void ref_LayerNormalization(ref_node *node) { normalise_rows(node, true); }

void ref_RMSNormalization(ref_node *node) { normalise_rows(node, false); }

static void normalise_groups(ref_node *node, int64_t groups, bool per_group) {
  const ref_tensor *const x = node->inputs[0];
  const double epsilon = ref_number(node, "epsilon", 1e-5);
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, true);
  const size_t rows = (size_t)(x->dims[0] * groups), count = rows ? ref_count(x) / rows : 0;
  for (size_t n = 0; n < ref_count(y); n++) {
    int64_t at[CRD_RANK_MAX];
    ref_index(y, n, at);
    const int64_t own = per_group ? at[1] / (x->dims[1] / groups) : at[1];
    const moments m = row_moments(x->values + n / count * count, count, true);
    const double factor = node->inputs[1]->values[own] / sqrt(m.variance + epsilon);
    const double shift = node->inputs[2]->values[own];
    y->values[n] = (x->values[n] - m.mean) * factor + shift;
    y->slack[n] =
        ((double)count + ROUNDINGS) * ((fabs(x->values[n]) + m.sizes) * fabs(factor) + fabs(shift));
  }
}

void ref_GroupNormalization(ref_node *node) {
  normalise_groups(node, ref_int(node, "num_groups", 0), node->opset < 21);
}

void ref_InstanceNormalization(ref_node *node) {
  normalise_groups(node, node->inputs[0]->dims[1], false);
}
