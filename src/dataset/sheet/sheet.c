/*
 * sheet.c -- crd_dataset_draw: which samples a contact sheet shows, and where.
 *
 * A class is a block: its name and number of samples, and beside them some of its samples, evenly
 * spread over its rows. Blocks are in one column, or in several where there are many classes.
 * Small images are enlarged by an integer factor, large ones reduced.
 */
#include "dataset/sheet/sheet.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALL = 64, LARGE = 96 }; /* sides of tiles, at most */
enum { MARGIN = 24, HEAD = 76, GAP = 4, BLOCK_GAP = 12, COLUMN_GAP = 32, LABEL = 128 };
enum { PER_CLASS = 8, CLASSES_MOST = 200, CLASSES_OF_COLUMN = 20, NAME_MOST = 18, TITLE_MOST = 70 };

typedef struct {
  crd_context *ctx;
  const crd_dataset *dataset;
  const crd_dataset_shape *shape;
  size_t blocks; /* classes shown; 1 without labels */
  size_t per_class;
  size_t tall, wide; /* of a tile */
  size_t *counts;    /* samples of each block */
  float *sample;     /* scratch buffer */
  crd__sheet sheet;
} drawing;

/* ---- One sample as an image. */

/* Sets the values that are black and white: 0 and 1, or 0 and 255, whichever contains all values;
 * else the smallest and the largest one. */
static void find_range(const float *values, size_t count, float *low, float *high) {
  *low = *high = values[0];
  for (size_t i = 0; i < count; i++) {
    *low = values[i] < *low ? values[i] : *low;
    *high = values[i] > *high ? values[i] : *high;
  }
  if (*low < 0 || *high > 255) return;
  *low = 0;
  *high = *high > 1 ? 255 : 1;
}

static void to_bytes(const float *values, size_t planes, crd__image *out) {
  const size_t area = out->height * out->width;
  float low, high;
  find_range(values, planes * area, &low, &high);
  const float range = high > low ? high - low : 1;
  for (size_t i = 0; i < area; i++)
    for (size_t c = 0; c < out->channels; c++) {
      const float share = (values[c * area + i] - low) / range; /* NaN is black */
      const float limited = share > 0 ? share < 1 ? share : 1 : 0;
      out->pixels[i * out->channels + c] = (unsigned char)(limited * 255 + 0.5F);
    }
}

static crd_status make_image(const drawing *d, size_t row, crd__image *out) {
  const int64_t *const dims = d->shape->dims;
  *out = (crd__image){ .height = (size_t)dims[1],
                       .width = (size_t)dims[2],
                       .channels = dims[0] < 3 ? 1 : 3 };
  CRD_TRY(crd__image_allocate(d->ctx, out));
  crd_status status = crd_dataset_read(d->ctx, d->dataset, &row, 1, d->sample);
  if (status == CRD_OK) to_bytes(d->sample, (size_t)dims[0], out);
  if (status == CRD_OK && (out->height > LARGE || out->width > LARGE))
    status = crd__image_fit(d->ctx, out, d->tall * CRD__SHEET_SCALE, d->wide * CRD__SHEET_SCALE,
                            CRD_RESIZE_STRETCH);
  if (status != CRD_OK) crd__image_clear(&d->ctx->alloc, out);
  return status;
}

/* ---- Places. */

static void set_tile_size(drawing *d) {
  const size_t height = (size_t)d->shape->dims[1], width = (size_t)d->shape->dims[2];
  const size_t side = height > width ? height : width;
  const size_t factor = side <= SMALL ? SMALL / side : 1;
  const double shrink = side > LARGE ? (double)LARGE / (double)side : 1;
  d->tall = (size_t)fmax(1, rint((double)(height * factor) * shrink));
  d->wide = (size_t)fmax(1, rint((double)(width * factor) * shrink));
}

static size_t columns_of(const drawing *d) {
  return (d->blocks + CLASSES_OF_COLUMN - 1) / CLASSES_OF_COLUMN;
}

static size_t rows_of(const drawing *d) { return (d->blocks + columns_of(d) - 1) / columns_of(d); }

static size_t block_height(const drawing *d) { return (d->tall > 32 ? d->tall : 32) + BLOCK_GAP; }
static size_t block_width(const drawing *d) { return LABEL + d->per_class * (d->wide + GAP); }

/* The upper left corner of a block. */
static size_t block_left(const drawing *d, size_t block) {
  return MARGIN + block / rows_of(d) * (block_width(d) + COLUMN_GAP);
}
static size_t block_top(const drawing *d, size_t block) {
  return HEAD + block % rows_of(d) * block_height(d);
}

static crd__sheet_text *add_text(drawing *d, size_t x, size_t y, crd__sheet_style style,
                                 size_t most) {
  crd__sheet_text *const text = &d->sheet.texts[d->sheet.text_count++];
  *text = (crd__sheet_text){ .x = (double)x, .y = (double)y, .style = style, .most = most };
  return text;
}

static void place_head(drawing *d) {
  const crd_dataset_shape *const shape = d->shape;
  crd__sheet_text *text = add_text(d, MARGIN, 36, CRD__SHEET_TITLE, TITLE_MOST);
  snprintf(text->words, sizeof text->words, "%.190s", *shape->name ? shape->name : "images");
  text = add_text(d, MARGIN, 56, CRD__SHEET_DIM, SIZE_MAX);
  const int length =
      snprintf(text->words, sizeof text->words, "%zu images of %lld x %lld pixels, %s", shape->rows,
               (long long)shape->dims[1], (long long)shape->dims[2],
               shape->dims[0] == 1   ? "grey"
               : shape->dims[0] == 3 ? "RGB"
                                     : "several channels");
  if (shape->classes > d->blocks && length > 0)
    snprintf(text->words + length, sizeof text->words - (size_t)length,
             "; the first %zu of %zu classes", d->blocks, shape->classes);
}

/* Places the name of a block and its number of samples. */
static void place_label(drawing *d, size_t block) {
  const size_t left = block_left(d, block), middle = block_top(d, block) + d->tall / 2;
  crd__sheet_text *text = add_text(d, left, middle - 3, CRD__SHEET_STRONG, NAME_MOST);
  snprintf(text->words, sizeof text->words, "%.190s",
           d->shape->classes ? d->shape->class_names[block] : "no labels");
  text = add_text(d, left, middle + 13, CRD__SHEET_DIM, SIZE_MAX);
  snprintf(text->words, sizeof text->words, "%zu", d->counts[block]);
}

/* ---- Samples. */

/* Returns the block of a row; SIZE_MAX: none. */
static size_t block_of(const drawing *d, size_t row) {
  const int64_t label = crd_dataset_label(d->dataset, row);
  if (d->shape->classes == 0) return 0;
  return label >= 0 && (size_t)label < d->blocks ? (size_t)label : SIZE_MAX;
}

/* Shows sample n of a block if it is one of those evenly spread over its `count` samples. */
static crd_status show(drawing *d, size_t block, size_t n, size_t row) {
  const size_t count = d->counts[block];
  const size_t shown = count < d->per_class ? count : d->per_class;
  const size_t place = (n * shown + count - 1) / count; /* n is at most place * count / shown */
  if (place >= shown || place * count / shown != n) return CRD_OK;
  crd__sheet_tile *const tile = &d->sheet.tiles[d->sheet.tile_count];
  tile->x = (double)(block_left(d, block) + LABEL + place * (d->wide + GAP));
  tile->y = (double)block_top(d, block);
  tile->width = (double)d->wide;
  tile->height = (double)d->tall;
  CRD_TRY(make_image(d, row, &tile->image));
  d->sheet.tile_count++;
  return CRD_OK;
}

static crd_status show_all(drawing *d) {
  size_t *seen;
  crd_status status = CRD_OK;
  CRD_TRY(crd__new(d->ctx, d->blocks, sizeof *seen, "a contact sheet", &seen));
  for (size_t row = 0; row < d->shape->rows && status == CRD_OK; row++) {
    const size_t block = block_of(d, row);
    if (block != SIZE_MAX) status = show(d, block, seen[block]++, row);
    if (status == CRD_OK) status = crd__check_interrupt(d->ctx);
  }
  crd__free(&d->ctx->alloc, seen);
  return status;
}

static crd_status arrange(drawing *d) {
  const size_t last = d->blocks - 1;
  for (size_t row = 0; row < d->shape->rows; row++)
    if (block_of(d, row) != SIZE_MAX) d->counts[block_of(d, row)]++;
  d->sheet.width = block_left(d, last) + block_width(d) + MARGIN;
  d->sheet.height = block_top(d, rows_of(d) - 1) + block_height(d) - BLOCK_GAP + MARGIN;
  place_head(d);
  for (size_t block = 0; block < d->blocks; block++) place_label(d, block);
  return show_all(d);
}

/* ---- All of it. */

static crd_status allocate(drawing *d) {
  const int64_t *const dims = d->shape->dims;
  const size_t size = (size_t)dims[0] * (size_t)dims[1] * (size_t)dims[2];
  CRD_TRY(crd__new(d->ctx, d->blocks, sizeof *d->counts, "a contact sheet", &d->counts));
  CRD_TRY(crd__new(d->ctx, size, sizeof *d->sample, "a sample", &d->sample));
  CRD_TRY(crd__new(d->ctx, 2 * d->blocks + 2, sizeof *d->sheet.texts, "a contact sheet",
                   &d->sheet.texts));
  return crd__new(d->ctx, d->blocks * d->per_class, sizeof *d->sheet.tiles, "a contact sheet",
                  &d->sheet.tiles);
}

static void clear(drawing *d) {
  const crd_allocator *const alloc = &d->ctx->alloc;
  for (size_t i = 0; i < d->sheet.tile_count; i++)
    crd__image_clear(alloc, &d->sheet.tiles[i].image);
  crd__free(alloc, d->sheet.tiles);
  crd__free(alloc, d->sheet.texts);
  crd__free(alloc, d->counts);
  crd__free(alloc, d->sample);
}

static bool ends_with(const char *path, const char *end) {
  const size_t length = strlen(path), more = strlen(end);
  return length > more && strcmp(path + length - more, end) == 0;
}

static crd_status write(crd_context *ctx, const crd__text *file, const char *path) {
  crd_output *output;
  CRD_TRY(crd_output_open(ctx, path, &output));
  const crd_status status = crd_output_write(ctx, output, file->bytes, file->length);
  return crd_output_finish(ctx, output, status);
}

crd_status crd_dataset_draw(crd_context *ctx, const crd_dataset *dataset, size_t per_class,
                            const char *path) {
  drawing d = { .ctx = ctx, .dataset = dataset, .shape = crd_dataset_describe(dataset) };
  const bool svg = ends_with(path, ".svg");
  crd__text file;
  if (!svg && !ends_with(path, ".png"))
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: a contact sheet is an .svg or .png file", path);
  if (d.shape->type != CRD_SAMPLES_IMAGES || d.shape->rank != 3)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%.400s: the samples are not images, which a contact sheet "
                     "could show",
                     d.shape->name);
  d.blocks = d.shape->classes == 0 ? 1 : d.shape->classes;
  if (d.blocks > CLASSES_MOST) d.blocks = CLASSES_MOST;
  d.per_class = per_class ? per_class : PER_CLASS;
  set_tile_size(&d);
  crd__text_init(&file, &ctx->alloc);
  crd_status status = allocate(&d);
  if (status == CRD_OK) status = arrange(&d);
  if (status == CRD_OK)
    status = (svg ? crd__sheet_to_svg : crd__sheet_to_png)(ctx, &d.sheet, &file);
  if (status == CRD_OK) status = write(ctx, &file, path);
  crd__text_clear(&file);
  clear(&d);
  return status;
}
