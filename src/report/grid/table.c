/* table.c -- a table for papers as Markdown and LaTeX: best value bold, second underlined. */
#include "report/grid/grid.h"

#include <math.h>

/* What the two forms write around the parts of a table. */
typedef struct {
  const char *begin, *between, *end;                      /* of a line */
  const char *number, *number_end, *none, *failed;        /* of a cell */
  const char *strong, *strong_end, *second, *second_end;  /* of a value */
  const char *name, *name_end;                            /* of a chosen name */
  const char *plus_minus, *dash, *star, *arrow[3];        /* by crd_direction */
  void (*add_escaped)(crd__text *out, const char *words); /* of names */
} marks;

/* " (0.0488--0.0585)", where there is an interval. */
static void add_interval(crd__text *out, const crd__report_cell *cell,
                         const crd__report_cell_text *text, const marks *k) {
  if (isnan(cell->low) || isnan(cell->high)) return;
  crd__text_addf(out, " (%s%s%s%s%s%s%s)", k->number, text->low, k->number_end, k->dash, k->number,
                 text->high, k->number_end);
}

static void add_cell(crd__text *out, const crd__report_grid *grid, const marks *k, size_t line,
                     size_t column) {
  const crd__report_cell cell = grid->cell(grid->self, line, column);
  const crd__report_cell_text text = crd__report_grid_format(grid, line, column);
  const crd__report_rank rank = crd__report_grid_rank(grid, line, column);
  const char *const open[] = {
    [CRD__RANK_OTHER] = "", [CRD__RANK_BEST] = k->strong, [CRD__RANK_SECOND] = k->second
  };
  const char *const close[] = {
    [CRD__RANK_OTHER] = "", [CRD__RANK_BEST] = k->strong_end, [CRD__RANK_SECOND] = k->second_end
  };
  crd__text_add(out, k->between);
  if (cell.failed || !isfinite(cell.value)) {
    crd__text_add(out, cell.failed ? k->failed : k->none);
    return;
  }
  crd__text_addf(out, "%s%s%s%s", k->number, open[rank], text.value, close[rank]);
  if (cell.mark == '*') crd__text_add(out, k->star);
  if (*text.std) crd__text_addf(out, "%s%s", k->plus_minus, text.std);
  crd__text_add(out, k->number_end);
  add_interval(out, &cell, &text, k);
}

static void add_lines(crd__text *out, const crd__report_grid *grid, const marks *k) {
  for (size_t i = 0; i < grid->lines; i++) {
    const bool chosen = grid->chosen && grid->chosen(grid->self, i);
    crd__text_add(out, k->begin);
    crd__text_add(out, chosen ? k->name : "");
    k->add_escaped(out, grid->name(grid->self, i));
    crd__text_add(out, chosen ? k->name_end : "");
    if (grid->add_remark) grid->add_remark(out, grid->self, i);
    for (size_t c = 0; c < grid->columns; c++) add_cell(out, grid, k, i, c);
    crd__text_add(out, k->end);
  }
}

static void add_headings(crd__text *out, const crd__report_grid *grid, const marks *k) {
  for (size_t c = 0; c < grid->columns; c++) {
    crd__text heading;
    crd__text_init(&heading, out->alloc);
    crd__report_grid_heading(&heading, grid, c);
    crd__text_add(out, k->between);
    if (!heading.failed) k->add_escaped(out, heading.bytes);
    crd__text_add(out, k->arrow[grid->column(grid->self, c).direction]);
    out->failed |= heading.failed;
    crd__text_clear(&heading);
  }
}

void crd__report_grid_markdown(crd__text *out, const crd__report_grid *grid) {
  /* GitHub shows <ins>, and no <u>, as underlined. */
  static const marks markdown = {
    .begin = "| ",
    .between = " | ",
    .end = " |\n",
    .number = "",
    .number_end = "",
    .none = "-",
    .failed = "failed",
    .strong = "**",
    .strong_end = "**",
    .second = "<ins>",
    .second_end = "</ins>",
    .name = "**",
    .name_end = "**",
    .plus_minus = " \xc2\xb1 ",
    .dash = "\xe2\x80\x93",
    .star = "\\*",
    .arrow = { [CRD_LOWER_IS_BETTER] = " \xe2\x86\x93",
               [CRD_HIGHER_IS_BETTER] = " \xe2\x86\x91",
               [CRD_NEITHER_IS_BETTER] = "" },
    .add_escaped = crd__report_markdown_add,
  };
  crd__text_addf(out, "| %s", grid->corner);
  add_headings(out, grid, &markdown);
  crd__text_add(out, " |\n|:--|");
  for (size_t c = 0; c < grid->columns; c++) crd__text_add(out, "--:|");
  crd__text_add(out, "\n");
  add_lines(out, grid, &markdown);
}

void crd__report_grid_latex(crd__text *out, const crd__report_grid *grid) {
  static const marks latex = {
    .begin = "",
    .between = " & ",
    .end = " \\\\\n",
    .number = "$",
    .number_end = "$",
    .none = "--",
    .failed = "--",
    .strong = "\\mathbf{",
    .strong_end = "}",
    .second = "\\underline{",
    .second_end = "}",
    .name = "\\textbf{",
    .name_end = "}",
    .plus_minus = " \\pm ",
    .dash = "--",
    .star = "^{*}",
    .arrow = { [CRD_LOWER_IS_BETTER] = " $\\downarrow$",
               [CRD_HIGHER_IS_BETTER] = " $\\uparrow$",
               [CRD_NEITHER_IS_BETTER] = "" },
    .add_escaped = crd__report_latex_add,
  };
  crd__text_add(out, CRD__LATEX_NEEDS "\\begin{tabular}{l");
  for (size_t c = 0; c < grid->columns; c++) crd__text_add(out, "r");
  crd__text_addf(out, "}\n\\toprule\n%s", grid->corner);
  add_headings(out, grid, &latex);
  crd__text_add(out, " \\\\\n\\midrule\n");
  add_lines(out, grid, &latex);
  crd__text_add(out, "\\bottomrule\n\\end{tabular}\n");
}
