/*
 * fields.h -- struct members and their JSON keys: one table per struct, for writing and reading.
 */
#ifndef CRD_REPORT_FIELDS_H
#define CRD_REPORT_FIELDS_H

#include "base/text.h"
#include "report/stored/reader.h"

/* How one type of member is written and read. */
typedef struct {
  const char *allowed;                  /* "an integer from 0", for error messages */
  bool (*is_absent)(const void *value); /* true: it is omitted; NULL: never omitted */
  void (*write)(crd__text *out, const void *value);
  bool (*read)(const json_t *json, void *value); /* false: invalid */
} crd__report_kind;

extern const crd__report_kind crd__report_kind_count; /* size_t */
extern const crd__report_kind crd__report_kind_some;  /* size_t; null: 0 */
extern const crd__report_kind crd__report_kind_tally; /* size_t; omitted: 0 */
extern const crd__report_kind crd__report_kind_mark;  /* int; omitted: 0 */
extern const crd__report_kind crd__report_kind_small; /* unsigned */
extern const crd__report_kind
    crd__report_kind_wide; /* uint64_t; as text above 2^53, where float64 is inexact */
extern const crd__report_kind crd__report_kind_flag;   /* int */
extern const crd__report_kind crd__report_kind_number; /* double; null: NaN */
extern const crd__report_kind crd__report_kind_share;  /* the same, 0 .. 1 */
extern const crd__report_kind crd__report_kind_part;   /* the same, and never NaN */
extern const crd__report_kind crd__report_kind_extra;  /* double; omitted: NaN, null: infinite */
extern const crd__report_kind crd__report_kind_string; /* const char *; null: NULL */
extern const crd__report_kind crd__report_kind_text;   /* const char *, never NULL */
extern const crd__report_kind crd__report_kind_remark; /* const char *; omitted: NULL */
extern const crd__report_kind crd__report_kind_sha256; /* char[65] */

typedef struct {
  const char *key;
  const crd__report_kind *kind;
  size_t offset;
} crd__report_field;

/* A struct and its members that have JSON keys. */
typedef struct {
  size_t size, count;
  const crd__report_field *fields;
} crd__report_record;

/* Writes "a": 1, "b": 2, without braces. */
void crd__report_members_write(crd__text *out, const crd__report_record *record,
                               const void *object);
/* Writes an array of structs as columns: "a": [1,2], "b": [3,4]. */
void crd__report_columns_write(crd__text *out, const crd__report_record *record, const void *items,
                               size_t count);

/* Fails with EINPUT unless `json` is an object without keys other than the record's (NULL: none)
 * and `others`, separated by spaces. */
crd_status crd__report_object_check(crd__report_reader *reader, const json_t *json,
                                    const crd__report_record *record, const char *others);
/* Reads the record's members from an object; fails with EINPUT. */
crd_status crd__report_members_read(crd__report_reader *reader, const json_t *object,
                                    const crd__report_record *record, void *out);
/* Reads one member; fails with EINPUT if it is invalid, or missing and not optional. */
crd_status crd__report_member_read(crd__report_reader *reader, const json_t *object,
                                   const char *key, const crd__report_kind *kind, void *out);
/* Reads an array of structs, `*items`, from columns, which must have the same length. */
crd_status crd__report_columns_read(crd__report_reader *reader, const json_t *object,
                                    const crd__report_record *record, void *items, size_t *count);

/* ---- The tables (records.c). */

extern const crd__report_record crd__report_record_metric, crd__report_record_difference,
    crd__report_record_bin;
extern const crd__report_record crd__report_record_certificate; /* without its bounds */
extern const crd__report_record crd__report_record_fine, crd__report_record_fine_weighted,
    crd__report_record_point;
extern const crd__report_record crd__report_record_by_bins, crd__report_record_smooth;
extern const crd__report_record crd__report_record_temperature,
    crd__report_record_class; /* without their bins */
extern const crd__report_record crd__report_record_source,
    crd__report_record_provenance; /* without the sources */

/* An operating point without its target, promise and rates; their proportions; the guarantee. */
extern const crd__report_record crd__report_record_operating, crd__report_record_proportion,
    crd__report_record_guarantee;

/* The curves of a profile and their offsets in it; NULL past the end. */
typedef struct {
  const char *key;
  size_t offset;
} crd__report_curve_place;
const crd__report_curve_place *crd__report_profile_curve(size_t index);

/* A metric by the conventions of another package. */
typedef struct {
  const char *metric;
  double value, ours;
  const char *call, *why, *reason, *ours_reason;
} crd__report_compat_row;
extern const crd__report_record crd__report_record_compat;

/* A finding as text. */
typedef struct {
  const char *name, *severity, *found, *advice, *remedy;
} crd__report_finding_row;
extern const crd__report_record crd__report_record_finding;

#endif
