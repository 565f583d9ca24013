/*
 * safetensors_write.c -- writes named arrays as .safetensors.
 *
 * The header lists the arrays as given. Their data are sorted by decreasing element size, so that
 * every array is aligned although no padding is allowed between them; the header is padded to a
 * multiple of 8 for the same reason. The same arrays give the same bytes.
 */
#include "base/json_text.h"
#include "data/array.h"
#include "io/format/safetensors.h"
#include "io/layout.h"

#include <inttypes.h>
#include <string.h>

static void add_name(crd__text *text, const char *name) {
  crd__text_add(text, "\"");
  for (; *name; name++) {
    if ((unsigned char)*name < ' ') crd__text_addf(text, "\\u%04x", (unsigned)*name);
    else crd__text_addf(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
  }
  crd__text_add(text, "\"");
}

static size_t view_bytes(crd_array view) {
  return crd__data_rows_of(&view) * crd__data_cols(&view) * crd_dtype_size(view.dtype);
}

/* Returns whether array i precedes array j in the data. */
static bool precedes(const crd__io_array *arrays, size_t i, size_t j) {
  const size_t a = crd_dtype_size(arrays[i].view.dtype), b = crd_dtype_size(arrays[j].view.dtype);
  return a > b || (a == b && i < j);
}

static void add_array(crd__text *text, const crd__io_array *arrays, size_t count, size_t index) {
  const crd_array view = arrays[index].view;
  size_t from = 0;
  for (size_t i = 0; i < count; i++)
    if (precedes(arrays, i, index)) from += view_bytes(arrays[i].view);
  add_name(text, arrays[index].name);
  int64_t dims[CRD_RANK_MAX];
  const size_t rank = crd__io_array_shape(&arrays[index], dims);
  crd__text_addf(text, ":{\"dtype\":\"%s\",\"shape\":[", crd__io_safetensors_dtypes[view.dtype]);
  for (size_t i = 0; i < rank; i++) crd__text_addf(text, "%s%" PRId64, i ? "," : "", dims[i]);
  crd__text_addf(text, "],\"data_offsets\":[%zu,%zu]}", from, from + view_bytes(view));
}

/* Metadata are strings: class_names is a JSON list in a string. */
static void add_metadata(crd__text *text, const crd__io_array *array) {
  crd__text list;
  crd__text_init(&list, text->alloc);
  for (size_t k = 0; k < crd__data_cols(&array->view); k++) {
    crd__text_add(&list, k ? "," : "[");
    crd__json_add_string(&list, array->columns[k]);
  }
  crd__text_add(&list, "]");
  crd__text_add(text, "\"__metadata__\":{\"class_names\":");
  crd__json_add_string(text, list.bytes);
  crd__text_add(text, "},");
  text->failed = text->failed || list.failed;
  crd__text_clear(&list);
}

static crd_status write_header(crd_context *ctx, const crd__io_sink *sink, crd__text *text,
                               const crd__io_array *arrays, size_t count) {
  size_t named = 0;
  while (named < count && !arrays[named].columns) named++;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(arrays[i].name, "__metadata__") == 0)
      return crd__fail(ctx, CRD_EUSAGE, "an array cannot be named __metadata__ in safetensors");
    crd__text_add(text, i ? "," : "{");
    if (i == 0 && named < count) add_metadata(text, &arrays[named]);
    add_array(text, arrays, count, i);
  }
  crd__text_add(text, count ? "}" : "{}");
  while (!text->failed && text->length % 8) crd__text_add(text, " ");
  CRD_TRY(crd__text_status(ctx, text));
  unsigned char length[8];
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)text->length >> 8 * i);
  CRD_TRY(sink->write(ctx, sink->self, length, sizeof length));
  return sink->write(ctx, sink->self, text->bytes, text->length);
}

crd_status crd__io_safetensors_write(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                                     const crd__io_array *arrays, size_t count) {
  (void)stem;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd_status status = write_header(ctx, sink, &text, arrays, count);
  crd__text_clear(&text);
  for (size_t size = 8; size > 0 && status == CRD_OK; size /= 2) {
    for (size_t i = 0; i < count && status == CRD_OK; i++) {
      if (crd_dtype_size(arrays[i].view.dtype) != size) continue;
      /* The file is little-endian. */
      status = crd__io_array_emit(ctx, &arrays[i], !crd__io_native_is_little(), sink);
    }
  }
  return status;
}
