/* form.h -- what an output form must supply. */
#ifndef CRD_REPORT_FORM_H
#define CRD_REPORT_FORM_H

#include "base/text.h"
#include "credence/report.h"

typedef struct {
  crd_report_form info;
  /* Draw the result. Failed appends are remembered by the text, so there is nothing to return. */
  void (*write)(const crd_result *result, const crd_report_options *options, crd__text *out);
} crd__form;

#define FORM(name) extern const crd__form crd__form_##name;
#include "report/list.h"
#undef FORM

/* "lower", "higher" or "": which values of a metric are better. */
const char *crd__direction_word(crd_direction direction);

#endif
