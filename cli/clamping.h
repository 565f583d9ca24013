/* clamping.h -- credence clamp: from arguments to a fitted clamp, and how it is shown. */
#ifndef CLI_CLAMPING_H
#define CLI_CLAMPING_H

#include "data_options.h"
#include "feeding.h"

typedef struct {
  const char *model, *data, *output, *recipe, *select, *augment, *tensor, *delta;
  cli_joined settings;
  cli_feeding feeding;
  cli_data opening;
  unsigned seed;
  bool json, quiet;
} cli_clamp_args;

/* Everything that a fit needs; all zero is empty. */
typedef struct {
  const cli_clamp_args *args;
  crd_model *model, *classifier; /* as given; up to its logits, or NULL: the same */
  crd_model *before, *after;     /* with --tensor: the classifier's parts; else NULL */
  crd_encoding *own;             /* of the model; NULL: none */
  crd_encoding scale;            /* of the options, or else of the model */
  cli_channels channels;
  crd_dataset *data;
  crd_network *encoder, *network; /* encoder: with --tensor; else NULL */
  crd_clamp *clamp;
} cli_clamping;

/* Opens model and data, and compiles the model up to its logits. Release with clear, also after
 * failure. */
crd_status cli_clamping_open(cli_session *session, const cli_clamp_args *args, cli_clamping *out);
/* Opens other data for the same network; the caller destroys them, also after failure. */
crd_status cli_clamping_open_more(cli_session *session, const cli_clamping *clamping,
                                  const char *data, crd_dataset **out);
/* Opens, compiles, fits. */
crd_status cli_clamping_fit(cli_session *session, const cli_clamp_args *args, cli_clamping *out);
void cli_clamping_clear(cli_clamping *clamping);

/* clamp_check.c: each fails with an error message that names the files. */

/* Unknown settings, and --augment without mini-batches. */
crd_status cli_clamp_check_settings(cli_session *session, const cli_clamp_args *args);
/* A model without exactly one input, or, without --tensor, one of another type than float32. */
crd_status cli_clamp_check_input(cli_session *session, const cli_clamping *clamping);
/* Data without labels, or with samples that the model does not take. */
crd_status cli_clamp_check_data(cli_session *session, const cli_clamping *clamping);
/* A model with several inputs, or that is clamped already. */
crd_status cli_clamp_check_model(cli_session *session, const crd_clamp *clamp,
                                 const crd_model *model, const char *path);
/* Returns whether the file exists and is one of 'credence clamp'. */
bool cli_clamp_is_file(const char *path);
crd_status cli_clamp_open(cli_session *session, const char *path, crd_clamp **out);

/* clamp_selection.c: how gamma was chosen; nothing, or null, if it was not. */
void cli_clamp_selection_text(FILE *out, const crd_clamp_summary *s);
void cli_clamp_selection_json(FILE *out, const crd_clamp_summary *s);

/* clamp_tensor.c: delta inside the model. */

/* Cuts the classifier at --tensor. */
crd_status cli_clamp_cut(cli_session *session, cli_clamping *clamping);
/* Turns texts into tokens of the model's vocabulary. */
crd_status cli_clamp_read_texts(cli_session *session, cli_clamping *clamping);
/* Compiles the parts for a batch of the data. */
crd_status cli_clamp_compile(cli_session *session, cli_clamping *clamping, size_t batch);

/* clamp_page.c */
void cli_clamp_show_text(FILE *out, const cli_clamp_args *args, const crd_clamp_summary *s);
void cli_clamp_show_json(FILE *out, const cli_clamp_args *args, const crd_clamp_summary *s);

#endif
