/*
 * part.c -- takes a range of per cent of a random order of the samples.
 *
 * Units are ordered: groups (patients), or single samples where there are no groups. Each has a
 * random number, a function of the seed and the index of its first sample. Stratified, the units of
 * a class, in the order of their numbers, are spread evenly over [0, 1): the one that begins after
 * j of the class's m samples stands at (j + u) / m, with a u of the class's own; all classes are
 * then merged by these positions, so that every range of the order has each class's share. A unit
 * of several classes counts as one of its most frequent class. At random, units are ordered by
 * their numbers alone.
 *
 * A unit that occupies samples a .. b of the n in this order belongs to the range with (a + b) /
 * 2n: ranges that meet neither overlap nor leave anything out, and a group is never divided.
 */
#include "dataset/dataset.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "math/sort.h"

enum { STREAM = 0x70617274 /* "part" */, OFFSETS = 0x6f666673 /* "offs" */ };
enum { POSITION, TIE, UNIT, WORDS };

typedef struct {
  const crd_dataset *dataset;
  uint64_t seed;
  size_t rows, units;
  size_t *unit_of;      /* for each row */
  size_t *first, *size; /* of each unit: index of a sample, number of rows */
  size_t *class_of;     /* of each unit; one more than the class, 0: none */
  uint64_t *order;      /* records of WORDS, one for each unit */
} division;

static void clear(const crd_allocator *alloc, division *d) {
  crd__free(alloc, d->unit_of);
  crd__free(alloc, d->first);
  crd__free(alloc, d->size);
  crd__free(alloc, d->class_of);
  crd__free(alloc, d->order);
}

static crd_status allocate(crd_context *ctx, division *d) {
  size_t words;
  CRD_TRY(crd__new(ctx, d->rows, sizeof *d->unit_of, "a split", &d->unit_of));
  CRD_TRY(crd__new(ctx, d->rows, sizeof *d->first, "a split", &d->first));
  CRD_TRY(crd__new(ctx, d->rows, sizeof *d->size, "a split", &d->size));
  CRD_TRY(crd__new(ctx, d->rows, sizeof *d->class_of, "a split", &d->class_of));
  if (!crd__size_mul(d->rows, WORDS, &words)) words = SIZE_MAX;
  return crd__new(ctx, words, sizeof *d->order, "a split", &d->order);
}

/* ---- Units. */

/* Assigns indices to units in the order of their first rows; `first` becomes the smallest index of
 * a unit's samples, so that the order of rows does not matter. */
static crd_status make_units(crd_context *ctx, division *d) {
  const crd__dataset_names *const groups = &d->dataset->store->groups;
  size_t *unit_of_group = NULL; /* one more than the unit, 0: none yet */
  if (groups->of)
    CRD_TRY(crd__new(ctx, groups->count, sizeof *unit_of_group, "groups", &unit_of_group));
  for (size_t row = 0; row < d->rows; row++) {
    const size_t index = d->dataset->rows[row];
    const int64_t group = groups->of ? groups->of[index] : -1;
    size_t unit = group >= 0 && unit_of_group[group] ? unit_of_group[group] - 1 : d->units++;
    if (group >= 0) unit_of_group[group] = unit + 1;
    if (d->size[unit]++ == 0 || index < d->first[unit]) d->first[unit] = index;
    d->unit_of[row] = unit;
  }
  crd__free(&ctx->alloc, unit_of_group);
  return CRD_OK;
}

/* Sets each unit's most frequent class, the lowest of several: its rows are sorted by class. */
static crd_status make_classes(crd_context *ctx, division *d) {
  const int64_t *const labels = d->dataset->store->labels.of;
  uint64_t *queue; /* unit and class of each row, sorted */
  size_t words;
  if (!labels) return CRD_OK;
  if (!crd__size_mul(d->rows, 2, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, words, sizeof *queue, "classes of groups", &queue));
  for (size_t row = 0; row < d->rows; row++) {
    queue[2 * row] = d->unit_of[row];
    queue[2 * row + 1] = (uint64_t)(labels[d->dataset->rows[row]] + 1);
  }
  crd__math_sort_records(queue, d->rows, 2);
  for (size_t row = 0, run = 0, most = 0; row < d->rows; row++) {
    const bool same_unit = row && queue[2 * row] == queue[2 * row - 2];
    run = same_unit && queue[2 * row + 1] == queue[2 * row - 1] ? run + 1 : 1;
    if (!same_unit) most = 0;
    if (run <= most) continue;
    most = run;
    d->class_of[queue[2 * row]] = (size_t)queue[2 * row + 1];
  }
  crd__free(&ctx->alloc, queue);
  return CRD_OK;
}

/* ---- Their order. */

static void order_at_random(division *d) {
  for (size_t u = 0; u < d->units; u++) {
    uint64_t *const record = d->order + WORDS * u;
    record[POSITION] = crd__random_bits(d->seed, STREAM, d->first[u]);
    record[TIE] = d->first[u];
    record[UNIT] = u;
  }
  crd__math_sort_records(d->order, d->units, WORDS);
}

/* Spreads each class over [0, 1), given the units in random order. */
static crd_status spread(crd_context *ctx, division *d) {
  const size_t classes = d->dataset->store->labels.count + 1;
  size_t *total, *seen;
  CRD_TRY(crd__new(ctx, classes, sizeof *total, "classes", &total));
  const crd_status status = crd__new(ctx, classes, sizeof *seen, "classes", &seen);
  if (status == CRD_OK) {
    for (size_t u = 0; u < d->units; u++) total[d->class_of[u]] += d->size[u];
    for (size_t i = 0; i < d->units; i++) {
      uint64_t *const record = d->order + WORDS * i;
      const size_t unit = (size_t)record[UNIT], class = d->class_of[unit];
      const double offset = crd__random_uniform(d->seed, OFFSETS, class);
      record[TIE] = record[POSITION]; /* classes of one size have equal positions only by chance */
      record[POSITION] = crd__math_sort_key(((double)seen[class] + offset) / (double)total[class]);
      seen[class] += d->size[unit];
    }
    crd__math_sort_records(d->order, d->units, WORDS);
    crd__free(&ctx->alloc, seen);
  }
  crd__free(&ctx->alloc, total);
  return status;
}

/* ---- The range. */

/* Marks the units of the range: size 0 means that a unit is outside of it. */
static void mark(division *d, double from, double to) {
  const double low = from / 100 * (double)d->rows, high = to / 100 * (double)d->rows;
  size_t before = 0;
  for (size_t i = 0; i < d->units; i++) {
    const size_t unit = (size_t)d->order[WORDS * i + UNIT], size = d->size[unit];
    const double middle = (double)before + (double)size / 2;
    before += size;
    if (middle < low || middle >= high) d->size[unit] = 0;
  }
}

static crd_status take(crd_context *ctx, division *d, crd_dataset **out) {
  size_t count = 0; /* `first` is not needed any more */
  for (size_t row = 0; row < d->rows; row++)
    if (d->size[d->unit_of[row]]) d->first[count++] = row;
  if (count == 0)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: no sample is in this part; found %zu samples in %zu groups",
                     crd__dataset_title(d->dataset), d->rows, d->units);
  return crd_dataset_take(ctx, d->dataset, d->first, count, out);
}

static crd_status divide(crd_context *ctx, division *d, crd_split_order order) {
  CRD_TRY(allocate(ctx, d));
  CRD_TRY(make_units(ctx, d));
  CRD_TRY(make_classes(ctx, d));
  order_at_random(d);
  return order == CRD_SPLIT_STRATIFIED ? spread(ctx, d) : CRD_OK;
}

crd_status crd_dataset_part(crd_context *ctx, const crd_dataset *dataset, double from, double to,
                            crd_split_order order, uint64_t seed, crd_dataset **out) {
  char first[CRD__NUMBER_SIZE], second[CRD__NUMBER_SIZE];
  division d = { .dataset = dataset, .seed = seed, .rows = dataset->shape.rows };
  *out = NULL;
  if (!(from >= 0 && from < to && to <= 100))
    return crd__fail(ctx, CRD_EUSAGE, "found %s to %s per cent, expected 0 <= from < to <= 100",
                     crd__number_format(first, from), crd__number_format(second, to));
  crd_status status = divide(ctx, &d, order);
  if (status == CRD_OK) {
    mark(&d, from, to);
    status = take(ctx, &d, out);
  }
  clear(&ctx->alloc, &d);
  return status;
}
