/* records.c -- the JSON keys of each struct's members, in the order they are written. */
#include "credence/contest.h"
#include "credence/operating.h"
#include "credence/report.h"
#include "report/fields.h"

#define RECORD(name, type)                                                                         \
  const crd__report_record crd__report_record_##name = {                                           \
    sizeof(type), sizeof name##_fields / sizeof(crd__report_field), name##_fields                  \
  }

#define AT(member) offsetof(crd_metric_value, member)
static const crd__report_field metric_fields[] = {
  { "value", &crd__report_kind_number, AT(value) },
  { "low", &crd__report_kind_extra, AT(low) },
  { "high", &crd__report_kind_extra, AT(high) },
  { "noise_floor", &crd__report_kind_extra, AT(noise_floor) },
  { "p", &crd__report_kind_extra, AT(p) },
  { "reason", &crd__report_kind_remark, AT(reason) },
  { "interval", &crd__report_kind_remark, AT(interval) },
};
RECORD(metric, crd_metric_value);
#undef AT

#define AT(member) offsetof(crd_difference, member)
static const crd__report_field difference_fields[] = {
  { "value", &crd__report_kind_number, AT(value) },
  { "low", &crd__report_kind_extra, AT(low) },
  { "high", &crd__report_kind_extra, AT(high) },
  { "p", &crd__report_kind_extra, AT(p) },
  { "test", &crd__report_kind_remark, AT(test) },
  { "test_p", &crd__report_kind_extra, AT(test_p) },
  { "test_reason", &crd__report_kind_remark, AT(test_reason) },
  { "interval", &crd__report_kind_remark, AT(interval) },
};
RECORD(difference, crd_difference);
#undef AT

#define AT(member) offsetof(crd_reliability_bin, member)
static const crd__report_field bin_fields[] = {
  { "low", &crd__report_kind_part, AT(low) },
  { "high", &crd__report_kind_part, AT(high) },
  { "rows", &crd__report_kind_count, AT(rows) },
  { "weight", &crd__report_kind_part, AT(weight) },
  { "confidence", &crd__report_kind_share, AT(confidence) },
  { "accuracy", &crd__report_kind_share, AT(accuracy) },
  { "accuracy_low", &crd__report_kind_share, AT(accuracy_low) },
  { "accuracy_high", &crd__report_kind_share, AT(accuracy_high) },
  { "calibrated_low", &crd__report_kind_share, AT(calibrated_low) },
  { "calibrated_high", &crd__report_kind_share, AT(calibrated_high) },
};
RECORD(bin, crd_reliability_bin);
#undef AT

#define AT(member) offsetof(crd_certificate, member)
static const crd__report_field certificate_fields[] = {
  { "converged", &crd__report_kind_flag, AT(converged) },
  { "objective", &crd__report_kind_number, AT(objective) },
  { "gradient_norm", &crd__report_kind_number, AT(gradient_norm) },
  { "iterations", &crd__report_kind_small, AT(iterations) },
  { "separable", &crd__report_kind_flag, AT(separable) },
  { "rows_clipped", &crd__report_kind_count, AT(rows_clipped) },
  { "argmax_changes", &crd__report_kind_count, AT(argmax_changes) },
  { "values_floored", &crd__report_kind_tally, AT(values_floored) },
  { "suspicious", &crd__report_kind_mark, AT(suspicious) },
  { "note", &crd__report_kind_text, AT(note) },
};
RECORD(certificate, crd_certificate);
#undef AT

#define AT(member) offsetof(crd_operating_point, member)
static const crd__report_field operating_fields[] = {
  { "threshold", &crd__report_kind_number, AT(threshold) },
  { "coverage", &crd__report_kind_part, AT(coverage.value) },
  { "coverage_low", &crd__report_kind_share, AT(coverage.low) },
  { "coverage_high", &crd__report_kind_share, AT(coverage.high) },
  { "risk", &crd__report_kind_share, AT(risk.value) },
  { "low", &crd__report_kind_share, AT(risk.low) },
  { "high", &crd__report_kind_share, AT(risk.high) },
  { "errors", &crd__report_kind_number, AT(risk.count) },
  { "accepted", &crd__report_kind_count, AT(accepted) },
  { "n", &crd__report_kind_count, AT(rows) },
  { "reason", &crd__report_kind_remark, AT(reason) },
  { "promised", &crd__report_kind_extra, AT(promised) },
};
RECORD(operating, crd_operating_point);
#undef AT

#define AT(member) offsetof(crd_proportion, member)
static const crd__report_field proportion_fields[] = {
  { "value", &crd__report_kind_share, AT(value) },
  { "low", &crd__report_kind_share, AT(low) },
  { "high", &crd__report_kind_share, AT(high) },
  { "count", &crd__report_kind_number, AT(count) },
  { "total", &crd__report_kind_number, AT(total) },
};
RECORD(proportion, crd_proportion);
#undef AT

#define AT(member) offsetof(crd_operating_table, member)
static const crd__report_field guarantee_fields[] = {
  { "interval", &crd__report_kind_text, AT(interval) },
  { "chosen_rows", &crd__report_kind_count, AT(chosen_rows) },
  { "measured_rows", &crd__report_kind_count, AT(measured_rows) },
  { "text", &crd__report_kind_text, AT(text) },
};
RECORD(guarantee, crd_operating_table);
#undef AT

/* ---- Parts of a profile. Weights come last: they are omitted where all rows weigh 1. */

#define AT(member) offsetof(crd_fine_bin, member)
static const crd__report_field fine_weighted_fields[] = {
  { "index", &crd__report_kind_small, AT(index) },
  { "rows", &crd__report_kind_count, AT(rows) },
  { "confidence", &crd__report_kind_number, AT(confidence) },
  { "correct", &crd__report_kind_number, AT(correct) },
  { "weight", &crd__report_kind_number, AT(weight) },
};
RECORD(fine_weighted, crd_fine_bin);
const crd__report_record crd__report_record_fine = { sizeof(crd_fine_bin), 4,
                                                     fine_weighted_fields };
#undef AT

static const crd__report_field point_fields[] = {
  { "x", &crd__report_kind_number, offsetof(crd_point, x) },
  { "y", &crd__report_kind_number, offsetof(crd_point, y) },
};
RECORD(point, crd_point);

#define CURVE(name)                                                                                \
  { #name, offsetof(crd_profile, name) }
const crd__report_curve_place *crd__report_profile_curve(size_t index) {
  static const crd__report_curve_place curves[] = {
    CURVE(roc),           CURVE(precision_right),    CURVE(precision_wrong),
    CURVE(risk_coverage), CURVE(risk_coverage_best), CURVE(density_right),
    CURVE(density_wrong),
  };
  return index < sizeof curves / sizeof *curves ? &curves[index] : NULL;
}
#undef CURVE

#define AT(member) offsetof(crd_bins_point, member)
static const crd__report_field by_bins_fields[] = {
  { "bins", &crd__report_kind_small, AT(bins) },
  { "ece", &crd__report_kind_number, AT(ece) },
  { "ece_debiased", &crd__report_kind_number, AT(ece_debiased) },
  { "aece", &crd__report_kind_number, AT(aece) },
  { "noise_floor", &crd__report_kind_number, AT(noise_floor) },
};
RECORD(by_bins, crd_bins_point);
#undef AT

#define AT(member) offsetof(crd_smooth_point, member)
static const crd__report_field smooth_fields[] = {
  { "confidence", &crd__report_kind_number, AT(confidence) },
  { "accuracy", &crd__report_kind_number, AT(accuracy) },
  { "low", &crd__report_kind_number, AT(low) },
  { "high", &crd__report_kind_number, AT(high) },
  { "density", &crd__report_kind_number, AT(density) },
};
RECORD(smooth, crd_smooth_point);
#undef AT

#define AT(member) offsetof(crd_temperature_point, member)
static const crd__report_field temperature_fields[] = {
  { "temperature", &crd__report_kind_number, AT(temperature) },
  { "nll", &crd__report_kind_number, AT(nll) },
  { "brier", &crd__report_kind_number, AT(brier) },
  { "ece", &crd__report_kind_number, AT(ece) },
  { "confidence", &crd__report_kind_number, AT(confidence) },
};
RECORD(temperature, crd_temperature_point);
#undef AT

#define AT(member) offsetof(crd_class_profile, member)
static const crd__report_field class_fields[] = {
  { "number", &crd__report_kind_count, AT(number) },
  { "name", &crd__report_kind_remark, AT(name) },
  { "rows", &crd__report_kind_count, AT(rows) },
  { "frequency", &crd__report_kind_number, AT(frequency) },
  { "probability", &crd__report_kind_number, AT(probability) },
  { "error", &crd__report_kind_number, AT(error) },
};
RECORD(class, crd_class_profile);
#undef AT

/* ---- Provenance, conventions, findings. */

static const crd__report_field source_fields[] = {
  { "name", &crd__report_kind_text, offsetof(crd_source, name) },
  { "bytes", &crd__report_kind_wide, offsetof(crd_source, bytes) },
  { "sha256", &crd__report_kind_sha256, offsetof(crd_source, sha256) },
};
RECORD(source, crd_source);

static const crd__report_field provenance_fields[] = {
  { "command", &crd__report_kind_remark, offsetof(crd_provenance, command) },
  { "version", &crd__report_kind_remark, offsetof(crd_provenance, version) },
  { "build", &crd__report_kind_remark, offsetof(crd_provenance, build) },
  { "seed", &crd__report_kind_wide, offsetof(crd_provenance, seed) },
};
RECORD(provenance, crd_provenance);

#define AT(member) offsetof(crd__report_compat_row, member)
static const crd__report_field compat_fields[] = {
  { "metric", &crd__report_kind_text, AT(metric) },
  { "value", &crd__report_kind_number, AT(value) },
  { "ours", &crd__report_kind_number, AT(ours) },
  { "call", &crd__report_kind_text, AT(call) },
  { "why", &crd__report_kind_text, AT(why) },
  { "reason", &crd__report_kind_remark, AT(reason) },
  { "ours_reason", &crd__report_kind_remark, AT(ours_reason) },
};
RECORD(compat, crd__report_compat_row);
#undef AT

#define AT(member) offsetof(crd__report_finding_row, member)
static const crd__report_field finding_fields[] = {
  { "name", &crd__report_kind_text, AT(name) },
  { "severity", &crd__report_kind_text, AT(severity) },
  { "found", &crd__report_kind_text, AT(found) },
  { "advice", &crd__report_kind_text, AT(advice) },
  { "remedy", &crd__report_kind_remark, AT(remedy) },
};
RECORD(finding, crd__report_finding_row);
#undef AT
