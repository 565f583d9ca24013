/* figures.h -- draws figures into memory, and looks at their bytes. */
#ifndef CONFORM_FIGURES_H
#define CONFORM_FIGURES_H

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sources of figures, all of one set of data. */
typedef struct {
  const crd_result *judged, *result; /* the values, and with profile and shifted sets */
  const crd_profile *profile;
  const crd_shift_table *shift;
  const crd_contest *contest;
  crd_calibrator *calibrator;
  const crd_embedding *embedding;
  const crd_run *run;
  const crd_perturbation *perturbation;
  const crd_calibratability *calibratability;
  const crd_learned *learned;
} sources;

/* Returns the contents of a file, which it removes; the caller frees them. */
static char *take(const char *path) {
  FILE *const file = fopen(path, "rb");
  char *const bytes = calloc(1, 1 << 20);
  assert_true(file && bytes && fread(bytes, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  unlink(path);
  return bytes;
}

static crd_figure_data drawn_from(const sources *s) {
  return (crd_figure_data){ .size = sizeof(crd_figure_data),
                            .result = s->result,
                            .contest = s->contest,
                            .calibrator = s->calibrator,
                            .embedding = s->embedding,
                            .run = s->run,
                            .perturbation = s->perturbation,
                            .calibratability = s->calibratability,
                            .learned = s->learned };
}

/* Returns the bytes of a figure; the caller frees them. */
static char *draw(crd_context *ctx, const char *name, const sources *s,
                  const crd_figure_options *options) {
  char path[256];
  crd_output *output = NULL;
  const crd_figure_data data = drawn_from(s);
  assert_int_equal(crd_output_open(ctx, temporary_path(path, "figure.svg"), &output), CRD_OK);
  assert_int_equal(crd_figure_write(ctx, name, &data, options, output), CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  return take(path);
}

static char *print(crd_context *ctx, const char *name, const sources *s, int ascii) {
  char path[256];
  crd_output *output = NULL;
  const crd_figure_data data = drawn_from(s);
  const crd_report_options options = { .size = sizeof options, .ascii = ascii };
  assert_int_equal(crd_output_open(ctx, temporary_path(path, "figure.txt"), &output), CRD_OK);
  assert_int_equal(crd_figure_print(ctx, name, &data, &options, output), CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  return take(path);
}

/* A naive reader: every element is closed by its own name, attributes are quoted, and no byte is a
 * control character. */
static void expect_well_formed(const char *name, const char *svg) {
  char open[32][32];
  size_t depth = 0, elements = 0;
  for (const char *at = svg; *at; at++)
    if ((unsigned char)*at < 0x20 && *at != '\n') fail_msg("%s: byte %d", name, *at);
  for (const char *at = svg; (at = strchr(at, '<')); at++) {
    const char *const end = strchr(at, '>');
    assert_non_null(end);
    const size_t length = strcspn(at + 1, " >");
    size_t quotes = 0;
    for (const char *c = at; c < end; c++) quotes += *c == '"';
    if (quotes % 2) fail_msg("%s: a quote is left open in %.40s", name, at);
    if (at[1] == '/') {
      assert_true(depth > 0);
      if (strlen(open[--depth]) != length - 1 || strncmp(open[depth], at + 2, length - 1) != 0)
        fail_msg("%s: %s is closed by %.20s", name, open[depth], at);
    } else if (end[-1] != '/') {
      assert_true(depth < 32 && length < 32);
      snprintf(open[depth++], sizeof *open, "%.*s", (int)length, at + 1);
    }
    elements++;
  }
  assert_int_equal(depth, 0);
  assert_true(elements > 20);
}

static void expect_has(const char *name, const char *svg, const char *part) {
  if (!strstr(svg, part)) fail_msg("%s: no %s", name, part);
}

static void expect_narrow(const char *name, const char *text, bool ascii) {
  size_t column = 0;
  for (; *text; text++) {
    const unsigned char byte = (unsigned char)*text;
    if (ascii && byte >= 0x80) fail_msg("%s: byte %x", name, byte);
    if (byte < 0x20 && byte != '\n') fail_msg("%s: byte %x", name, byte);
    column = byte == '\n' ? 0 : column + ((byte & 0xc0) != 0x80);
    if (column > 80) fail_msg("%s: a line is too long", name);
  }
}

#endif
