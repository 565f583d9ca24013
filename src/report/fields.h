/*
 * fields.h -- members of plain structs by their names: one table writes them as JSON, and reads
 * them again.
 */
#ifndef CRD_REPORT_FIELDS_H
#define CRD_REPORT_FIELDS_H

#include "base/text.h"
#include "report/stored/reader.h"

/* How one type of member is put into words. */
typedef struct {
  const char *allowed;                  /* "a whole number" */
  bool (*is_absent)(const void *value); /* true: it is left out; NULL: it never is */
  void (*write)(crd__text *out, const void *value);
  bool (*read)(const json_t *json, void *value); /* false: it is not what is allowed */
} crd__kind;

extern const crd__kind crd__kind_count;  /* size_t */
extern const crd__kind crd__kind_some;   /* size_t; null: 0 */
extern const crd__kind crd__kind_tally;  /* size_t; left out: 0 */
extern const crd__kind crd__kind_mark;   /* int; left out: 0 */
extern const crd__kind crd__kind_small;  /* unsigned */
extern const crd__kind crd__kind_wide;   /* uint64_t; above 2^53, where doubles end, as text */
extern const crd__kind crd__kind_flag;   /* int */
extern const crd__kind crd__kind_number; /* double; null: NaN */
extern const crd__kind crd__kind_share;  /* the same, 0 .. 1 */
extern const crd__kind crd__kind_part;   /* the same, and never NaN */
extern const crd__kind crd__kind_extra;  /* double; left out: NaN, null: infinite */
extern const crd__kind crd__kind_string; /* const char *; null: NULL */
extern const crd__kind crd__kind_text;   /* const char *, never NULL */
extern const crd__kind crd__kind_remark; /* const char *; left out: NULL */
extern const crd__kind crd__kind_sha256; /* char[65] */

typedef struct {
  const char *key;
  const crd__kind *kind;
  size_t offset;
} crd__field;

/* A struct, or those members of it that have names. */
typedef struct {
  size_t size, count;
  const crd__field *fields;
} crd__record;

/* "a": 1, "b": 2, without braces. */
void crd__members_write(crd__text *out, const crd__record *record, const void *object);
/* "a": [1,2], "b": [3,4] of an array of structs. */
void crd__columns_write(crd__text *out, const crd__record *record, const void *items, size_t count);

/* EINPUT unless it is an object that has no keys but the record's (NULL: none) and `others`,
 * separated by spaces. */
crd_status crd__object_check(crd__reader *reader, const json_t *json, const crd__record *record,
                             const char *others);
/* The record's members of an object. */
crd_status crd__members_read(crd__reader *reader, const json_t *object, const crd__record *record,
                             void *out);
/* One member of an object, which must be there unless its kind may be absent. */
crd_status crd__member_read(crd__reader *reader, const json_t *object, const char *key,
                            const crd__kind *kind, void *out);
/* An array of structs, `*items`, from its columns, which must have the same length. */
crd_status crd__columns_read(crd__reader *reader, const json_t *object, const crd__record *record,
                             void *items, size_t *count);

/* ---- The tables (records.c). */

extern const crd__record crd__record_metric, crd__record_difference, crd__record_bin;
extern const crd__record crd__record_certificate; /* without its bounds */
extern const crd__record crd__record_fine, crd__record_fine_weighted, crd__record_point;
extern const crd__record crd__record_by_bins, crd__record_smooth;
extern const crd__record crd__record_temperature, crd__record_class; /* without their bins */
extern const crd__record crd__record_source, crd__record_provenance; /* without the sources */

/* Curves of a profile, and where they stand in it; NULL past the end. */
typedef struct {
  const char *key;
  size_t offset;
} crd__curve_place;
const crd__curve_place *crd__profile_curve(size_t index);

/* A number of another package, with what it is. */
typedef struct {
  const char *metric;
  double value, ours;
  const char *call, *why, *reason, *ours_reason;
} crd__compat_row;
extern const crd__record crd__record_compat;

/* A finding by its names. */
typedef struct {
  const char *name, *severity, *found, *advice, *remedy;
} crd__finding_row;
extern const crd__record crd__record_finding;

#endif
