/*
 * synthetic_mixture.c -- a mixture of Gaussians: every class has several clusters.
 *
 *   m_kj ~ N(0, centre^2 I)                      centre j of class k
 *   y uniform on the classes, j uniform on its clusters, x ~ N(m_yj, noise^2 I)
 *
 * With the default settings (ten classes of four clusters in 20 dimensions) an MLP trained on 3000
 * samples is right on most test samples and on all training samples, and overconfident: a small
 * model of what happens to large networks. Sample i of a split is a function of (seed, split, i),
 * so that the sizes of splits do not change their samples; all splits share the centres.
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/settings.h"
#include "dataset/kind.h"

#include <stdio.h>
#include <string.h>

enum { TRAIN, VAL, TEST, SPLITS };
enum { CLASSES = SPLITS, CLUSTERS, COLUMNS, CENTRE, NOISE, SEED, SETTINGS };
/* Random numbers: centres have stream 0, split s has streams 3 s + 1, 2, 3. */
enum { STREAM_CLASS = 1, STREAM_CLUSTER, STREAM_NOISE };

#define COUNT(member, text, value, least, most)                                                    \
  { .name = member, .help = text, .standard = value, .low = least, .high = most, .whole = 1 }

static const crd_setting_info settings[] = {
  COUNT("train", "samples of the split train", "3000", 1, 1e8),
  COUNT("val", "samples of the split val", "5000", 1, 1e8),
  COUNT("test", "samples of the split test", "10000", 1, 1e8),
  COUNT("classes", "number of classes", "10", 2, 1000),
  COUNT("clusters", "clusters of each class", "4", 1, 1000),
  COUNT("columns", "dimensions of a sample", "20", 1, 10000),
  { .name = "centre",
    .help = "standard deviation of the centres",
    .standard = "1.55",
    .low = 0,
    .high = 1e6 },
  { .name = "noise",
    .help = "standard deviation of samples around their centre",
    .standard = "1.6",
    .low = 0,
    .high = 1e6 },
  COUNT("seed", "seed of centres and samples", "0", 0, 9e15),
};

typedef struct {
  double values[SETTINGS];
  float *centres;              /* (class, cluster, column) */
  size_t count, split[SPLITS]; /* opened splits, in order */
  size_t rows[SPLITS];         /* of each */
} mixture;

static void synthetic_mixture_close(const crd_allocator *alloc, void *self) {
  crd__free(alloc, ((mixture *)self)->centres);
  crd__free(alloc, self);
}

/* Returns the split of a sample, and its index there. */
static size_t find_split(const mixture *m, size_t *index) {
  size_t i = 0;
  for (; *index >= m->rows[i]; i++) *index -= m->rows[i];
  return m->split[i];
}

/* Draws an index below `count`. */
static size_t draw(const mixture *m, size_t split, unsigned stream, size_t index, double count) {
  return (size_t)(count *
                  crd__random_uniform((uint64_t)m->values[SEED], 3 * split + stream, index));
}

static crd_status synthetic_mixture_read(crd_context *ctx, const crd__dataset_store *store,
                                         size_t index, float *out) {
  const mixture *const m = store->self;
  const size_t columns = (size_t)m->values[COLUMNS], split = find_split(m, &index);
  const size_t class = draw(m, split, STREAM_CLASS, index, m->values[CLASSES]);
  const size_t cluster = draw(m, split, STREAM_CLUSTER, index, m->values[CLUSTERS]);
  const float *const centre =
      m->centres + (class * (size_t)m->values[CLUSTERS] + cluster) * columns;
  (void)ctx;
  for (size_t j = 0; j < columns; j++)
    out[j] = (float)((double)centre[j] +
                     m->values[NOISE] * crd__random_normal((uint64_t)m->values[SEED],
                                                           3 * split + STREAM_NOISE,
                                                           (uint64_t)index * columns + j));
  return CRD_OK;
}

/* ---- Opening. */

static void choose_splits(const crd__dataset_request *request, mixture *m) {
  m->count = request->split_count ? request->split_count : SPLITS;
  for (size_t i = 0; i < m->count; i++) {
    size_t split = i;
    for (size_t s = 0; request->split_count && s < SPLITS; s++)
      if (strcmp(request->splits[i], settings[s].name) == 0) split = s;
    m->split[i] = split;
    m->rows[i] = (size_t)m->values[split];
  }
}

static crd_status make_centres(crd_context *ctx, mixture *m) {
  const size_t count =
      (size_t)(m->values[CLASSES] * m->values[CLUSTERS] * m->values[COLUMNS]); /* at most 1e10 */
  CRD_TRY(crd__new(ctx, count, sizeof *m->centres, "centres", &m->centres));
  for (size_t i = 0; i < count; i++)
    m->centres[i] =
        (float)(m->values[CENTRE] * crd__random_normal((uint64_t)m->values[SEED], 0, i));
  return CRD_OK;
}

static crd_status add_labels(crd_context *ctx, crd__dataset_store *store) {
  const mixture *const m = store->self;
  CRD_TRY(crd__new(ctx, store->count, sizeof *store->labels.of, "labels", &store->labels.of));
  for (size_t k = 0; k < (size_t)m->values[CLASSES]; k++) {
    char name[24];
    snprintf(name, sizeof name, "%zu", k);
    CRD_TRY(crd__dataset_names_add(ctx, &store->alloc, &store->labels, name, NULL));
  }
  for (size_t i = 0; i < store->count; i++) {
    size_t index = i;
    const size_t split = find_split(m, &index);
    store->labels.of[i] = (int64_t)draw(m, split, STREAM_CLASS, index, m->values[CLASSES]);
  }
  return CRD_OK;
}

static crd_status synthetic_mixture_open(crd_context *ctx, const crd__dataset_request *request,
                                         crd__dataset_store *store) {
  const crd__setting_table table = { "synthetic:mixture", SETTINGS, settings };
  mixture *m;
  CRD_TRY(crd__new(ctx, 1, sizeof *m, "a dataset", &m));
  store->self = m;
  CRD_TRY(crd__settings_standard(ctx, &table, m->values, NULL));
  CRD_TRY(crd__settings_read(ctx, &table, request->path, m->values, NULL));
  choose_splits(request, m);
  for (size_t i = 0; i < m->count; i++) store->count += m->rows[i];
  store->type = CRD_SAMPLES_VECTORS;
  store->all_classes = true;
  store->rank = 1;
  store->dims[0] = (int64_t)m->values[COLUMNS];
  CRD_TRY(make_centres(ctx, m));
  return add_labels(ctx, store);
}

const crd__dataset_kind crd__dataset_kind_synthetic_mixture = {
  .info = { .name = "synthetic:mixture",
            .summary = "vectors from a mixture of Gaussians: 10 classes of 4 clusters, 20 columns",
            .path = "settings: train=3000,val=5000,test=10000,classes=10,clusters=4,columns=20,"
                    "centre=1.55,noise=1.6,seed=0",
            .splits = "train val test",
            .reference = "" },
  .open = synthetic_mixture_open,
  .read = synthetic_mixture_read,
  .slow = true,
  .close = synthetic_mixture_close,
};
