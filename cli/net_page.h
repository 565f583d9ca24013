/* net_page.h -- a network as text and as JSON; the option --shape. */
#ifndef CLI_NET_PAGE_H
#define CLI_NET_PAGE_H

#include "command.h"

enum { CLI_NET_INPUTS = 32, CLI_SHAPE_TEXT = 192 };

/* Reads the shape at `text`, "3x224x224": positive integers up to a comma or the end. Returns what
 * follows the comma, or the end; NULL: invalid. */
const char *cli_net_take_shape(const char *text, crd_array *shape);

/* Parses "1x3x224x224,1x10", one shape per input, in order; the types are those of the model. Fails
 * on anything but positive integers, and if there are more shapes than inputs. */
crd_status cli_net_shapes(cli_session *session, const crd_model *model, const char *text,
                          crd_array shapes[CLI_NET_INPUTS], size_t *count);

/* Returns "1 x 3 x 224 x 224"; open dimensions by name, or '?'. `names` may be NULL. */
const char *cli_net_shape(char text[static CLI_SHAPE_TEXT], size_t rank, const int64_t *dims,
                          const char *const *names);

/* What an operator's backward pass supports: "x w" (inputs, parameters), "x" or "-". */
const char *cli_net_back(const crd_operator_info *info);

void cli_net_text(FILE *out, const char *path, const crd_model *model, const crd_survey *survey,
                  bool nodes);
void cli_net_json(FILE *out, const char *path, const crd_model *model, const crd_survey *survey);

#endif
