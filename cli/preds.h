/* preds.h -- operands [NAME=]PRED: several models, each with a name for tables. */
#ifndef CLI_PREDS_H
#define CLI_PREDS_H

#include "command.h"

typedef struct {
  const char *name; /* of the model, for people */
  const char *path; /* PRED */
  bool named;       /* by NAME= */
} cli_pred;

typedef struct {
  cli_pred *items;
  size_t count;
  char *text; /* memory of the names */
} cli_preds;

/*
 * Takes the operands apart. Without NAME=, a model is called as its file, without folder and
 * extension, or as all of PRED if another one would have the same name. A file whose own name has a
 * '=' takes precedence. Fails with EUSAGE if two models have the same name. Release with clear,
 * also after failure; paths are borrowed from the operands.
 */
crd_status cli_preds_read(cli_session *session, const cli_words *operands, cli_preds *out);
void cli_preds_clear(cli_preds *preds);

#endif
