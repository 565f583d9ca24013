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

/* Lists the files of PRED or DATA. Suffixes that only DATA has (%0:50, ~noise=3) are cut from the
 * right until all files exist; *out is NULL if they never do. Fails without memory only. */
static crd_status find_files(cli_session *session, const char *name, crd_files **out) {
  char text[4096];
  struct stat info;
  *out = NULL;
  if (strlen(name) >= sizeof text) return CRD_OK;
  snprintf(text, sizeof text, "%s", name);
  for (;;) {
    const crd_status status = crd_files_list(session->ctx, text, out);
    if (status == CRD_ENOMEM) return status;
    if (status == CRD_OK && stat(crd_files_at(*out, 0), &info) == 0) return CRD_OK;
    crd_files_destroy(*out);
    *out = NULL;
    size_t end = strlen(text);
    while (end > 0 && !strchr("#@%~", text[end - 1])) end--;
    if (end == 0) return CRD_OK;
    text[end - 1] = '\0';
  }
}

bool cli_pred_exists(cli_session *session, const char *name) {
  crd_files *files;
  const bool found = find_files(session, name, &files) == CRD_OK && files;
  crd_files_destroy(files);
  return found;
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
  return S_ISREG(a.st_mode) && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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

/* Fails if the output is a file of PRED, which is all of the input or a part of it. */
static crd_status check_pred(cli_session *session, const cli_option *output, const char *path,
                             const char *pred, const char *input) {
  crd_files *files;
  crd_status status = find_files(session, pred, &files);
  const char *file;
  for (size_t i = 0; status == CRD_OK && files && (file = crd_files_at(files, i)); i++) {
    if (!same_file(path, file)) continue;
    if (strcmp(file, input) == 0)
      status = cli_refuse(session, "--%s would overwrite '%.200s', which is an input", output->name,
                          file);
    else
      status = cli_refuse(session, "--%s would overwrite '%.200s', a file of the input '%.200s'",
                          output->name, file, input);
  }
  crd_files_destroy(files);
  return status;
}

/* Checks the halves of CALIBRATE,TEST, each with its own group and rows. */
static crd_status check_halves(cli_session *session, const cli_option *output, const char *path,
                               const char *text, const char *input) {
  char first[4096];
  const char *const comma = strchr(text, ',');
  if (!comma || (size_t)(comma - text) >= sizeof first) return CRD_OK;
  snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
  const crd_status status = check_pred(session, output, path, first, input);
  return status == CRD_OK ? check_pred(session, output, path, comma + 1, input) : status;
}

/* The input is PRED, NAME=PRED or NAME=CALIBRATE,TEST; an existing file takes precedence. */
static crd_status check_input(cli_session *session, const cli_option *output, const char *path,
                              const char *input) {
  if (!input) return CRD_OK;
  if (cli_pred_exists(session, input)) return check_pred(session, output, path, input, input);
  const char *const equals = strchr(input, '='), *const text = equals ? equals + 1 : input;
  const crd_status status = check_pred(session, output, path, text, input);
  return status == CRD_OK ? check_halves(session, output, path, text, input) : status;
}

static crd_status check_each(cli_session *session, const cli_option *output, const char *path,
                             const char *const *inputs, size_t count) {
  crd_status status = CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    status = check_input(session, output, path, inputs[i]);
  return status;
}

static crd_status check_inputs(cli_session *session, const cli_option *output,
                               const cli_option *input, const char *arguments) {
  const char *const path = output_of(output, arguments);
  const void *const slot = arguments + input->offset;
  const cli_words *const words = slot;
  const cli_each *const each = slot;
  const bool is_read = input->kind == CLI_FILE ? !input->writes : input->kind == CLI_OPERAND;
  if (!path || input->word) return CRD_OK;
  if (input->kind == CLI_EACH) /* NAME=PRED, NAME=DATA */
    return check_each(session, output, path, each->items, each->count);
  if (!is_read) return CRD_OK;
  return input->many
             ? check_each(session, output, path, (const char *const *)words->items, words->count)
             : check_input(session, output, path, *(const char *const *)slot);
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
