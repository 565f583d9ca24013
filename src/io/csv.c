/*
 * csv.c -- tables as text: comma or tab, quotes, CRLF, a byte order mark, a header or none.
 *
 * Which column is what is decided once, from the first line (csv_plan.c); then the text is walked
 * once, and numbers go straight to their place in one matrix. The number of lines bounds its rows
 * and the text's length bounds both, so that it is allocated once and no small file asks for much.
 */
#include "io/csv.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/view.h"
#include "io/format.h"
#include "io/grouping.h"

#include <math.h>
#include <string.h>

static bool recognise(const unsigned char *bytes, size_t length, const char *stem) {
  const crd__format *named = crd__format_of(stem);
  if (named) return strcmp(named->info.name, "csv") == 0;
  const size_t looked = length < 4096 ? length : 4096;
  for (size_t i = 0; i < looked; i++)
    if (bytes[i] < ' ' && !strchr("\t\r\n", bytes[i])) return false;
  return memchr(bytes, '\0', looked) == NULL;
}

/* ---- The text. */

typedef struct {
  crd_context *ctx;
  const char *at, *end;
  char separator;
  size_t line;   /* as editors count, from 1 */
  size_t column; /* of the field read last, from 0 */
  bool more;     /* the line goes on after that field */
  const crd__word *names;
} reader;

static crd_status fail_at(const reader *r, size_t line, const char *found, size_t length,
                          const char *expected) {
  char name[64] = "";
  if (r->names && r->names[r->column].length < sizeof name)
    memcpy(name, r->names[r->column].text, r->names[r->column].length);
  const char *open = name[0] ? " ('" : "", *close = name[0] ? "')" : "";
  if (length == 0)
    return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu%s%s%s: found nothing, expected %s",
                     line, r->column + 1, open, name, close, expected);
  return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu%s%s%s: found '%.*s', expected %s",
                   line, r->column + 1, open, name, close, length < 40 ? (int)length : 40, found,
                   expected);
}

static bool is_blank(const reader *r, char c) {
  return c == ' ' || (c == '\t' && c != r->separator);
}

static void skip_blanks(reader *r) {
  while (r->at < r->end && is_blank(r, *r->at)) r->at++;
}

/* From the opening quote to behind the closing one. Doubled quotes inside stay doubled. */
static crd_status take_quoted(reader *r, crd__word *out) {
  const size_t line = r->line;
  const char *start = ++r->at;
  for (; r->at < r->end; r->at++) {
    r->line += *r->at == '\n';
    if (*r->at != '"') continue;
    if (r->at + 1 == r->end || r->at[1] != '"') break;
    r->at++;
  }
  if (r->at == r->end)
    return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu: a quote is opened and not closed",
                     line, r->column + 1);
  *out = (crd__word){ start, (size_t)(r->at++ - start) };
  skip_blanks(r);
  if (r->at < r->end && *r->at == '\r') r->at++;
  if (r->at == r->end || *r->at == r->separator || *r->at == '\n') return CRD_OK;
  return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu: found '%c' after a closing quote",
                   r->line, r->column + 1, *r->at);
}

static void take_plain(reader *r, crd__word *out) {
  const char *start = r->at;
  while (r->at < r->end && *r->at != r->separator && *r->at != '\n') r->at++;
  const char *stop = r->at;
  if (stop > start && stop[-1] == '\r' && (r->at == r->end || *r->at == '\n')) stop--;
  while (stop > start && is_blank(r, stop[-1])) stop--;
  *out = (crd__word){ start, (size_t)(stop - start) };
}

/* The next field, and the step over what ends it. The caller counts columns. */
static crd_status take_field(reader *r, crd__word *out) {
  skip_blanks(r);
  if (r->at < r->end && *r->at == '"') CRD_TRY(take_quoted(r, out));
  else take_plain(r, out);
  r->more = r->at < r->end && *r->at == r->separator;
  if (!r->more && r->at < r->end) r->line++;
  r->at += r->at < r->end;
  return CRD_OK;
}

/* Nothing but line ends until the end of the file. */
static bool is_finished(const reader *r) {
  const char *at = r->at;
  while (at < r->end && (*at == '\n' || *at == '\r' || *at == ' ')) at++;
  return at == r->end;
}

static size_t count_of(const char *from, const char *to, char wanted) {
  size_t count = 0;
  while (from < to && (from = memchr(from, wanted, (size_t)(to - from)))) {
    count++;
    from++;
  }
  return count;
}

static crd_status start_reader(reader *r, const crd__bundle *bundle) {
  const char *zero = memchr(bundle->bytes, '\0', bundle->length);
  r->at = (const char *)bundle->bytes;
  r->end = r->at + bundle->length;
  r->line = 1;
  if (zero)
    return crd__fail(r->ctx, CRD_EINPUT, "line %zu holds a zero byte: this is not UTF-8 text",
                     count_of(r->at, zero, '\n') + 1);
  if (bundle->length >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
  if (is_finished(r)) return crd__fail(r->ctx, CRD_EINPUT, "the file holds blank lines only");
  const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
  const size_t first = (size_t)((stop ? stop : r->end) - r->at);
  const bool tabs = crd__has_extension(bundle->stem, "tsv") || memchr(r->at, '\t', first);
  r->separator = tabs ? '\t' : ',';
  return CRD_OK;
}

/* ---- The first line. */

static crd_status read_first(reader *r, const crd_allocator *alloc, crd__word **out,
                             size_t *columns) {
  size_t capacity = 16;
  *columns = 0;
  CRD_TRY(crd__new(r->ctx, capacity, sizeof **out, "the first line", out));
  do {
    if (*columns == capacity) {
      crd__word *spans = crd__resize(alloc, *out, capacity *= 2, sizeof *spans);
      if (!spans) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu columns", capacity);
      *out = spans;
    }
    r->column = *columns;
    CRD_TRY(take_field(r, &(*out)[(*columns)++]));
  } while (r->more);
  return CRD_OK;
}

static bool is_header(const crd__word *fields, size_t columns) {
  double ignored;
  for (size_t i = 0; i < columns; i++)
    if (!crd__number_parse(fields[i].text, fields[i].length, &ignored)) return true;
  return false;
}

/* ---- The rows. */

typedef struct {
  reader r;
  crd__csv_plan plan;
  double *matrix;
  size_t rows;
  crd__words *words;  /* of each column of groups */
  crd__words classes; /* what classes are called, when no two are called the same */
} table;

/* Does this column take words that classes are called by? */
static bool takes_classes(const table *t, size_t to) {
  return t->classes.count > 0 &&
         (to == t->plan.at[CRD__LABELS] || to == t->plan.at[CRD__PREDICTED]);
}

static bool is_class(const table *t, crd__word field, double *out) {
  char name[256];
  size_t number;
  if (field.length == 0 || field.length > sizeof name) return false;
  if (!crd__words_find(&t->classes, name, crd__word_copy(&field, name), &number)) return false;
  *out = (double)number;
  return true;
}

static crd_status read_value(table *t, size_t line, crd__word field, size_t to, double *out) {
  if (to >= t->plan.groups && field.length > 0) {
    crd__words *const words = &t->words[to - t->plan.groups];
    size_t number;
    CRD_TRY(crd__words_add(t->r.ctx, words, field.text, field.length, &number));
    *out = (double)number;
    return CRD_OK;
  }
  if (crd__number_parse(field.text, field.length, out)) return CRD_OK;
  if (!takes_classes(t, to)) return fail_at(&t->r, line, field.text, field.length, "a number");
  if (is_class(t, field, out)) return CRD_OK;
  return fail_at(&t->r, line, field.text, field.length, "a number or the name of a class");
}

static crd_status ragged(const table *t, size_t line, size_t fields) {
  return crd__fail(t->r.ctx, CRD_EINPUT, "line %zu has %s%zu fields, the first line has %zu", line,
                   fields > t->plan.columns ? "at least " : "", fields, t->plan.columns);
}

static crd_status read_row(table *t) {
  const size_t line = t->r.line;
  double *row = t->matrix + t->rows * t->plan.width;
  for (size_t i = 0; i == 0 || t->r.more; i++) {
    crd__word field;
    if (i == t->plan.columns) return ragged(t, line, i + 1);
    const size_t at = t->r.line;
    t->r.column = i;
    CRD_TRY(take_field(&t->r, &field));
    if (!t->r.more && i + 1 < t->plan.columns) return ragged(t, line, i + 1);
    const size_t to = t->plan.to[i];
    if (to != CRD__NOWHERE) CRD_TRY(read_value(t, at, field, to, &row[to]));
  }
  t->rows++;
  return CRD_OK;
}

/* A number beyond 2^53 is a word like any other: as a double it would be its neighbour's too. */
static bool is_group_number(const crd__word *word, int64_t *out) {
  const int64_t most = INT64_C(1) << 53;
  return crd__integer_parse(word->text, word->length, out) && *out >= -most && *out <= most;
}

/* Groups that are all whole numbers keep them; else words are numbered as they come. */
static crd_status name_groups(table *t, size_t index, crd__entry *entry) {
  const crd__words *const words = &t->words[index];
  int64_t value;
  for (size_t i = 0; i < words->count; i++) {
    if (is_group_number(&words->items[i], &value)) continue;
    entry->word_count = words->count;
    return crd__words_copy(t->r.ctx, words, &entry->words);
  }
  for (size_t i = 0; i < t->rows; i++) {
    double *group = &t->matrix[i * t->plan.width + t->plan.groups + index];
    if (is_group_number(&words->items[(size_t)*group], &value)) *group = (double)value;
  }
  return CRD_OK;
}

/* A row in the making is preceded by as many line ends, and each of its fields ends with a byte. */
static size_t most_rows(const table *t) {
  const size_t lines = count_of(t->r.at, t->r.end, '\n') + 1;
  const size_t fit = (size_t)(t->r.end - t->r.at + 1) / t->plan.columns + 1;
  return lines < fit ? lines : fit;
}

static crd_status read_rows(table *t) {
  if (is_finished(&t->r)) return crd__fail(t->r.ctx, CRD_EINPUT, "there are no rows");
  if (t->plan.width == 0)
    return crd__fail(t->r.ctx, CRD_EINPUT, "no column is a score, a label or has another use");
  CRD_TRY(crd__new(t->r.ctx, t->plan.group_count, sizeof *t->words, "groups", &t->words));
  CRD_TRY(
      crd__new(t->r.ctx, most_rows(t) * t->plan.width, sizeof *t->matrix, "the table", &t->matrix));
  while (!is_finished(&t->r)) {
    if (t->rows % 4096 == 0 && crd__interrupted(t->r.ctx))
      return crd__fail(t->r.ctx, CRD_EINTERRUPTED, "interrupted");
    CRD_TRY(read_row(t));
  }
  return CRD_OK;
}

static crd_status add_columns(crd_context *ctx, crd__bundle *bundle, const table *t,
                              const char *name, crd_view columns) {
  crd__entry *entry;
  CRD_TRY(crd__bundle_add(ctx, bundle, name, &entry));
  bundle->entries[0].owned = t->matrix;
  entry->rank = 2;
  entry->shape[0] = t->rows;
  entry->shape[1] = columns.cols;
  entry->view = columns;
  entry->loaded = true;
  return CRD_OK;
}

static crd_view columns_at(const table *t, size_t first, size_t cols) {
  crd_view view = crd_view_make(t->matrix + first, CRD_F64, t->rows, cols);
  view.row_stride = (ptrdiff_t)(t->plan.width * sizeof *t->matrix);
  return view;
}

static crd_status add_groups(crd_context *ctx, crd__bundle *bundle, table *t, size_t index) {
  const crd__word name = t->plan.group_names[index];
  char *text;
  CRD_TRY(crd__new(ctx, name.length + 1, 1, "a name", &text));
  memcpy(text, name.text, name.length);
  crd_status status = add_columns(ctx, bundle, t, text, columns_at(t, t->plan.groups + index, 1));
  if (status == CRD_OK) status = name_groups(t, index, &bundle->entries[bundle->count - 1]);
  crd__free(&ctx->alloc, text);
  return status;
}

static crd_status add_entries(crd_context *ctx, crd__bundle *bundle, table *t) {
  for (int role = 0; role < CRD__ROLE_COUNT; role++) {
    const bool scores = role == CRD__SCORES;
    const size_t first = scores ? 0 : t->plan.at[role], cols = scores ? t->plan.scores : 1;
    if (cols > 0 && first != CRD__NOWHERE)
      CRD_TRY(add_columns(ctx, bundle, t, t->plan.key[role], columns_at(t, first, cols)));
  }
  for (size_t i = 0; i < t->plan.group_count; i++) CRD_TRY(add_groups(ctx, bundle, t, i));
  return CRD_OK;
}

/* ---- The classes' names. */

/* p0, p1, p2 ...: names that say no more than the number. */
static bool is_numbered(const crd__word *names, size_t count) {
  size_t prefix = names[0].length;
  while (prefix > 0 && names[0].text[prefix - 1] >= '0' && names[0].text[prefix - 1] <= '9')
    prefix--;
  for (size_t k = 0; k < count; k++) {
    int64_t number;
    if (names[k].length <= prefix || memcmp(names[k].text, names[0].text, prefix) != 0 ||
        !crd__integer_parse(names[k].text + prefix, names[k].length - prefix, &number) ||
        number != (int64_t)k)
      return false;
  }
  return true;
}

/* A column of scores is called what its class is; a single one speaks of two classes. */
static crd_status name_classes(table *t, crd__bundle *bundle) {
  const size_t count = t->plan.scores;
  crd__word *names;
  if (bundle->class_names || !t->plan.names || count < 2) return CRD_OK;
  CRD_TRY(crd__new(t->r.ctx, count, sizeof *names, "names", &names));
  for (size_t i = 0; i < t->plan.columns; i++)
    if (t->plan.to[i] < count) names[t->plan.to[i]] = t->plan.names[i];
  crd_status status = CRD_OK;
  if (!is_numbered(names, count)) {
    const crd__words words = { .items = names, .count = count };
    status = crd__words_copy(t->r.ctx, &words, &bundle->class_names);
    bundle->class_name_count = count;
  }
  crd__free(&t->r.ctx->alloc, names);
  return status;
}

/* Labels may be words only when each stands for one class. */
static crd_status number_classes(table *t, const crd__bundle *bundle) {
  const size_t count = bundle->class_names ? bundle->class_name_count : 0;
  size_t number;
  for (size_t k = 0; k < count; k++) {
    const char *const name = bundle->class_names[k];
    CRD_TRY(crd__words_add(t->r.ctx, &t->classes, name, strlen(name), &number));
  }
  if (t->classes.count < count) crd__words_clear(&bundle->alloc, &t->classes);
  return CRD_OK;
}

/* ---- Columns that are called like patients. */

/* A class may be called so, too: its column holds scores, which are not whole for long. */
static crd_status find_fractions(const table *t, bool *fractions) {
  enum { ROWS = 100 };
  reader r = t->r;
  for (size_t row = 0; row < ROWS && !is_finished(&r); row++)
    for (size_t i = 0; i == 0 || r.more; i++) {
      crd__word field;
      double value;
      if (i == t->plan.columns) return CRD_OK; /* reading the rows will say so */
      r.column = i;
      CRD_TRY(take_field(&r, &field));
      if (crd__number_parse(field.text, field.length, &value) && value != floor(value))
        fractions[i] = true;
    }
  return CRD_OK;
}

static crd_status make_plan(crd_context *ctx, const crd_open_options *options, table *t) {
  bool *fractions = NULL, person = false;
  for (size_t i = 0; t->plan.names && i < t->plan.columns; i++)
    person |= crd__grouping_is_person(t->plan.names[i].text, t->plan.names[i].length);
  crd_status status = CRD_OK;
  if (person) status = crd__new(ctx, t->plan.columns, sizeof *fractions, "columns", &fractions);
  if (person && status == CRD_OK) status = find_fractions(t, fractions);
  t->plan.fractions = fractions;
  if (status == CRD_OK) status = crd__csv_plan_make(ctx, options, &t->plan);
  t->plan.fractions = NULL;
  crd__free(&ctx->alloc, fractions);
  return status;
}

static crd_status read_with(crd_context *ctx, crd__bundle *bundle, const crd_open_options *options,
                            table *t, crd__word **first) {
  const reader before = t->r;
  CRD_TRY(read_first(&t->r, &bundle->alloc, first, &t->plan.columns));
  if (is_header(*first, t->plan.columns)) t->plan.names = t->r.names = *first;
  else t->r = before;
  CRD_TRY(make_plan(ctx, options, t));
  CRD_TRY(name_classes(t, bundle));
  CRD_TRY(number_classes(t, bundle));
  CRD_TRY(read_rows(t));
  return add_entries(ctx, bundle, t);
}

static crd_status read_table(crd_context *ctx, crd__bundle *bundle,
                             const crd_open_options *options) {
  table t = { .r.ctx = ctx };
  crd__word *first = NULL;
  CRD_TRY(start_reader(&t.r, bundle));
  const crd_status status = read_with(ctx, bundle, options, &t, &first);
  for (size_t i = 0; t.words && i < t.plan.group_count; i++)
    crd__words_clear(&bundle->alloc, &t.words[i]);
  crd__free(&bundle->alloc, t.words);
  crd__csv_plan_clear(&bundle->alloc, &t.plan);
  crd__words_clear(&bundle->alloc, &t.classes);
  crd__free(&bundle->alloc, first);
  if (bundle->count == 0) crd__free(&bundle->alloc, t.matrix);
  return status;
}

const crd__format crd__format_csv = {
  .info = { .name = "csv", .summary = "comma- or tab-separated text", .extensions = "csv tsv txt" },
  .copies = true,
  .recognise = recognise,
  .read = read_table,
  .write = crd__csv_write,
};
