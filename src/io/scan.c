/* scan.c -- parser of small literals. */
#include "io/scan.h"

#include "base/memory.h"

#include <string.h>

void crd__io_scan_space(crd__io_scan *scan) {
  while (scan->at < scan->end && *scan->at && strchr(" \t\n\r", *scan->at)) scan->at++;
}

bool crd__io_scan_take(crd__io_scan *scan, char wanted) {
  crd__io_scan_space(scan);
  if (scan->at == scan->end || *scan->at != wanted) return false;
  scan->at++;
  return true;
}

bool crd__io_scan_word(crd__io_scan *scan, const char *word) {
  const size_t length = strlen(word);
  crd__io_scan_space(scan);
  if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) return false;
  scan->at += length;
  return true;
}

crd_status crd__io_scan_unexpected(crd_context *ctx, const crd__io_scan *scan, const char *wanted) {
  char found[25];
  size_t n = 0;
  for (const char *p = scan->at; p < scan->end && n < sizeof found - 1; p++, n++)
    found[n] = (char)(*p >= ' ' && *p < 0x7f ? *p : '?');
  found[n] = '\0';
  return crd__fail(ctx, CRD_EINPUT, "%s: found '%s', expected %s", scan->what, found, wanted);
}

crd_status crd__io_scan_quoted(crd_context *ctx, crd__io_scan *scan, const char **text,
                               size_t *length) {
  crd__io_scan_space(scan);
  const char quote = (char)(scan->at < scan->end ? *scan->at : '\0');
  const bool opens = quote == '"' || (quote == '\'' && scan->python);
  const char *close =
      opens ? memchr(scan->at + 1, quote, (size_t)(scan->end - scan->at - 1)) : NULL;
  if (!close) return crd__io_scan_unexpected(ctx, scan, "a quoted word");
  *text = scan->at + 1;
  *length = (size_t)(close - *text);
  scan->at = close + 1;
  return CRD_OK;
}

crd_status crd__io_scan_whole(crd_context *ctx, crd__io_scan *scan, size_t *out) {
  size_t value = 0;
  crd__io_scan_space(scan);
  const char *start = scan->at;
  for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
    size_t tens;
    if (!crd__size_mul(value, 10, &tens) || !crd__size_add(tens, (size_t)(*scan->at - '0'), &value))
      return crd__fail(ctx, CRD_EINPUT, "%s: a number is too large for this machine", scan->what);
  }
  if (scan->at == start) return crd__io_scan_unexpected(ctx, scan, "an integer, 0 or more");
  *out = value;
  return CRD_OK;
}

crd_status crd__io_scan_more(crd_context *ctx, crd__io_scan *scan, char close, bool *more) {
  const char wanted[] = { '\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', close, '\'', '\0' };
  const bool comma = crd__io_scan_take(scan, ',');
  *more = comma;
  if (comma && !scan->python) return CRD_OK;
  if (crd__io_scan_take(scan, close)) *more = false;
  else if (!comma) return crd__io_scan_unexpected(ctx, scan, wanted);
  return CRD_OK;
}

typedef struct {
  const crd__io_scan_field *fields;
  size_t count;
  const char *names;
  void *self;
  unsigned seen; /* one bit for each field */
} object;

static crd_status read_field(crd_context *ctx, crd__io_scan *scan, object *o) {
  const char *text = "";
  size_t length = 0, i = 0;
  const crd__io_scan before = *scan;
  CRD_TRY(crd__io_scan_quoted(ctx, scan, &text, &length));
  while (i < o->count &&
         (strlen(o->fields[i].name) != length || memcmp(o->fields[i].name, text, length) != 0))
    i++;
  if (i == o->count || o->seen >> i & 1) return crd__io_scan_unexpected(ctx, &before, o->names);
  o->seen |= 1u << i;
  if (!crd__io_scan_take(scan, ':')) return crd__io_scan_unexpected(ctx, scan, "':'");
  return o->fields[i].read(ctx, scan, o->self);
}

crd_status crd__io_scan_object(crd_context *ctx, crd__io_scan *scan,
                               const crd__io_scan_field *fields, size_t count, const char *names,
                               void *self) {
  object o = { fields, count, names, self, 0 };
  if (!crd__io_scan_take(scan, '{')) return crd__io_scan_unexpected(ctx, scan, "'{'");
  bool more = !crd__io_scan_take(scan, '}');
  while (more) {
    CRD_TRY(read_field(ctx, scan, &o));
    CRD_TRY(crd__io_scan_more(ctx, scan, '}', &more));
  }
  if (o.seen == (1u << count) - 1) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "%s: a key is missing, expected %s", scan->what, names);
}
