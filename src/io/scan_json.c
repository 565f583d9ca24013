/* scan_json.c -- converts JSON strings (RFC 8259, section 7) to UTF-8. */
#include "io/scan.h"

#include "base/utf8.h"

#include <string.h>

static bool take_hex(crd__io_scan *scan, uint32_t *out) {
  static const char digits[] = "0123456789abcdef";
  uint32_t value = 0;
  if (scan->end - scan->at < 4) return false;
  for (int i = 0; i < 4; i++) {
    const char c = scan->at[i];
    const char lower = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    const char *found = lower ? strchr(digits, lower) : NULL;
    if (!found) return false;
    value = value << 4 | (uint32_t)(found - digits);
  }
  scan->at += 4;
  *out = value;
  return true;
}

/* Reads four digits, or eight of a surrogate pair. NUL is invalid, since it ends names. */
static bool take_code(crd__io_scan *scan, uint32_t *out) {
  uint32_t low;
  if (!take_hex(scan, out)) return false;
  if (*out >> 11 != 0x1b) return *out != 0;
  if (*out >= 0xdc00 || scan->end - scan->at < 2 || memcmp(scan->at, "\\u", 2) != 0) return false;
  scan->at += 2;
  if (!take_hex(scan, &low) || low >> 10 != 0x37) return false;
  *out = 0x10000 + ((*out & 0x3ff) << 10 | (low & 0x3ff));
  return true;
}

static void add_utf8(crd__text *out, uint32_t code) {
  char bytes[4];
  crd__text_add_bytes(out, bytes, crd__utf8_encode(code, bytes));
}

static bool take_escape(crd__io_scan *scan, crd__text *out) {
  static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  uint32_t code;
  if (scan->at == scan->end || *scan->at == '\0') return false;
  const char letter = *scan->at++;
  const char *found = strchr(letters, letter);
  if (found) crd__text_add_bytes(out, &meant[found - letters], 1);
  else if (letter == 'u' && take_code(scan, &code)) add_utf8(out, code);
  else return false;
  return true;
}

crd_status crd__io_scan_json_string(crd_context *ctx, crd__io_scan *scan, crd__text *out) {
  crd__text_clear(out);
  if (!crd__io_scan_take(scan, '"')) return crd__io_scan_unexpected(ctx, scan, "a string in \"\"");
  for (;;) {
    const crd__io_scan before = *scan;
    if (scan->at == scan->end || (unsigned char)*scan->at < ' ')
      return crd__io_scan_unexpected(ctx, scan, "the rest of a string, and '\"'");
    const char c = *scan->at++;
    if (c == '"') return crd__text_status(ctx, out);
    if (c != '\\') crd__text_add_bytes(out, &c, 1);
    else if (!take_escape(scan, out)) return crd__io_scan_unexpected(ctx, &before, "a JSON escape");
  }
}
