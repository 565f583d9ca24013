/*
 * exclude.c -- options that contradict each other: two forms of one output, two outputs to the same
 * file, an output that is also an input. Pipes and devices may be written to more than once.
 */
#include "option.h"

#include <string.h>
#include <sys/stat.h>

static bool is_given(const cli_option *options, const cli_option *o, uint64_t given) {
  return given >> (o - options) & 1;
}

/* ---- Mutually exclusive options. */

static bool exclude_each_other(const cli_option *a, const cli_option *b) {
  if (a->kind == CLI_SELECT && b->kind == CLI_SELECT) return a->offset == b->offset;
  return a->instead && b->instead && strcmp(a->instead, b->instead) == 0;
}

static crd_status check_choices(cli_session *session, const cli_option *options, uint64_t given) {
  for (const cli_option *a = options; a->kind != CLI_END; a++)
    for (const cli_option *b = a + 1; is_given(options, a, given) && b->kind != CLI_END; b++)
      if (is_given(options, b, given) && exclude_each_other(a, b))
        return cli_refuse(session, "--%s and --%s exclude each other", a->name, b->name);
  return CRD_OK;
}

/* ---- Files. */

static bool is_standard(const char *path) { return strcmp(path, "-") == 0; }

/* Finds the file of a name that may end with #GROUP or @FROM:TO. */
static bool find_file(const char *name, struct stat *info) {
  char path[4096];
  if (strlen(name) >= sizeof path) return false;
  snprintf(path, sizeof path, "%s", name);
  for (;;) {
    if (stat(path, info) == 0) return true;
    char *const group = strrchr(path, '#'), *const slice = strrchr(path, '@');
    char *const end = slice > group ? slice : group;
    if (!end) return false;
    *end = '\0';
  }
}

bool cli_pred_exists(const char *name) {
  struct stat info;
  return find_file(name, &info);
}

static const char *without_dot(const char *path) {
  while (path[0] == '.' && path[1] == '/') path += 2;
  return path;
}

/* Returns whether both name the same regular file. */
static bool same_file(const char *output, const char *other) {
  struct stat a, b;
  if (is_standard(output) || is_standard(other)) return false;
  if (stat(output, &a) != 0) return strcmp(without_dot(output), without_dot(other)) == 0;
  return S_ISREG(a.st_mode) && find_file(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Returns the file that an option writes to; NULL: none. */
static const char *output_of(const cli_option *o, const char *arguments) {
  const void *const slot = arguments + o->offset;
  if (!o->writes) return NULL;
  if (o->kind == CLI_FLAG) return *(const bool *)slot ? "-" : NULL;
  return *(const char *const *)slot;
}

static crd_status check_outputs(cli_session *session, const cli_option *a, const cli_option *b,
                                const char *arguments) {
  const char *const one = output_of(a, arguments), *const other = output_of(b, arguments);
  if (!one || !other) return CRD_OK;
  if (is_standard(one) && is_standard(other))
    return cli_refuse(session, "--%s and --%s both write to standard output", a->name, b->name);
  if (same_file(one, other))
    return cli_refuse(session, "--%s and --%s both write to '%.200s'", a->name, b->name, one);
  return CRD_OK;
}

static crd_status check_input(cli_session *session, const cli_option *output, const char *path,
                              const char *input) {
  const char *const equals = input ? strchr(input, '=') : NULL; /* NAME=PRED */
  const bool same = input && (same_file(path, input) || (equals && same_file(path, equals + 1)));
  if (!same) return CRD_OK;
  return cli_refuse(session, "--%s would overwrite '%.200s', which is an input", output->name,
                    input);
}

static crd_status check_inputs(cli_session *session, const cli_option *output,
                               const cli_option *input, const char *arguments) {
  const char *const path = output_of(output, arguments);
  const void *const slot = arguments + input->offset;
  const bool is_read = input->kind == CLI_FILE ? !input->writes : input->kind == CLI_OPERAND;
  if (!path || !is_read || input->word) return CRD_OK;
  if (!input->many) return check_input(session, output, path, *(const char *const *)slot);
  const cli_words *const words = slot;
  crd_status status = CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < words->count; i++)
    status = check_input(session, output, path, words->items[i]);
  return status;
}

crd_status cli_option_check(cli_session *session, const cli_command *command, const void *arguments,
                            uint64_t given) {
  const cli_option *const options = command->options;
  crd_status status = check_choices(session, options, given);
  for (const cli_option *a = options; status == CRD_OK && a->kind != CLI_END; a++)
    for (const cli_option *b = options; status == CRD_OK && b->kind != CLI_END; b++) {
      if (a < b) status = check_outputs(session, a, b, arguments);
      if (status == CRD_OK && a != b) status = check_inputs(session, a, b, arguments);
    }
  return status;
}
