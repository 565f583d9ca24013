/* preds.c -- operands [NAME=]PRED: names of models. */
#include "preds.h"
#include "option.h"

#include <stdlib.h>
#include <string.h>

/* Returns the '=' after NAME; NULL: the operand is PRED alone. A name has no '/', so that a folder
 * called lr=0.1 is not taken for one. */
static const char *equals_of(cli_session *session, const char *operand) {
  const char *const equals = strchr(operand, '=');
  if (!equals || equals == operand || !equals[1] || cli_pred_exists(session, operand)) return NULL;
  const char *const slash = strchr(operand, '/');
  return slash && slash < equals ? NULL : equals;
}

static bool ends_with(const char *text, size_t length, const char *ending) {
  const size_t size = strlen(ending);
  return length > size && strncmp(text + length - size, ending, size) == 0;
}

/* Copies the file's name without folder and extension; of a list of files, all of it. Returns the
 * size of the copy. */
static size_t copy_stem(char *out, const char *path) {
  const bool several = strchr(path, ',') != NULL;
  size_t length = several ? strlen(path) : strcspn(path, "#@"), dot = 0;
  const char *begin = path;
  for (size_t i = 0; !several && i + 1 < length; i++)
    if (path[i] == '/') begin = path + i + 1;
  length -= (size_t)(begin - path);
  if (ends_with(begin, length, ".gz")) length -= 3;
  for (size_t i = 1; !several && i < length; i++)
    if (begin[i] == '.') dot = i;
  if (dot) length = dot;
  memcpy(out, begin, length);
  out[length] = '\0';
  return length + 1;
}

static void use_whole_if_shared(cli_preds *preds) {
  for (size_t i = 0; i < preds->count; i++)
    for (size_t j = 0; j < preds->count; j++) {
      const bool shared = i != j && strcmp(preds->items[i].name, preds->items[j].name) == 0;
      if (shared && !preds->items[i].named) preds->items[i].name = preds->items[i].path;
      if (shared && !preds->items[j].named) preds->items[j].name = preds->items[j].path;
    }
}

static crd_status check_names(cli_session *session, const cli_preds *preds) {
  for (size_t i = 0; i < preds->count; i++)
    for (size_t j = 0; j < i; j++)
      if (strcmp(preds->items[i].name, preds->items[j].name) == 0)
        return cli_refuse(session, "two models are called '%.200s': name them as NAME=PRED",
                          preds->items[i].name);
  return CRD_OK;
}

crd_status cli_preds_read(cli_session *session, const cli_words *operands, cli_preds *out) {
  size_t bytes = 1;
  for (size_t i = 0; i < operands->count; i++) bytes += strlen(operands->items[i]) + 1;
  *out = (cli_preds){ .items = calloc(operands->count + 1, sizeof *out->items),
                      .text = calloc(bytes, 1) };
  if (!out->items || !out->text) {
    snprintf(session->message, sizeof session->message, "out of memory");
    return CRD_ENOMEM;
  }
  char *text = out->text;
  for (; out->count < operands->count; out->count++) {
    const char *const operand = operands->items[out->count];
    const char *const equals = equals_of(session, operand);
    out->items[out->count] =
        (cli_pred){ .name = text, .path = equals ? equals + 1 : operand, .named = equals };
    if (equals) memcpy(text, operand, (size_t)(equals - operand));
    text += equals ? (size_t)(equals - operand) + 1 : copy_stem(text, operand);
  }
  use_whole_if_shared(out);
  return check_names(session, out);
}

void cli_preds_clear(cli_preds *preds) {
  free(preds->items);
  free(preds->text);
  *preds = (cli_preds){ .count = 0 };
}
