/* opening.c -- from the options of a command to those of the library's call. */
#include "opening.h"

const char *cli_input_word(size_t index) {
  return index <= CRD_INPUT_PROBABILITIES ? crd_input_name((crd_input)index) : NULL;
}

const char *cli_binary_word(size_t index) {
  static const char *const words[] = { [CRD_BINARY_TOP] = "top", [CRD_BINARY_POS] = "pos", NULL };
  return words[index];
}

crd_open_options cli_opening_options(const cli_opening *opening) {
  return (crd_open_options){ .input = (crd_input)opening->input,
                             .binary = (crd_binary)opening->binary,
                             .labels = opening->labels,
                             .label_column = opening->label_column,
                             .columns = opening->columns,
                             .class_names = opening->class_names,
                             .group_by = opening->group_by,
                             .cluster = opening->cluster };
}
