/* opening.c -- options that open predictions: for the library, and spelled for a shell. */
#include "opening.h"
#include "option.h"
#include "page.h"

#include <stddef.h>
#include <string.h>

const char *cli_input_word(size_t index) {
  return index <= CRD_INPUT_PROBABILITIES ? crd_input_name((crd_input)index) : NULL;
}

const char *cli_binary_word(size_t index) {
  static const char *const words[] = { [CRD_BINARY_TOP] = "top", [CRD_BINARY_POS] = "pos", NULL };
  return words[index];
}

crd_open_options cli_opening_options(const cli_opening *opening) {
  return (crd_open_options){ .size = sizeof(crd_open_options),
                             .input = (crd_input)opening->input,
                             .binary = (crd_binary)opening->binary,
                             .labels = opening->labels,
                             .scores = opening->scores,
                             .label_key = opening->label_key,
                             .label_column = opening->label_column,
                             .columns = opening->columns,
                             .class_names = opening->class_names,
                             .group_by = opening->group_by,
                             .cluster = opening->cluster };
}

/* The options that all commands which open predictions share. */
typedef struct {
  cli_opening opening;
} opening_args;

const cli_option cli_opening_table[] = { CLI_OPENING_OPTIONS(opening_args, opening),
                                         { .kind = CLI_END } };

void cli_opening_spell(FILE *out, const char *command, const char *path,
                       const cli_opening *opening) {
  const opening_args args = { *opening };
  fprintf(out, "credence %s ", command);
  cli_page_shell(out, path);
  cli_option_spell(out, cli_opening_table, &args);
  if (strcmp(path, "-") == 0) fputs(" < FILE", out);
}
