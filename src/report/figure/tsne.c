/*
 * tsne.c -- 2-D embedding (t-SNE) of the rows (credence/embedding.h), as a scatter plot.
 *
 * Colour and mark of a point are those of its true class; misclassified points have a ring and are
 * drawn on top, so that errors inside a cluster and at its border stand out. All points with the
 * same colour and mark are one SVG element, to keep the file small.
 *
 * van der Maaten, Hinton: Visualizing data using t-SNE (JMLR 9, 2008).
 */
#include "report/decimal.h"
#include "report/figure.h"
#include "report/form.h"
#include "report/palette.h"
#include "report/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  LEFT = 20,
  TOP = 56,
  PLANE = 480,
  MARGIN = 8,
  BESIDE = 520,
  KEYS = 24, /* entries in a column of the legend */
  COLUMN = 64,
  HEIGHT = 572
};

/* Both axes have the same unit. */
typedef struct {
  crd__report_scale x, y;
} plane;

static crd__report_scale scale_of(const double *values, size_t count, double *range) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  *range = fmax(*range, high - low);
  return (crd__report_scale){ .low = low, .high = high };
}

/* Centres the data between from and to. */
static void centre(crd__report_scale *s, double range, double from, double to) {
  const double middle = s->low + (s->high - s->low) / 2, half = range > 0 ? range / 2 : 1;
  *s = (crd__report_scale){ middle - half, middle + half, from, to, false };
}

static plane lay_out(const crd_embedding *e, crd__report_box box) {
  double range = 0;
  plane p = { .x = scale_of(e->x, e->count, &range), .y = scale_of(e->y, e->count, &range) };
  centre(&p.x, range, box.x, box.x + box.width);
  centre(&p.y, range, box.y + box.height, box.y);
  return p;
}

/* Rounded to a tenth of a pixel, which keeps the file small. */
static double place(const crd__report_scale *scale, double value) {
  return rint(10 * crd__report_scale_at(scale, value)) / 10;
}

static size_t looks(const crd_embedding *e) {
  return e->classes < CRD__PALETTE_LOOKS ? e->classes : CRD__PALETTE_LOOKS;
}

static size_t count_of(const crd_embedding *e, size_t look, bool correct) {
  size_t count = 0;
  for (size_t i = 0; i < e->count; i++)
    count += e->label[i] % CRD__PALETTE_LOOKS == look && (e->correct[i] != 0) == correct;
  return count;
}

static size_t count_wrong(const crd_embedding *e) {
  size_t count = 0;
  for (size_t i = 0; i < e->count; i++) count += !e->correct[i];
  return count;
}

/* "class 3: 490 correct"; where marks repeat "class 3 and 35 ...: 490 correct". */
static void name_of(char *words, size_t size, const crd_embedding *e, size_t look, size_t count,
                    bool correct) {
  const size_t next = look + CRD__PALETTE_LOOKS;
  char more[64] = "";
  if (next < e->classes)
    snprintf(more, sizeof more, " and %zu%s", next,
             next + CRD__PALETTE_LOOKS < e->classes ? " ..." : "");
  snprintf(words, size, "class %zu%s: %zu %s", look, more, count,
           correct ? "correct" : "misclassified");
}

static void add_look(const crd__report_drawing *d, const plane *p, size_t look, bool correct) {
  const crd_embedding *const e = d->embedding;
  const size_t count = count_of(e, look, correct);
  char words[128];
  if (!count) return;
  name_of(words, sizeof words, e, look, count, correct);
  crd__report_svg_group(d->out, words);
  crd__report_palette_begin(d->out, look);
  for (size_t i = 0; i < e->count; i++)
    if (e->label[i] % CRD__PALETTE_LOOKS == look && (e->correct[i] != 0) == correct)
      crd__report_palette_mark(d->out, look, place(&p->x, e->x[i]), place(&p->y, e->y[i]));
  crd__report_svg_path_end(d->out);
  crd__report_svg_group_end(d->out);
}

/* Draws the rings below the marks of misclassified points. */
static void add_rings(const crd__report_drawing *d, const plane *p, const char *kind) {
  const crd_embedding *const e = d->embedding;
  crd__report_svg_path_begin(d->out, kind, 1);
  for (size_t i = 0; i < e->count; i++)
    if (!e->correct[i])
      crd__report_svg_path_add(d->out, place(&p->x, e->x[i]), place(&p->y, e->y[i]), "h0");
  crd__report_svg_path_end(d->out);
}

static void add_points(const crd__report_drawing *d) {
  const crd_embedding *const e = d->embedding;
  const plane p = lay_out(
      e, (crd__report_box){ LEFT + MARGIN, TOP + MARGIN, PLANE - 2 * MARGIN, PLANE - 2 * MARGIN });
  crd__report_svg_rect(d->out, "frame", (crd__report_box){ LEFT, TOP, PLANE, PLANE });
  for (size_t look = 0; look < looks(e); look++) add_look(d, &p, look, true);
  if (!count_wrong(e)) return;
  add_rings(d, &p, "ring");
  add_rings(d, &p, "hole");
  for (size_t look = 0; look < looks(e); look++) add_look(d, &p, look, false);
}

static double key_x(size_t column) { return BESIDE + 4 + (double)(column * COLUMN); }
static double key_y(size_t row) { return TOP + 8 + (double)(row * 16); }

static void add_legend(const crd__report_drawing *d) {
  const crd_embedding *const e = d->embedding;
  const size_t count = looks(e), rows = count < KEYS ? count : KEYS;
  char words[32];
  for (size_t look = 0; look < count; look++) {
    const size_t row = look % KEYS, column = look / KEYS;
    snprintf(words, sizeof words, "class %zu", look);
    crd__report_svg_group_at(d->out, key_x(column), key_y(row), 1.6);
    crd__report_palette_begin(d->out, look);
    crd__report_palette_mark(d->out, look, 0, 0);
    crd__report_svg_path_end(d->out);
    crd__report_svg_group_end(d->out);
    crd__report_svg_text(
        d->out, "text small",
        (crd__report_svg_place){ key_x(column) + 10, key_y(row) + 3.5, CRD__SVG_START, 0 }, words);
  }
  crd__report_svg_group_at(d->out, key_x(0), key_y(rows) + 8, 1.2);
  for (size_t i = 0; i < 2; i++) {
    crd__report_svg_path_begin(d->out, i ? "hole" : "ring", 1);
    crd__report_svg_path_add(d->out, 0, 0, "h0");
    crd__report_svg_path_end(d->out);
  }
  crd__report_svg_group_end(d->out);
  crd__report_svg_text(
      d->out, "text small",
      (crd__report_svg_place){ key_x(0) + 10, key_y(rows) + 11.5, CRD__SVG_START, 0 },
      "misclassified");
  if (e->classes > CRD__PALETTE_LOOKS)
    crd__report_svg_text(d->out, "dim small",
                         (crd__report_svg_place){ BESIDE, key_y(rows + 1) + 14, CRD__SVG_START, 0 },
                         "marks repeat from class 32 on");
}

/* "5000 of 10000 rows, t-SNE of their logits, perplexity 30" */
static const char *tell(char *text, size_t size, const crd_embedding *e) {
  char number[CRD__NUMBER_SIZE], of[48] = "";
  if (e->count < e->all_rows) snprintf(of, sizeof of, " of %zu", e->all_rows);
  snprintf(text, size, "%zu%s rows, t-SNE of their %s, perplexity %s", e->count, of,
           e->features ? "features" : "logits", crd__number_brief(number, e->perplexity, 4));
  return text;
}

static const char note[] =
    "Nearby points are similar rows; axes, cluster sizes and large distances mean nothing.";

static void tsne_draw(const crd__report_drawing *d) {
  const crd_embedding *const e = d->embedding;
  char title[256], desc[384], text[160];
  const size_t wide = looks(e) > KEYS ? 2 : 1;
  snprintf(title, sizeof title, "t-SNE embedding of %.200s", d->title);
  snprintf(desc, sizeof desc, "%s: %zu classes, %zu points misclassified. %s",
           tell(text, sizeof text, e), e->classes, count_wrong(e), note);
  const crd__report_svg_page page = { BESIDE + 52 + (double)wide * COLUMN, HEIGHT, d->id, title,
                                      desc };
  crd__report_svg_open(d->out, &page);
  crd__report_palette_add(d->out);
  crd__report_figure_heading(d, LEFT, text);
  add_points(d);
  add_legend(d);
  crd__report_svg_text(d->out, "dim small",
                       (crd__report_svg_place){ LEFT, TOP + PLANE + 20, CRD__SVG_START, 0 }, note);
  crd__report_svg_close(d->out);
}

/* ---- Terminal: a cell shows the most frequent class of its points. */

enum { ACROSS = 76, DOWN = 30 };
static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ*";
enum { LETTERS = sizeof letters - 1 };

static void print_row(const crd__report_drawing *d, const plane *p, size_t row) {
  const crd_embedding *const e = d->embedding;
  size_t counts[ACROSS][LETTERS];
  char line[ACROSS + 1];
  size_t length = 0;
  memset(counts, 0, sizeof counts);
  for (size_t i = 0; i < e->count; i++) {
    const size_t letter = e->label[i] < LETTERS ? e->label[i] : LETTERS - 1;
    if ((size_t)rint(crd__report_scale_at(&p->y, e->y[i])) == row)
      counts[(size_t)rint(crd__report_scale_at(&p->x, e->x[i]))][letter]++;
  }
  for (size_t x = 0; x < ACROSS; x++) {
    size_t best = 0;
    for (size_t c = 1; c < LETTERS; c++)
      if (counts[x][c] > counts[x][best]) best = c;
    line[x] = (char)(counts[x][best] ? letters[best] : ' ');
    if (counts[x][best]) length = x + 1;
  }
  line[length] = '\0';
  crd__text_addf(d->out, "%s%s\n", length ? "  " : "", line);
}

static void tsne_print(const crd__report_drawing *d, const crd_report_options *options) {
  const crd_embedding *const e = d->embedding;
  const plane p = lay_out(e, (crd__report_box){ 0, 0, ACROSS - 1, DOWN - 1 });
  char text[160];
  crd__report_heading_add_name(d->out, options, d->title);
  crd__text_addf(d->out, "%s\n\n", tell(text, sizeof text, e));
  for (size_t row = 0; row < DOWN; row++) print_row(d, &p, row);
  crd__text_addf(d->out, "\n  classes by index%s%s; %zu of %zu points misclassified\n  ",
                 e->classes > 10 ? ", from 10 on a .. z, A .. Z" : "",
                 e->classes >= LETTERS ? ", then *" : "", count_wrong(e), e->count);
  crd__report_text_add_wrapped(d->out, note, &(crd__report_wrapping){ 2, 2, 80, options->ascii });
}

const crd__report_figure crd__report_figure_tsne = {
  .info = { .name = "tsne",
            .summary = "2-D embedding (t-SNE) of the rows, coloured by true class",
            .source = CRD_FIGURE_OF_EMBEDDING,
            .metrics = "" },
  .draw = tsne_draw,
  .print = tsne_print,
};
