/* metric.c -- the table of metrics, made from list.h, and functions that many of them use. */
#include "metric/metric.h"
#include "base/table.h"

#include <string.h>

#define METRIC(name) extern const crd__metric crd__metric_##name;
#include "metric/kind/list.h"
#undef METRIC

static const crd__metric *const metrics[] = {
#define METRIC(name) &crd__metric_##name,
#include "metric/kind/list.h"
#undef METRIC
};

const crd__metric *crd__metric_at(size_t index) {
  return index < crd_metric_count() ? metrics[index] : NULL;
}

CRD_TABLE(metric, crd_metric_info, sizeof metrics / sizeof *metrics, &metrics[index]->info)
CRD_TABLE_NAME(metric)

const crd__names crd__metric_names = { .unknown = "no metric is called",
                                       .lister = "crd_metric_at",
                                       .at = metric_name };

/* Returns whether a comma-separated list has the word. */
static bool lists(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += strspn(at, ", ");
    if (strncmp(at, word, length) == 0 && strchr(", ", at[length])) return true;
  }
  return false;
}

int crd_metrics_recalibrated(const char *list) {
  for (size_t i = 0; list && i < crd_metric_count(); i++)
    if (metrics[i]->info.recalibrated && (lists(list, "all") || lists(list, metrics[i]->info.name)))
      return 1;
  return 0;
}

size_t crd__metric_one_cell(const crd__metric_shape *shape) {
  (void)shape;
  return 1;
}

void crd__metric_add_terms(crd__sum *cells, const crd__data_rows *rows, const double *terms) {
  for (size_t i = 0; i < rows->count; i++) crd__sum_add(cells, rows->weight[i] * terms[i]);
}

crd__metric_answer crd__metric_mean(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__sum_value(facts->cells[0]) / facts->weight);
}
