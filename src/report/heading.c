/* heading.c -- the first lines of a text report: name and shape of the data. */
#include "report/diagram.h"
#include "report/plain.h"

static void add_count(crd__text *out, size_t count, const char *one, const char *many) {
  crd__text_addf(out, "%zu %s", count, count == 1 ? one : many);
}

void crd__report_heading_add_name(crd__text *out, const crd_report_options *options,
                                  const char *name) {
  crd__report_style_add(out, options, "1");
  crd__report_text_add_plain(out, name, options->ascii);
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
}

void crd__report_heading_add(crd__text *out, const crd_report_options *options, const char *name,
                             const crd__report_shown *shown) {
  static const char *const scores[] = { [CRD_INPUT_AUTO] = "scores",
                                        [CRD_INPUT_LOGITS] = "logits",
                                        [CRD_INPUT_PROBABILITIES] = "probabilities",
                                        [CRD_INPUT_PAIRS] = "confidences of the predicted class",
                                        [CRD_INPUT_RANKING] = "ranking of the predictions" };
  if (name) crd__report_heading_add_name(out, options, name);
  add_count(out, shown->rows, "row", "rows");
  if (shown->classes) {
    crd__text_add(out, ", ");
    add_count(out, shown->classes, "class", "classes");
  }
  crd__text_addf(out, ", %s", scores[shown->input]);
}
