/* records.c -- what each struct's members are called in JSON, in the order in which they stand. */
#include "credence/contest.h"
#include "credence/report.h"
#include "report/fields.h"

#define RECORD(name, type)                                                                         \
  const crd__record crd__record_##name = { sizeof(type),                                           \
                                           sizeof name##_fields / sizeof(crd__field),              \
                                           name##_fields }

#define AT(member) offsetof(crd_metric_value, member)
static const crd__field metric_fields[] = {
  { "value", &crd__kind_number, AT(value) },
  { "low", &crd__kind_extra, AT(low) },
  { "high", &crd__kind_extra, AT(high) },
  { "noise_floor", &crd__kind_extra, AT(noise_floor) },
  { "p", &crd__kind_extra, AT(p) },
  { "reason", &crd__kind_remark, AT(reason) },
  { "interval", &crd__kind_remark, AT(interval) },
};
RECORD(metric, crd_metric_value);
#undef AT

#define AT(member) offsetof(crd_difference, member)
static const crd__field difference_fields[] = {
  { "value", &crd__kind_number, AT(value) },
  { "low", &crd__kind_extra, AT(low) },
  { "high", &crd__kind_extra, AT(high) },
  { "p", &crd__kind_extra, AT(p) },
  { "test", &crd__kind_remark, AT(test) },
  { "test_p", &crd__kind_extra, AT(test_p) },
  { "test_reason", &crd__kind_remark, AT(test_reason) },
  { "interval", &crd__kind_remark, AT(interval) },
};
RECORD(difference, crd_difference);
#undef AT

#define AT(member) offsetof(crd_reliability_bin, member)
static const crd__field bin_fields[] = {
  { "low", &crd__kind_part, AT(low) },
  { "high", &crd__kind_part, AT(high) },
  { "rows", &crd__kind_count, AT(rows) },
  { "weight", &crd__kind_part, AT(weight) },
  { "confidence", &crd__kind_share, AT(confidence) },
  { "accuracy", &crd__kind_share, AT(accuracy) },
  { "accuracy_low", &crd__kind_share, AT(accuracy_low) },
  { "accuracy_high", &crd__kind_share, AT(accuracy_high) },
  { "calibrated_low", &crd__kind_share, AT(calibrated_low) },
  { "calibrated_high", &crd__kind_share, AT(calibrated_high) },
};
RECORD(bin, crd_reliability_bin);
#undef AT

#define AT(member) offsetof(crd_certificate, member)
static const crd__field certificate_fields[] = {
  { "converged", &crd__kind_flag, AT(converged) },
  { "objective", &crd__kind_number, AT(objective) },
  { "gradient_norm", &crd__kind_number, AT(gradient_norm) },
  { "iterations", &crd__kind_small, AT(iterations) },
  { "separable", &crd__kind_flag, AT(separable) },
  { "rows_clipped", &crd__kind_count, AT(rows_clipped) },
  { "argmax_changes", &crd__kind_count, AT(argmax_changes) },
  { "values_floored", &crd__kind_tally, AT(values_floored) },
  { "suspicious", &crd__kind_mark, AT(suspicious) },
  { "note", &crd__kind_text, AT(note) },
};
RECORD(certificate, crd_certificate);
#undef AT

/* ---- Of a profile. Weights stand last, because they are left out where they are the rows. */

#define AT(member) offsetof(crd_fine_bin, member)
static const crd__field fine_weighted_fields[] = {
  { "index", &crd__kind_small, AT(index) },
  { "rows", &crd__kind_count, AT(rows) },
  { "confidence", &crd__kind_number, AT(confidence) },
  { "correct", &crd__kind_number, AT(correct) },
  { "weight", &crd__kind_number, AT(weight) },
};
RECORD(fine_weighted, crd_fine_bin);
const crd__record crd__record_fine = { sizeof(crd_fine_bin), 4, fine_weighted_fields };
#undef AT

static const crd__field point_fields[] = {
  { "x", &crd__kind_number, offsetof(crd_point, x) },
  { "y", &crd__kind_number, offsetof(crd_point, y) },
};
RECORD(point, crd_point);

#define CURVE(name)                                                                                \
  { #name, offsetof(crd_profile, name) }
const crd__curve_place *crd__profile_curve(size_t index) {
  static const crd__curve_place curves[] = {
    CURVE(roc),           CURVE(precision_right),    CURVE(precision_wrong),
    CURVE(risk_coverage), CURVE(risk_coverage_best), CURVE(density_right),
    CURVE(density_wrong),
  };
  return index < sizeof curves / sizeof *curves ? &curves[index] : NULL;
}
#undef CURVE

#define AT(member) offsetof(crd_bins_point, member)
static const crd__field by_bins_fields[] = {
  { "bins", &crd__kind_small, AT(bins) },
  { "ece", &crd__kind_number, AT(ece) },
  { "ece_debiased", &crd__kind_number, AT(ece_debiased) },
  { "aece", &crd__kind_number, AT(aece) },
  { "noise_floor", &crd__kind_number, AT(noise_floor) },
};
RECORD(by_bins, crd_bins_point);
#undef AT

#define AT(member) offsetof(crd_smooth_point, member)
static const crd__field smooth_fields[] = {
  { "confidence", &crd__kind_number, AT(confidence) },
  { "accuracy", &crd__kind_number, AT(accuracy) },
  { "low", &crd__kind_number, AT(low) },
  { "high", &crd__kind_number, AT(high) },
  { "density", &crd__kind_number, AT(density) },
};
RECORD(smooth, crd_smooth_point);
#undef AT

#define AT(member) offsetof(crd_temperature_point, member)
static const crd__field temperature_fields[] = {
  { "temperature", &crd__kind_number, AT(temperature) },
  { "nll", &crd__kind_number, AT(nll) },
  { "brier", &crd__kind_number, AT(brier) },
  { "ece", &crd__kind_number, AT(ece) },
  { "confidence", &crd__kind_number, AT(confidence) },
};
RECORD(temperature, crd_temperature_point);
#undef AT

#define AT(member) offsetof(crd_class_profile, member)
static const crd__field class_fields[] = {
  { "number", &crd__kind_count, AT(number) },
  { "name", &crd__kind_remark, AT(name) },
  { "rows", &crd__kind_count, AT(rows) },
  { "frequency", &crd__kind_number, AT(frequency) },
  { "probability", &crd__kind_number, AT(probability) },
  { "error", &crd__kind_number, AT(error) },
};
RECORD(class, crd_class_profile);
#undef AT

/* ---- The rest. */

static const crd__field source_fields[] = {
  { "name", &crd__kind_text, offsetof(crd_source, name) },
  { "bytes", &crd__kind_wide, offsetof(crd_source, bytes) },
  { "sha256", &crd__kind_sha256, offsetof(crd_source, sha256) },
};
RECORD(source, crd_source);

static const crd__field provenance_fields[] = {
  { "command", &crd__kind_remark, offsetof(crd_provenance, command) },
  { "version", &crd__kind_remark, offsetof(crd_provenance, version) },
  { "build", &crd__kind_remark, offsetof(crd_provenance, build) },
  { "seed", &crd__kind_wide, offsetof(crd_provenance, seed) },
};
RECORD(provenance, crd_provenance);

#define AT(member) offsetof(crd__compat_row, member)
static const crd__field compat_fields[] = {
  { "metric", &crd__kind_text, AT(metric) },
  { "value", &crd__kind_number, AT(value) },
  { "ours", &crd__kind_number, AT(ours) },
  { "call", &crd__kind_text, AT(call) },
  { "why", &crd__kind_text, AT(why) },
  { "reason", &crd__kind_remark, AT(reason) },
  { "ours_reason", &crd__kind_remark, AT(ours_reason) },
};
RECORD(compat, crd__compat_row);
#undef AT

#define AT(member) offsetof(crd__finding_row, member)
static const crd__field finding_fields[] = {
  { "name", &crd__kind_text, AT(name) },       { "severity", &crd__kind_text, AT(severity) },
  { "found", &crd__kind_text, AT(found) },     { "advice", &crd__kind_text, AT(advice) },
  { "remedy", &crd__kind_remark, AT(remedy) },
};
RECORD(finding, crd__finding_row);
#undef AT
