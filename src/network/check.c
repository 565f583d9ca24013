/*
 * check.c -- checks gradients against finite differences.
 *
 * With random factors c, F = sum of c * y is differentiated along random directions v. By the
 * backward pass, its slope at t is the sum of g(x + t v) * v; by the central difference, its mean
 * slope from -h to h is (F(x + h v) - F(x - h v)) / 2h (math/slope.h). Runs are in float32, so F
 * has noise; F itself is summed in float64.
 *
 * t = 1 moves each tensor by the root mean square of its values. Tensors to which F is most
 * sensitive move less, so that a wrong gradient of another one is not lost beside them. Slopes
 * along such directions have the standard deviation |g v|; errors are relative to that if a slope
 * happens to be smaller, unless most slopes are smaller by far.
 *
 * The step is as short as noise allows. Deep networks have enough kinks that hardly any such step
 * is without one, so the difference quotient is compared with the mean of the gradients' slopes
 * over the whole step, which it equals, kinks or not. A wrong gradient is wrong there too. That
 * mean is known only as well as the jumps between the points allow, and the quotient up to noise:
 * both are the doubt of a direction, and all directions are judged together (judge.h). All of them
 * are looked at again, with more points, until the verdict is clear, or no number of points will
 * do.
 */
#include "base/arena.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "data/array.h"
#include "engine/blocks.h"
#include "math/slope.h"
#include "network/judge.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

/* Streams of random numbers; direction i has stream DIRECTIONS + i. */
enum { FACTORS, POINT, DIRECTIONS };
/* The standard deviation of noise is at most this fraction of the tolerance (1/8), or twice that
 * if it is less than that of the mean slope. A mean slope is exact enough below 1/12. */
enum { NOISE_PART = 8, EXACT_PART = 12 };
/* Intervals of the first look and of the last one, each look has twice those of the one before; and
 * those at which gradients may be called wrong, since jumps hide between few points. */
enum { FEW = 8, MANY = 32, MOST = 128 };
/* Step sizes; smaller ones would change float32 values by a few units in the last place only. */
enum { LONGEST = -4, SHORTEST = -14 }; /* powers of 2 */

/* An input or parameter; also running statistics, which runs change. */
typedef struct {
  float *now, *at_0;
  size_t count;
  crd_check_subject of;
  size_t index;
  float *gradient, *direction; /* NULL: not perturbed */
  double spread;               /* scale of the perturbation at t = 1 */
} part;

/* A direction, and the slopes along it so far. */
typedef struct {
  bool bent; /* slopes jump or bend */
  crd__math_line line;
} look;

typedef struct {
  crd_network *network;
  crd_check_options options;
  size_t input_count, part_count, output_count;
  crd_array *inputs;
  part *parts;
  float *factors;
  double noise;   /* standard deviation of rounding errors in F */
  double typical; /* standard deviation of slopes */
  look *looks;    /* one for each direction */
  crd__network_peaks peaks;
  crd__engine_arena blocks;
} checker;

/* ---- Memory. */

static crd_status memory(crd_context *ctx, checker *c, size_t count, size_t size, void *out) {
  size_t bytes;
  if (!crd__size_mul(count + 1, size, &bytes))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu elements", count);
  CRD_TRY(crd__engine_arena_add(ctx, &ctx->alloc, &c->blocks, bytes, out));
  memset(*(void **)out, 0, bytes);
  return CRD_OK;
}

static crd_status add_part(crd_context *ctx, checker *c, crd_check_subject of, size_t index,
                           float *now, size_t count) {
  part *const p = &c->parts[c->part_count++];
  *p = (part){ .now = now, .count = count, .of = of, .index = index };
  CRD_TRY(memory(ctx, c, count, sizeof(float), &p->at_0));
  memcpy(p->at_0, now, count * sizeof(float));
  return CRD_OK;
}

/* ---- The point x: copies of the inputs, and the tensors to be perturbed. */

static crd_status fill_input(crd_context *ctx, const checker *c, size_t index, void *values,
                             uint64_t *drawn) {
  const crd_array *const shape = &c->inputs[index];
  const size_t count = crd_array_count(shape);
  if (!c->options.inputs) {
    for (size_t i = 0; i < count && shape->dtype == CRD_F32; i++)
      ((float *)values)[i] = (float)crd__random_normal(ctx->seed, POINT, (*drawn)++);
    return CRD_OK;
  }
  const crd_array *const given = index < c->options.input_count ? &c->options.inputs[index] : NULL;
  if (!given || !given->data || given->dtype != shape->dtype || crd_array_count(given) != count ||
      !crd__data_array_is_contiguous(given))
    return crd__network_refuse_input(ctx, c->network, index, given);
  memcpy(values, given->data, count * crd_dtype_size(shape->dtype));
  return CRD_OK;
}

static crd_status make_input(crd_context *ctx, checker *c, size_t index, uint64_t *drawn) {
  crd_array *const input = &c->inputs[index];
  void *values;
  *input = *crd_network_input(c->network, index);
  CRD_TRY(memory(ctx, c, crd_array_count(input), crd_dtype_size(input->dtype), &values));
  CRD_TRY(fill_input(ctx, c, index, values, drawn));
  input->data = values;
  return input->dtype == CRD_F32
             ? add_part(ctx, c, CRD_CHECK_INPUTS, index, values, crd_array_count(input))
             : CRD_OK;
}

static crd_status make_point(crd_context *ctx, checker *c) {
  size_t parameters = 0;
  uint64_t drawn = 0;
  while (crd_network_input(c->network, c->input_count)) c->input_count++;
  while (crd_network_parameter(c->network, parameters)) parameters++;
  CRD_TRY(memory(ctx, c, c->input_count, sizeof *c->inputs, &c->inputs));
  CRD_TRY(memory(ctx, c, c->input_count + parameters, sizeof *c->parts, &c->parts));
  for (size_t i = 0; i < c->input_count; i++) CRD_TRY(make_input(ctx, c, i, &drawn));
  for (size_t i = 0; i < parameters; i++) {
    const crd_parameter *const p = crd_network_parameter(c->network, i);
    CRD_TRY(add_part(ctx, c, CRD_CHECK_PARAMETERS, i, p->values, p->count));
  }
  c->output_count = crd_array_count(crd_network_output(c->network, 0));
  CRD_TRY(memory(ctx, c, c->output_count, sizeof(float), &c->factors));
  for (size_t i = 0; i < c->output_count; i++)
    c->factors[i] = (float)crd__random_normal(ctx->seed, FACTORS, i);
  return CRD_OK;
}

/* Restore running statistics, which runs change; with `all`, also the tensors that are perturbed,
 * which every run sets. */
static void put_back(const checker *c, bool all) {
  for (size_t k = 0; k < c->part_count; k++)
    if (c->parts[k].at_0 && (all || !c->parts[k].direction))
      memcpy(c->parts[k].now, c->parts[k].at_0, c->parts[k].count * sizeof(float));
}

/* ---- F along a direction. */

/* Run the network at x + t v. Inputs and parameters keep these values. */
static crd_status run_at(crd_context *ctx, checker *c, double t) {
  CRD_TRY(crd__check_interrupt(ctx));
  for (size_t k = 0; k < c->part_count; k++) {
    const part *const p = &c->parts[k];
    const float by = (float)(t * p->spread);
    if (p->direction)
      for (size_t i = 0; i < p->count; i++) p->now[i] = p->at_0[i] + by * p->direction[i];
  }
  return crd_network_run(ctx, c->network, c->inputs, c->input_count);
}

static crd_status value_at(crd_context *ctx, void *self, double t, double *out) {
  checker *const c = self;
  const crd_status status = run_at(ctx, c, t);
  put_back(c, false);
  CRD_TRY(status);
  const float *const y = crd_network_output(c->network, 0)->data;
  *out = 0;
  for (size_t i = 0; i < c->output_count; i++) *out += (double)c->factors[i] * (double)y[i];
  return isfinite(*out) ? CRD_OK
                        : crd__fail(ctx, CRD_ENUMERIC,
                                    "the network's output is not finite where it is checked");
}

/* ---- Gradients. */

/* Return the gradient with respect to a part; NULL: none, or not to be checked. */
static const float *gradient_of(const checker *c, const part *p) {
  if (p->of != c->options.subject || !p->count) return NULL;
  if (p->of == CRD_CHECK_PARAMETERS) return crd_network_parameter(c->network, p->index)->gradient;
  const crd_array *const g = crd_network_input_gradient(c->network, p->index);
  return g && crd_array_count(g) == p->count ? g->data : NULL;
}

static double product(const float *x, const float *y, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (double)x[i] * (double)y[i];
  return sum;
}

static double length(const float *x, size_t count) { return sqrt(product(x, x, count)); }

/* Return the standard deviation of the part's contribution to slopes. */
static double share_of(const part *p) {
  return p->gradient ? p->spread * length(p->gradient, p->count) : 0;
}

static crd_status take_gradient(crd_context *ctx, checker *c, part *p) {
  const float *const g = gradient_of(c, p);
  if (!g) return CRD_OK;
  CRD_TRY(memory(ctx, c, p->count, sizeof(float), &p->gradient));
  CRD_TRY(memory(ctx, c, p->count, sizeof(float), &p->direction));
  memcpy(p->gradient, g, p->count * sizeof *g);
  const double size = length(p->at_0, p->count) / sqrt((double)p->count);
  p->spread = size > 0 ? size : 1;
  return CRD_OK;
}

/* Run the backward pass for the last run alone: accumulated gradients are cleared first. */
static crd_status run_backward(crd_context *ctx, checker *c) {
  crd_array gradient = *crd_network_output(c->network, 0);
  gradient.data = c->factors;
  crd_network_clear_gradients(c->network);
  return crd_network_backward(ctx, c->network, &gradient);
}

/* Store the gradients at x, and choose how far each part moves. */
static crd_status take_gradients(crd_context *ctx, checker *c) {
  double sum = 0;
  size_t moved = 0;
  CRD_TRY(run_backward(ctx, c));
  for (size_t k = 0; k < c->part_count; k++) {
    CRD_TRY(take_gradient(ctx, c, &c->parts[k]));
    moved += c->parts[k].gradient != NULL;
    sum += share_of(&c->parts[k]);
  }
  crd_network_clear_gradients(c->network);
  if (!moved)
    return crd__fail(ctx, CRD_EUSAGE, "the network has no gradients with respect to its %s",
                     c->options.subject == CRD_CHECK_INPUTS ? "inputs" : "parameters");
  if (!isfinite(sum)) return crd__fail(ctx, CRD_ENUMERIC, "a gradient is not finite");
  for (size_t k = 0; k < c->part_count; k++) {
    part *const p = &c->parts[k];
    const double share = share_of(p), mean = sum / (double)moved;
    if (share > mean) p->spread *= mean / share;
    c->typical = hypot(c->typical, fmin(share, mean));
  }
  return CRD_OK;
}

/* ---- Directions. */

/* Draw a direction; returns the slope along it at x, by the gradients. */
static double draw(crd_context *ctx, checker *c, size_t number) {
  uint64_t index = 0;
  double slope = 0;
  for (size_t k = 0; k < c->part_count; k++) {
    const part *const p = &c->parts[k];
    if (!p->gradient) continue;
    for (size_t i = 0; i < p->count; i++)
      p->direction[i] = (float)crd__random_normal(ctx->seed, DIRECTIONS + number, index++);
    slope += p->spread * product(p->direction, p->gradient, p->count);
  }
  return slope;
}

/* Compute the slope at x + t v, by the gradients. */
static crd_status slope_at(crd_context *ctx, void *self, double t, double *out) {
  checker *const c = self;
  crd_status status = run_at(ctx, c, t);
  if (status == CRD_OK) status = run_backward(ctx, c);
  *out = 0;
  for (size_t k = 0; k < c->part_count && status == CRD_OK; k++) {
    const part *const p = &c->parts[k];
    const float *const g = gradient_of(c, p);
    if (g) *out += p->spread * product(p->direction, g, p->count);
  }
  put_back(c, false);
  return status;
}

/* Estimate the noise of F: the median along three directions, as one may meet a kink. */
static crd_status measure_noise(crd_context *ctx, checker *c, double *out) {
  double n[3];
  for (size_t i = 0; i < 3; i++) {
    draw(ctx, c, i);
    CRD_TRY(crd__math_line_noise(ctx, value_at, c, &n[i]));
  }
  *out = fmax(fmin(n[0], n[1]), fmin(fmax(n[0], n[1]), n[2]));
  return CRD_OK;
}

static crd_status take_quotient(crd_context *ctx, checker *c, crd_check_direction *d) {
  double right, left;
  CRD_TRY(value_at(ctx, c, d->step, &right));
  CRD_TRY(value_at(ctx, c, -d->step, &left));
  d->difference = (right - left) / (2 * d->step);
  return CRD_OK;
}

/* Return the slope to which errors are relative. */
static double scale_of(const checker *c, const crd_check_direction *d) {
  return fmax(c->typical, fmax(fabs(d->backward), fabs(d->difference)));
}

/* Return the shortest step (it crosses the fewest kinks) whose noise is small relative to the slope
 * that is expected. */
static double choose_step(const checker *c, double slope) {
  const double allowed = c->options.tolerance * fmax(fabs(slope), c->typical) / NOISE_PART;
  int power = LONGEST;
  while (power > SHORTEST && c->noise <= allowed * ldexp(1, power - 1)) power--;
  return ldexp(1, power);
}

/* Set mean, error and doubt from the slopes so far. */
static void weigh(const checker *c, const look *l, crd_check_direction *d) {
  double deviation;
  d->backward = crd__math_line_mean(&l->line, &deviation);
  const double scale = scale_of(c, d);
  d->error = scale > 0 ? fabs(d->backward - d->difference) / scale : 0;
  d->doubt = scale > 0 ? hypot(deviation, c->noise / d->step) / scale : 0;
}

/* Return the largest deviation of the mean slope that needs no closer look. */
static double exact(const checker *c, const crd_check_direction *d) {
  return c->options.tolerance * scale_of(c, d) / EXACT_PART;
}

/* Compare along one direction, for the first time. */
static crd_status look_first(crd_context *ctx, checker *c, size_t number, crd_check_direction *d) {
  look *const l = &c->looks[number];
  double deviation;
  *d = (crd_check_direction){ .backward = draw(ctx, c, number) };
  d->step = choose_step(c, d->backward);
  CRD_TRY(take_quotient(ctx, c, d));
  CRD_TRY(crd__math_line_open(ctx, slope_at, c, d->step, &l->line));
  CRD_TRY(crd__math_line_refine(ctx, slope_at, c, FEW, &l->line));
  (void)crd__math_line_mean(&l->line, &deviation);
  l->bent = deviation > exact(c, d);
  if (deviation > c->noise / d->step && d->step > ldexp(1, SHORTEST)) {
    crd__math_line_halve(&l->line);
    d->step /= 2;
    CRD_TRY(take_quotient(ctx, c, d));
    CRD_TRY(crd__math_line_refine(ctx, slope_at, c, FEW, &l->line));
  }
  weigh(c, l, d);
  return CRD_OK;
}

/* Look closer, unless the direction agrees and more slopes would not make it clearer. */
static crd_status look_again(crd_context *ctx, checker *c, size_t number, int parts,
                             crd_check_direction *d) {
  look *const l = &c->looks[number];
  double deviation, closer;
  (void)crd__math_line_mean(&l->line, &deviation);
  const double noise = c->noise / d->step;
  const bool clear = deviation <= fmax(exact(c, d), noise / 2) || noise > scale_of(c, d);
  if (clear && d->error <= c->options.tolerance / 2) return CRD_OK;
  (void)draw(ctx, c, number);
  CRD_TRY(crd__math_line_refine(ctx, slope_at, c, parts, &l->line));
  (void)crd__math_line_mean(&l->line, &closer);
  crd__network_peaks_see(deviation, closer, &c->peaks);
  weigh(c, l, d);
  return CRD_OK;
}

static crd_status look_all(crd_context *ctx, checker *c, int parts, crd__network_check *check) {
  const size_t wanted = c->options.directions;
  c->peaks.looked = c->peaks.rougher = 0;
  for (size_t n = 0; n < wanted; n++) {
    crd_check_direction *const d = &check->directions[n];
    CRD_TRY(parts == FEW ? look_first(ctx, c, n, d) : look_again(ctx, c, n, parts, d));
    crd__progress(ctx, "directions", n + 1, wanted);
  }
  check->shown.count = wanted;
  if (parts == FEW) c->typical = crd__network_typical(check, c->typical);
  for (size_t n = 0; n < wanted && parts == FEW; n++) weigh(c, &c->looks[n], &check->directions[n]);
  crd__network_judge(c->options.tolerance, check);
  return CRD_OK;
}

static crd_status try_directions(crd_context *ctx, checker *c, crd__network_check *check) {
  CRD_TRY(memory(ctx, c, c->options.directions, sizeof *c->looks, &c->looks));
  CRD_TRY(measure_noise(ctx, c, &c->noise));
  for (int parts = FEW; parts <= MOST; parts *= 2) {
    CRD_TRY(look_all(ctx, c, parts, check));
    if (check->shown.verdict == CRD_CHECK_RIGHT || crd__network_peaks_prevail(&c->peaks)) break;
    if (crd__network_is_wrong(&c->peaks, check) && parts >= MANY) break;
  }
  crd__network_judge_peaks(&c->peaks, check);
  for (size_t n = 0; n < check->shown.count; n++) check->shown.crossed += c->looks[n].bent;
  return CRD_OK;
}

static crd_status compare(crd_context *ctx, checker *c, crd__network_check *check) {
  double once, again;
  CRD_TRY(make_point(ctx, c));
  CRD_TRY(value_at(ctx, c, 0, &once));
  CRD_TRY(value_at(ctx, c, 0, &again));
  if (once != again)
    return crd__fail(ctx, CRD_EUSAGE,
                     "two runs with the same input differ, as with dropout: gradients cannot be "
                     "compared with finite differences");
  CRD_TRY(take_gradients(ctx, c));
  return try_directions(ctx, c, check);
}

/* ---- Entry points. */

crd_status crd_network_check(crd_context *ctx, crd_network *network,
                             const crd_check_options *options, const crd_check **out) {
  checker c = { .network = network };
  crd__network_check *check;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_check_options, options, &c.options));
  if (!c.options.directions) c.options.directions = 20;
  if (c.options.tolerance == 0) c.options.tolerance = 1e-2;
  if (!(c.options.tolerance > 0 && c.options.tolerance <= 1))
    return crd__fail(ctx, CRD_EUSAGE, "the tolerance must be above 0 and at most 1, found %g",
                     c.options.tolerance);
  CRD_TRY(crd__arena_new(ctx, sizeof *check, "a check", &check));
  crd_status status = crd__arena_add(ctx, check, c.options.directions, sizeof *check->directions,
                                     "directions", &check->directions);
  check->shown.directions = check->directions;
  if (status == CRD_OK) status = compare(ctx, &c, check);
  put_back(&c, true);
  crd_network_clear_gradients(network);
  crd__engine_arena_clear(&ctx->alloc, &c.blocks);
  if (status != CRD_OK) crd__arena_free(check);
  else *out = &check->shown;
  return status;
}

void crd_check_destroy(const crd_check *check) { crd__arena_free(check); }
