/* json_text.c -- JSON strings and numbers (RFC 8259). */
#include "base/json_text.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

static void add_escaped(crd__text *text, unsigned char byte) {
  static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *found = byte ? strchr(named, byte) : NULL;
  if (found) {
    crd__text_addf(text, "\\%c", letters[found - named]);
  } else {
    crd__text_addf(text, "\\u%04x", byte);
  }
}

void crd__json_add_string(crd__text *text, const char *string) {
  if (!string) {
    crd__text_add(text, "null");
    return;
  }
  crd__text_add(text, "\"");
  while (*string) {
    const unsigned char byte = (unsigned char)*string;
    const size_t length = crd__utf8_length(string);
    if (length == 0) {
      crd__text_add(text, "\xef\xbf\xbd"); /* U+FFFD unescaped: round trips of JSON keep it */
    } else if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f) {
      add_escaped(text, byte);
    } else {
      crd__text_add_bytes(text, string, length);
    }
    string += length ? length : 1;
  }
  crd__text_add(text, "\"");
}

void crd__json_add_number(crd__text *text, double value) {
  if (value == 0 && signbit(value)) {
    crd__text_add(text, "-0.0"); /* some readers parse "-0" as the integer 0 */
  } else if (isfinite(value)) {
    crd__text_add_number(text, value);
  } else {
    crd__text_add(text, "null");
  }
}
