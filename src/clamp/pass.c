/*
 * pass.c -- one evaluation of a clamped network over all rows.
 *
 * The loader serves rows in the order of the dataset; an incomplete last batch is padded with its
 * last row, whose weight is 0. Losses are summed in float64, batch by batch.
 */
#include "clamp/pass.h"
#include "base/memory.h"
#include "clamp/encode.h"

#include <math.h>
#include <string.h>

/* ---- Network and data. */

static crd_status check_input(crd_context *ctx, const crd_network *network,
                              const crd_dataset_shape *data) {
  const crd_array *const input = crd_network_input(network, 0);
  if (!input || crd_network_input(network, 1))
    return crd__fail(ctx, CRD_EINPUT, "the network has %s inputs; a perturbation needs exactly one",
                     input ? "several" : "no");
  if (input->dtype != CRD_F32 || data->dtype != CRD_F32)
    return crd__fail(ctx, CRD_EINPUT,
                     "the network's input is %s and the data is %s; a perturbation needs f32 "
                     "(texts: an encoder computes the tensor behind the embedding)",
                     crd_dtype_name(input->dtype), crd_dtype_name(data->dtype));
  bool same = input->rank == data->rank + 1;
  for (size_t i = 0; same && i < data->rank; i++) same = input->dims[i + 1] == data->dims[i];
  return same ? CRD_OK
              : crd__fail(ctx, CRD_EINPUT,
                          "the samples of the data do not have the shape of the network's input");
}

static crd_status check_output(crd_context *ctx, const crd_network *network,
                               const crd_dataset_shape *data) {
  const crd_array *const in = crd_network_input(network, 0), *out = crd_network_output(network, 0);
  if (!out || out->rank != 2 || out->dtype != CRD_F32 || out->dims[0] != in->dims[0])
    return crd__fail(ctx, CRD_EINPUT,
                     "the network's output is not one row of f32 logits per sample");
  if (data->classes == 0) return crd__fail(ctx, CRD_EINPUT, "the data has no labels");
  if (data->classes > (size_t)out->dims[1])
    return crd__fail(ctx, CRD_EINPUT, "the network has %lld classes, the data %zu",
                     (long long)out->dims[1], data->classes);
  return CRD_OK;
}

static crd_status take_labels(crd_context *ctx, crd__clamp_pass *p) {
  CRD_TRY(crd__new(ctx, p->rows, sizeof *p->labels, "labels", &p->labels));
  if (crd_dataset_describe(p->data)->has_weights)
    CRD_TRY(crd__new(ctx, p->rows, sizeof *p->weights, "weights", &p->weights));
  for (size_t i = 0; i < p->rows; i++) {
    p->labels[i] = crd_dataset_label(p->data, i);
    if (p->labels[i] < 0) return crd__fail(ctx, CRD_EINPUT, "row %zu of the data has no label", i);
    if (p->weights) p->weights[i] = crd_dataset_weight(p->data, i);
    p->total += p->weights ? p->weights[i] : 1;
  }
  return p->total > 0 ? CRD_OK : crd__fail(ctx, CRD_EINPUT, "all weights are 0");
}

static crd_status allocate(crd_context *ctx, crd__clamp_pass *p) {
  const size_t scores = p->batch * p->classes;
  CRD_TRY(crd__new(ctx, p->rows, p->classes * sizeof(float), "logits", &p->logits));
  CRD_TRY(crd__new(ctx, p->batch, p->count * sizeof(float), "a batch", &p->input));
  if (p->encoder)
    CRD_TRY(crd__new(ctx, p->batch * p->sample, sizeof(int64_t), "a batch", &p->samples));
  CRD_TRY(crd__new(ctx, scores, sizeof(double), "logits", &p->scaled));
  CRD_TRY(crd__new(ctx, scores, sizeof(double), "gradients", &p->upstream));
  CRD_TRY(crd__new(ctx, scores, sizeof(float), "gradients", &p->output_gradient));
  CRD_TRY(crd__new(ctx, p->batch, sizeof(int64_t), "labels", &p->batch_labels));
  return crd__new(ctx, p->batch, sizeof(double), "weights", &p->batch_weights);
}

static size_t count_of(const int64_t *dims, size_t rank) {
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) count *= (size_t)dims[i];
  return count;
}

crd_status crd__clamp_pass_make(crd_context *ctx, const crd__clamp_chain *chain,
                                const crd_dataset *data, crd_loss *loss, crd__clamp_pass *out) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  *out = (crd__clamp_pass){ .encoder = chain->encoder,
                            .network = chain->network,
                            .data = data,
                            .loss = loss,
                            .rows = shape->rows,
                            .sample = count_of(shape->dims, shape->rank),
                            .dtype = shape->dtype };
  CRD_TRY(chain->encoder ? crd__clamp_encoder_check(ctx, chain, shape)
                         : check_input(ctx, chain->network, shape));
  CRD_TRY(check_output(ctx, chain->network, shape));
  const crd_array *const input = crd_network_input(chain->network, 0);
  out->batch = (size_t)input->dims[0];
  out->count = count_of(input->dims + 1, input->rank - 1);
  out->classes = (size_t)crd_network_output(chain->network, 0)->dims[1];
  CRD_TRY(take_labels(ctx, out));
  CRD_TRY(allocate(ctx, out));
  const crd_loader_options how = {
    .size = sizeof how, .batch = out->batch, .keep_last = 1, .encoding = chain->encoding
  };
  return crd_loader_create(ctx, data, &how, &out->loader);
}

void crd__clamp_pass_clear(const crd_allocator *alloc, crd__clamp_pass *pass) {
  crd_loader_destroy(pass->loader);
  crd__free(alloc, pass->labels);
  crd__free(alloc, pass->weights);
  crd__free(alloc, pass->logits);
  crd__free(alloc, pass->samples);
  crd__free(alloc, pass->input);
  crd__free(alloc, pass->scaled);
  crd__free(alloc, pass->upstream);
  crd__free(alloc, pass->output_gradient);
  crd__free(alloc, pass->batch_labels);
  crd__free(alloc, pass->batch_weights);
  *pass = (crd__clamp_pass){ 0 };
}

/* ---- One batch. */

/* Sets the network's input to x + delta. */
static void shift(const crd__clamp_pass *p, const float *x, size_t rows, const double *delta) {
  for (size_t r = 0; r < p->batch; r++) {
    const float *const from = x + (r < rows ? r : rows - 1) * p->count;
    float *const to = p->input + r * p->count;
    for (size_t i = 0; i < p->count; i++) to[i] = (float)(from[i] + (delta ? delta[i] : 0));
    for (size_t i = 0; p->low && i < p->count; i++)
      to[i] = to[i] < p->low[i] ? p->low[i] : to[i] > p->high[i] ? p->high[i] : to[i];
  }
}

static crd_status run(crd_context *ctx, const crd__clamp_pass *p, float *logits, size_t rows) {
  crd_array input = *crd_network_input(p->network, 0);
  input.data = p->input;
  CRD_TRY(crd_network_run(ctx, p->network, &input, 1));
  const float *const z = crd_network_output(p->network, 0)->data;
  for (size_t i = 0; i < rows * p->classes; i++)
    if (!isfinite(z[i]))
      return crd__fail(ctx, CRD_ENUMERIC, "the network's logits are not finite in batch row %zu",
                       i / p->classes);
  memcpy(logits, z, rows * p->classes * sizeof *logits);
  return CRD_OK;
}

/* ---- What is differentiated: its sum over the rows, and its gradient with respect to u = z / T.
 */

static crd_status add_loss(crd_context *ctx, const crd__clamp_pass *p, size_t rows, double *sum) {
  const crd_array scaled = crd_array_matrix(p->scaled, CRD_F64, rows, p->classes);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(p->batch_labels, CRD_I64, rows, 1),
                                .weights = crd_array_matrix(p->batch_weights, CRD_F64, rows, 1) };
  crd_loss_value value;
  CRD_TRY(crd_loss_evaluate(ctx, p->loss, &scaled, &targets, &value, p->upstream));
  *sum += value.value;
  return CRD_OK;
}

/* H = - sum of p log p;  dH/du_k = - p_k (log p_k + H). */
static crd_status add_entropy(crd_context *ctx, const crd__clamp_pass *p, size_t rows,
                              double *sum) {
  (void)ctx;
  for (size_t r = 0; r < rows; r++) {
    const double *const u = p->scaled + r * p->classes;
    double *const g = p->upstream + r * p->classes;
    double top = u[0], mass = 0, mean = 0;
    for (size_t k = 1; k < p->classes; k++) top = fmax(top, u[k]);
    for (size_t k = 0; k < p->classes; k++) {
      g[k] = exp(u[k] - top);
      mass += g[k];
      mean += g[k] * (u[k] - top);
    }
    const double entropy = log(mass) - mean / mass, weight = p->batch_weights[r];
    for (size_t k = 0; k < p->classes; k++)
      g[k] *= -weight * (u[k] - top - log(mass) + entropy) / mass;
    *sum += weight * entropy;
  }
  return CRD_OK;
}

static crd_status add_logits(crd_context *ctx, const crd__clamp_pass *p, size_t rows, double *sum) {
  (void)ctx;
  for (size_t i = 0; i < rows * p->classes; i++) {
    p->upstream[i] = p->batch_weights[i / p->classes];
    *sum += p->upstream[i] * p->scaled[i];
  }
  return CRD_OK;
}

static crd_status differentiate(crd_context *ctx, const crd__clamp_pass *p, const crd_batch *batch,
                                const float *logits, double temperature, crd__clamp_sums *sums) {
  static crd_status (*const measures[])(crd_context *, const crd__clamp_pass *, size_t,
                                        double *) = { [CRD__CLAMP_OF_LOSS] = add_loss,
                                                      [CRD__CLAMP_OF_ENTROPY] = add_entropy,
                                                      [CRD__CLAMP_OF_LOGITS] = add_logits };
  const size_t rows = batch->rows, count = rows * p->classes;
  for (size_t r = 0; r < rows; r++) {
    p->batch_labels[r] = batch->labels[r];
    p->batch_weights[r] = batch->weights ? batch->weights[r] : 1;
    sums->weight += p->batch_weights[r];
  }
  for (size_t i = 0; i < count; i++) p->scaled[i] = logits[i] / temperature;
  CRD_TRY(measures[p->measure](ctx, p, rows, &sums->loss));
  for (size_t i = 0; i < count; i++) {
    sums->slope += p->upstream[i] * logits[i];
    p->output_gradient[i] = (float)(p->upstream[i] / temperature);
  }
  memset(p->output_gradient + count, 0, (p->batch * p->classes - count) * sizeof(float));
  return CRD_OK;
}

/* Returns whether the projection leaves the gradient of an element of the input: where x + delta is
 * inside the range, and at its ends, where many pixels are, if a descent leads inside. */
static bool is_free(const crd__clamp_pass *p, size_t i, double x, double gradient) {
  const bool descends = p->measure == CRD__CLAMP_OF_LOSS;
  if (x == p->low[i]) return !descends || gradient < 0;
  if (x == p->high[i]) return !descends || gradient > 0;
  return x > p->low[i] && x < p->high[i];
}

static void add_projected(const crd__clamp_pass *p, const float *x, size_t rows,
                          const double *delta, const float *g, double *gradient) {
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < p->count; i++) {
      const size_t at = r * p->count + i;
      if (is_free(p, i, (float)(x[at] + (delta ? delta[i] : 0)), g[at])) gradient[i] += g[at];
    }
}

static crd_status add_gradient(crd_context *ctx, const crd__clamp_pass *p, const float *x,
                               size_t rows, const double *delta, double *gradient) {
  crd_array upstream = *crd_network_output(p->network, 0);
  upstream.data = p->output_gradient;
  CRD_TRY(crd_network_backward(ctx, p->network, &upstream));
  const crd_array *const found = crd_network_input_gradient(p->network, 0);
  if (!found || !found->data)
    return crd__fail(ctx, CRD_EUSAGE, "the network has no gradient with respect to its input");
  const float *const g = found->data;
  const size_t found_rows = (size_t)found->dims[0];
  if (p->low && found_rows != p->batch)
    return crd__fail(ctx, CRD_EUSAGE, "a projection needs the gradient of every row of the batch");
  if (p->low) {
    add_projected(p, x, rows, delta, g, gradient);
    return CRD_OK;
  }
  for (size_t r = 0; r < found_rows; r++)
    for (size_t i = 0; i < p->count; i++) gradient[i] += g[r * p->count + i];
  return CRD_OK;
}

crd_status crd__clamp_pass_batch(crd_context *ctx, crd__clamp_pass *pass, const crd_batch *batch,
                                 const double *delta, double temperature, float *logits,
                                 crd__clamp_sums *sums, double *gradient) {
  const float *x;
  CRD_TRY(crd__clamp_encode(ctx, pass, batch, &x));
  shift(pass, x, batch->rows, delta);
  CRD_TRY(run(ctx, pass, logits, batch->rows));
  if (!gradient) return CRD_OK;
  CRD_TRY(differentiate(ctx, pass, batch, logits, temperature, sums));
  return add_gradient(ctx, pass, x, batch->rows, delta, gradient);
}

/* ---- All rows. */

crd_status crd__clamp_pass_run(crd_context *ctx, crd__clamp_pass *pass, const double *delta,
                               double temperature, double *value, double *gradient) {
  crd__clamp_sums sums = { 0 };
  if (gradient) memset(gradient, 0, pass->count * sizeof *gradient);
  crd_loader_seek(pass->loader, 0, 0);
  for (size_t first = 0; first < pass->rows;) {
    crd_batch batch;
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(crd_loader_next(ctx, pass->loader, &batch));
    CRD_TRY(crd__clamp_pass_batch(ctx, pass, &batch, delta, temperature,
                                  pass->logits + first * pass->classes, &sums, gradient));
    first += batch.rows;
    if (!pass->meter) continue;
    pass->meter->done += batch.rows;
    crd__progress(ctx, "clamping", pass->meter->done, pass->meter->total);
  }
  for (size_t i = 0; gradient && i < pass->count; i++) gradient[i] /= pass->total;
  if (value) *value = sums.loss / pass->total;
  pass->done++;
  return CRD_OK;
}
