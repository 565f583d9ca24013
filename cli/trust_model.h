/* trust_model.h -- features of a network for `credence trust`, in temporary files. */
#ifndef CLI_TRUST_MODEL_H
#define CLI_TRUST_MODEL_H

#include "data_options.h"
#include "feeding.h"

typedef struct {
  const char *model, *tensor;
  cli_feeding feeding;
  cli_data data;
} cli_trust_model;

/* A folder of temporary files. */
typedef struct {
  char folder[256];
  struct {
    char path[300];
  } files[3];
  size_t count;
} cli_trust_files;

/* Runs the network on DATA and writes logits, labels and the tensor as features to a temporary
 * file, whose path *out is; valid until clear. */
crd_status cli_trust_predict(cli_session *session, const cli_trust_model *m, const char *data,
                             cli_trust_files *files, const char **out);
/* Removes the files. */
void cli_trust_files_clear(const cli_trust_files *files);

#endif
