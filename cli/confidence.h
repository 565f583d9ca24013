/*
 * confidence.h -- credence train-confidence: its arguments, what it makes of them, and how it is
 * shown.
 *
 *   cmd_train_confidence.c  the options, and the course of a run
 *   confidence_page.c       lines of epochs, the summary
 *   confidence_settings_page.c  its settings in `credence list`
 */
#ifndef CLI_CONFIDENCE_H
#define CLI_CONFIDENCE_H

#include "data_options.h"
#include "feeding.h"

typedef struct {
  const char *model, *data, *output, *tensor, *validate;
  cli_joined settings;
  cli_feeding feeding;
  cli_data opening;
  unsigned seed;
  bool json, quiet;
} cli_confidence_args;

/* Writes the line of an epoch to standard output at once. */
void cli_confidence_line(const cli_confidence_args *args, const crd_confidnet_epoch *epoch);
/* Writes what became of the run. */
void cli_confidence_text(FILE *out, const cli_confidence_args *args,
                         const crd_confidnet_summary *s);
void cli_confidence_json(FILE *out, const cli_confidence_args *args,
                         const crd_confidnet_summary *s);

/* Settings in `credence list`. */
const char *cli_confidence_setting_word(size_t index);
void cli_confidence_setting_row(FILE *out, size_t index);
void cli_confidence_setting_json(FILE *out, size_t index);
void cli_confidence_setting_markdown(FILE *out, size_t index);

#endif
