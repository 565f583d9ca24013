/* stored.c -- any bytes as a stored result, and as the record of a run: a valid result is written,
 * read again and drawn, a valid record is drawn. */
#include "fuzz.h"

#include "base/file.h"
#include "report/form.h"
#include "report/stored/stored.h"

#include <string.h>

static void write_as(const crd_page_part *part, const crd__report_form *form, crd__text *out) {
  const crd_report_options options = { .size = sizeof options,
                                       .diagnosis = part->diagnosis,
                                       .provenance = part->provenance };
  if (part->result) form->write(part->result, &options, out);
  else form->contest(part->contest, &options, out);
}

static void check_again(crd_context *ctx, const crd_page_part *part) {
  crd__text first, second;
  crd_stored *again = NULL;
  crd__text_init(&first, &ctx->alloc);
  crd__text_init(&second, &ctx->alloc);
  write_as(part, &crd__report_form_json, &first);
  HOLDS(crd__report_stored_read(ctx, first.bytes, first.length, &again) == CRD_OK);
  write_as(crd_stored_part(again), &crd__report_form_json, &second);
  HOLDS(first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0);
  crd__text_clear(&first);
  crd__text_clear(&second);
  crd_stored_destroy(again);
}

/* Writes every other output format. */
static void draw(crd_context *ctx, const crd_page_part *part) {
  static const crd__report_form *const forms[] = {
#define FORM(name) &crd__report_form_##name,
#include "report/form/list.h"
#undef FORM
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    crd__text text;
    crd__text_init(&text, &ctx->alloc);
    write_as(part, forms[i], &text);
    HOLDS(!text.failed);
    crd__text_clear(&text);
  }
}

/* ---- Figures and pages, into files that discard everything. */

static int open_nothing(const char *path, int flags, mode_t mode) {
  (void)path, (void)flags, (void)mode;
  return 1000;
}
static ssize_t write_nothing(int fd, const void *bytes, size_t count) {
  (void)fd, (void)bytes;
  return (ssize_t)count;
}
static int succeed(int fd) {
  (void)fd;
  return 0;
}
static int rename_nothing(const char *from, const char *to) {
  (void)from, (void)to;
  return 0;
}
static const crd__file_ops nowhere = { .open = open_nothing,
                                       .write = write_nothing,
                                       .sync = succeed,
                                       .close = succeed,
                                       .rename = rename_nothing };

/* Figures that cannot be drawn from the data fail. */
static void picture(crd_context *ctx, const crd_figure_data *data) {
  for (size_t i = 0; crd_figure_at(i); i++) {
    crd_output *output = NULL;
    HOLDS(crd_output_open(ctx, "nowhere/figure", &output) == CRD_OK);
    for (int print = 0; print < 2; print++) {
      const crd_status status =
          (print ? crd_figure_print(ctx, crd_figure_at(i)->name, data, NULL, output)
                 : crd_figure_write(ctx, crd_figure_at(i)->name, data, NULL, output));
      HOLDS(status == CRD_OK || crd_context_message(ctx)[0]);
    }
    HOLDS(crd_output_commit(ctx, output) == CRD_OK);
  }
}

static void picture_all(crd_context *ctx, const crd_page_part *part) {
  crd_output *page = NULL;
  ctx->files = &nowhere;
  picture(ctx, &(crd_figure_data){ .size = sizeof(crd_figure_data),
                                   .result = part->result,
                                   .contest = part->contest });
  for (size_t i = 0; part->contest && i < part->contest->count; i++)
    picture(ctx, &(crd_figure_data){ .size = sizeof(crd_figure_data),
                                     .result = part->contest->candidates[i].result });
  HOLDS(crd_output_open(ctx, "nowhere/page", &page) == CRD_OK);
  HOLDS(crd_page_write(ctx, part, 1, NULL, page) == CRD_OK);
  HOLDS(crd_output_commit(ctx, page) == CRD_OK);
}

static void try_run(crd_context *ctx, const char *bytes, size_t length) {
  const crd_run *run = NULL;
  const crd_status status = crd__report_run_read(ctx, bytes, length, &run);
  HOLDS((status == CRD_OK) == (run != NULL));
  HOLDS(status == CRD_OK || crd_context_message(ctx)[0]);
  if (!run) return;
  ctx->files = &nowhere;
  picture(ctx, &(crd_figure_data){ .size = sizeof(crd_figure_data), .run = run });
  crd_run_destroy(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd_stored *stored = NULL;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  const crd_status status = crd__report_stored_read(ctx, (const char *)bytes, length, &stored);
  HOLDS((status == CRD_OK) == (stored != NULL));
  HOLDS(status == CRD_OK || crd_context_message(ctx)[0]);
  if (stored) {
    check_again(ctx, crd_stored_part(stored));
    draw(ctx, crd_stored_part(stored));
    picture_all(ctx, crd_stored_part(stored));
  } else try_run(ctx, (const char *)bytes, length);
  crd_stored_destroy(stored);
  crd_context_destroy(ctx);
  return 0;
}
