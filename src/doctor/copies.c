/*
 * copies.c -- finds duplicated rows of scores: sorts 64-bit hashes, and compares rows with equal
 * ones.
 *
 * Rows with all scores equal, or with all probability on one class, are ignored: many samples may
 * legitimately share them.
 */
#include "data/array.h"
#include "doctor/examine.h"
#include "math/sort.h"

static uint64_t bits_of(double value) {
  const double plain = value + 0.0; /* -0 equals 0 */
  uint64_t bits;
  memcpy(&bits, &plain, sizeof bits);
  return bits;
}

/* The finaliser of SplitMix64: every bit of the input reaches every bit of the output. */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void crd__doctor_hashes_add(crd__doctor_hashes *hashes, const crd_predictions *predictions,
                            size_t row, const crd__math_row_summary *summary) {
  const size_t at = crd__data_row_at(predictions, row);
  const crd_array *const scores = &predictions->parts.scores;
  const bool one_has_all = summary->low == 0 && summary->mass == summary->top;
  uint64_t hash = 0;
  if (crd__data_cols(scores) == 1 || summary->top == summary->low || one_has_all) return;
  for (size_t k = 0; k < crd__data_cols(scores); k++)
    hash = mix(hash + 0x9e3779b97f4a7c15u + bits_of(crd__data_array_number(scores, at, k)));
  hashes->records[2 * hashes->count] = hash;
  hashes->records[2 * hashes->count++ + 1] = at;
}

static bool equal_rows(const crd_array *view, uint64_t a, uint64_t b) {
  for (size_t k = 0; k < crd__data_cols(view); k++)
    if (crd__data_array_number(view, a, k) != crd__data_array_number(view, b, k)) return false;
  return true;
}

crd__doctor_copies crd__doctor_hashes_count(const crd__doctor_hashes *hashes,
                                            const crd_predictions *predictions) {
  const crd_predictions_parts *const parts = &predictions->parts;
  const uint64_t *const records = hashes->records;
  crd__doctor_copies copies = { 0 };
  if (hashes->count == 0) return copies;
  crd__math_sort_records(hashes->records, hashes->count, 2);
  size_t first = 0;
  for (size_t i = 1; i < hashes->count; i++) {
    if (records[2 * i] != records[2 * first]) first = i;
    const uint64_t a = records[2 * first + 1], b = records[2 * i + 1];
    if (first == i || !equal_rows(&parts->scores, a, b)) continue;
    copies.same_label += equal_rows(&parts->labels, a, b);
    /* Report the pair whose second row comes first in the file. */
    if (copies.rows++ == 0 || b + parts->first_row < copies.second) {
      copies.first = a + parts->first_row;
      copies.second = b + parts->first_row;
    }
  }
  return copies;
}
