/* net_page.c -- the output of `net info`, from a model's inputs and outputs and its survey. */
#include "net_page.h"

#include "option.h"
#include "page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Shapes. */

const char *cli_net_shape(char text[static CLI_SHAPE_TEXT], size_t rank, const int64_t *dims,
                          const char *const *names) {
  size_t at = 0;
  snprintf(text, CLI_SHAPE_TEXT, "scalar");
  for (size_t i = 0; i < rank && at < CLI_SHAPE_TEXT; i++) {
    const char *const between = i ? " x " : "";
    if (dims[i] >= 0)
      at += (size_t)snprintf(text + at, CLI_SHAPE_TEXT - at, "%s%" PRId64, between, dims[i]);
    else
      at += (size_t)snprintf(text + at, CLI_SHAPE_TEXT - at, "%s%.20s", between,
                             names && names[i] ? names[i] : "?");
  }
  return text;
}

const char *cli_net_take_shape(const char *text, crd_array *shape) {
  while (shape->rank < CRD_RANK_MAX) {
    char *end;
    errno = 0;
    const long long n = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || errno || n < 1 || n > INT32_MAX) return NULL;
    shape->dims[shape->rank++] = n;
    if (*end == ',' || *end == '\0') return end + (*end == ',');
    if (*end != 'x') return NULL;
    text = end + 1;
  }
  return NULL;
}

crd_status cli_net_shapes(cli_session *session, const crd_model *model, const char *text,
                          crd_array shapes[CLI_NET_INPUTS], size_t *count) {
  const char *at = text;
  for (*count = 0; at && *at; ++*count) {
    const crd_port *const port = crd_model_input(model, *count);
    if (*count == CLI_NET_INPUTS || !port)
      return cli_refuse(session, "--shape is given more often than the model has inputs (%zu)",
                        *count);
    shapes[*count] = (crd_array){ .dtype = port->dtype };
    at = cli_net_take_shape(at, &shapes[*count]);
  }
  if (at) return CRD_OK;
  return cli_refuse(session, "--shape takes integers such as 1x3x224x224, found '%s'", text);
}

/* ---- Numbers with a unit. */

/* "267.7 k", and with the unit "B" "1.1 MB". */
static const char *scaled(double value, const char *unit, char text[static 24]) {
  static const char *const prefixes[] = { "", "k", "M", "G", "T" };
  size_t k = 0;
  while (value >= 999.5 && k + 1 < sizeof prefixes / sizeof *prefixes) value /= 1000, k++;
  snprintf(text, 24, k && value < 99.95 ? "%.1f%s%s%s" : "%.0f%s%s%s", value, k || *unit ? " " : "",
           prefixes[k], unit);
  return text;
}

/* ---- Operators of the model, each once. */

const char *cli_net_back(const crd_operator_info *info) {
  return !info->backward_input ? "-" : info->backward_parameters ? "x w" : "x";
}

static bool is_first(const crd_survey *survey, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (strcmp(survey->nodes[i].operation, survey->nodes[index].operation) == 0) return false;
  return true;
}

typedef struct {
  size_t nodes;
  uint64_t parameters, flops;
} operator_sum;

static operator_sum sum_of(const crd_survey *survey, const char *operation) {
  operator_sum sum = { 0 };
  for (size_t i = 0; i < survey->node_count; i++) {
    const crd_node_info *const n = &survey->nodes[i];
    if (strcmp(n->operation, operation) != 0) continue;
    sum.nodes++;
    sum.parameters += n->parameters;
    sum.flops += n->flops;
  }
  return sum;
}

static void operators_text(FILE *out, const crd_survey *survey) {
  fprintf(out, "\n  %-20s%5s%11s%11s  %-4s %s\n", "operator", "nodes", "parameters", "operations",
          "back", "supported");
  for (size_t i = 0; i < survey->node_count; i++) {
    if (!is_first(survey, i)) continue;
    const char *const name = survey->nodes[i].operation;
    const crd_operator_info *const info = crd_operator_find(name);
    const operator_sum sum = sum_of(survey, name);
    char parameters[24], flops[24], term[160];
    snprintf(term, sizeof term, "%-19.60s %5zu%11s%11s  %s", name, sum.nodes,
             scaled((double)sum.parameters, "", parameters), scaled((double)sum.flops, "", flops),
             info ? cli_net_back(info) : "");
    cli_page_entry(out, term, 56, info ? info->summary : "no");
  }
}

/* ---- The whole page. */

static void port_text(FILE *out, const char *kind, const crd_port *port) {
  char text[CLI_SHAPE_TEXT];
  fprintf(out, "  %-8s%s: %s %s\n", kind, port->name, crd_dtype_name(port->dtype),
          port->known ? cli_net_shape(text, port->rank, port->dims, port->dim_names)
                      : "of any shape");
}

static void nodes_text(FILE *out, const crd_survey *survey) {
  fprintf(out, "\n  %-28s%-20s%12s%12s  %s\n", "node", "operator", "parameters", "operations",
          "shape");
  for (size_t i = 0; i < survey->node_count; i++) {
    const crd_node_info *const n = &survey->nodes[i];
    char text[CLI_SHAPE_TEXT], parameters[24], flops[24];
    fprintf(out, "  %-27s %-20s%12s%12s  %s\n", n->name, n->operation,
            scaled((double)n->parameters, "", parameters), scaled((double)n->flops, "", flops),
            n->known ? cli_net_shape(text, n->rank, n->dims, NULL) : "?");
  }
}

static void cause_text(FILE *out, const crd_survey *survey, const crd_survey_cause *cause) {
  const char *const first = survey->nodes[cause->first].name;
  char text[1536];
  if (cause->node_count == 1)
    snprintf(text, sizeof text, "%s: node '%.100s'", cause->problem, first);
  else
    snprintf(text, sizeof text, "%s: %zu nodes, the first '%.100s'", cause->problem,
             cause->node_count, first);
  fputs("  ", out);
  cli_page_wrap(out, text, 2, 6);
}

static void problems_text(FILE *out, const crd_survey *survey) {
  if (survey->problem_count)
    fprintf(out, "\ncannot be run: %zu of %zu nodes %s unsupported", survey->problem_count,
            survey->node_count, survey->problem_count == 1 ? "is" : "are");
  if (survey->behind_count)
    fprintf(out, ", and %zu behind %s cannot be judged", survey->behind_count,
            survey->problem_count == 1 ? "it" : "them");
  if (survey->problem_count) fputc('\n', out);
  bool unsupported = false;
  for (size_t i = 0; i < survey->cause_count; i++) {
    cause_text(out, survey, &survey->causes[i]);
    unsupported =
        unsupported || !crd_operator_find(survey->nodes[survey->causes[i].first].operation);
  }
  if (unsupported) fputs("'credence list operators' lists the supported operators\n", out);
  if (survey->problem_count || !survey->problem) return;
  fputs("\ncannot be run: ", out);
  cli_page_wrap(out, survey->problem, 15, 6);
}

static void note_text(FILE *out, const crd_survey *survey) {
  if (!survey->note) return;
  fputs("\nnote: ", out);
  cli_page_wrap(out, survey->note, 6, 6);
}

static void totals_text(FILE *out, const crd_survey *survey) {
  char text[24];
  fprintf(out, "\n  parameters  %s, ", scaled((double)survey->parameters, "", text));
  fprintf(out, "%s in the file\n", scaled((double)survey->weight_bytes, "B", text));
  fprintf(out, "  operations  %s (additions and multiplications) for a batch of %zu\n",
          scaled((double)survey->flops, "", text), survey->batch);
  if (survey->memory_bytes)
    fprintf(out, "  memory      %s between the steps of a run\n",
            scaled((double)survey->memory_bytes, "B", text));
}

/* Keys and the beginning of their values, on one line: a vocabulary may be long. */
static void metadata_text(FILE *out, const crd_model *model) {
  enum { SHOWN = 60 };
  const crd_metadata *pair;
  for (size_t i = 0; (pair = crd_model_metadata_at(model, i)); i++) {
    const char *at = pair->value;
    fprintf(out, "%s  %s: ", i ? "" : "\n", pair->key);
    /* Not within a character: its other bytes are 10xxxxxx. */
    for (size_t n = 0; *at && (n < SHOWN || (*at & 0xc0) == 0x80); n++, at++)
      fputc((unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at, out);
    fputs(*at ? "...\n" : "\n", out);
  }
}

void cli_net_text(FILE *out, const char *path, const crd_model *model, const crd_survey *survey,
                  bool nodes) {
  fprintf(out, "%s: %zu nodes, operator set %" PRId64 "%s%s\n", path, survey->node_count,
          survey->opset, survey->producer && *survey->producer ? ", written by " : "",
          survey->producer ? survey->producer : "");
  for (size_t i = 0; crd_model_input(model, i); i++)
    port_text(out, "input", crd_model_input(model, i));
  for (size_t i = 0; crd_model_output(model, i); i++)
    port_text(out, "output", crd_model_output(model, i));
  (nodes ? nodes_text : operators_text)(out, survey);
  totals_text(out, survey);
  metadata_text(out, model);
  problems_text(out, survey);
  note_text(out, survey);
}

/* ---- JSON. */

static void ports_json(FILE *out, const char *key, const crd_model *model,
                       const crd_port *(*at)(const crd_model *model, size_t index)) {
  fprintf(out, ",\n  \"%s\": [", key);
  for (size_t i = 0; at(model, i); i++) {
    const crd_port *const port = at(model, i);
    fputs(i ? ",\n    {" : "\n    {", out);
    cli_page_member(out, "", "name", port->name);
    cli_page_member(out, ", ", "type", crd_dtype_name(port->dtype));
    fputs(port->known ? ", \"shape\": [" : ", \"shape\": null", out);
    for (size_t d = 0; port->known && d < port->rank; d++) {
      fputs(d ? ", " : "", out);
      if (port->dims[d] >= 0) fprintf(out, "%" PRId64, port->dims[d]);
      else if (port->dim_names[d]) cli_page_json(out, port->dim_names[d]);
      else fputs("null", out);
    }
    fputs(port->known ? "]}" : "}", out);
  }
  fputs("\n  ]", out);
}

static void metadata_json(FILE *out, const crd_model *model) {
  const crd_metadata *pair;
  for (size_t i = 0; (pair = crd_model_metadata_at(model, i)); i++) {
    fputs(i ? ",\n    {" : ",\n  \"metadata\": [\n    {", out);
    cli_page_member(out, "", "key", pair->key);
    cli_page_member(out, ", ", "value", pair->value);
    fputc('}', out);
  }
  if (crd_model_metadata_at(model, 0)) fputs("\n  ]", out);
}

static void node_json(FILE *out, const crd_node_info *n) {
  cli_page_member(out, "", "name", n->name);
  cli_page_member(out, ", ", "operator", n->operation);
  fputs(n->known ? ", \"shape\": [" : ", \"shape\": null", out);
  for (size_t d = 0; n->known && d < n->rank; d++)
    fprintf(out, "%s%" PRId64, d ? ", " : "", n->dims[d]);
  if (n->known) fputc(']', out);
  fprintf(out, ", \"parameters\": %" PRIu64 ", \"operations\": %" PRIu64, n->parameters, n->flops);
  if (n->problem) cli_page_member(out, ", ", "problem", n->problem);
  if (n->behind) fputs(", \"behind\": true", out);
}

static void causes_json(FILE *out, const crd_survey *survey) {
  fputs(",\n  \"causes\": [", out);
  for (size_t i = 0; i < survey->cause_count; i++) {
    const crd_survey_cause *const cause = &survey->causes[i];
    fputs(i ? ",\n    {" : "\n    {", out);
    cli_page_member(out, "", "problem", cause->problem);
    fprintf(out, ", \"nodes\": %zu", cause->node_count);
    cli_page_member(out, ", ", "first", survey->nodes[cause->first].name);
    fputc('}', out);
  }
  fprintf(out, "%s],\n  \"behind\": %zu", survey->cause_count ? "\n  " : "", survey->behind_count);
}

void cli_net_json(FILE *out, const char *path, const crd_model *model, const crd_survey *survey) {
  cli_page_begin(out, "network");
  cli_page_member(out, ",\n  ", "model", path);
  fprintf(out, ",\n  \"ir\": %" PRId64 ",\n  \"opset\": %" PRId64 ",\n", survey->ir, survey->opset);
  cli_page_member(out, "  ", "producer", survey->producer ? survey->producer : "");
  fprintf(out, ",\n  \"runs\": %s", survey->problem_count || survey->problem ? "false" : "true");
  if (survey->problem) cli_page_member(out, ",\n  ", "problem", survey->problem);
  causes_json(out, survey);
  fprintf(out, ",\n  \"convolutions\": %zu,\n  \"batch_norms\": %zu", survey->convolutions,
          survey->batch_norms);
  if (survey->note) cli_page_member(out, ",\n  ", "note", survey->note);
  fprintf(out,
          ",\n  \"batch\": %zu,\n  \"parameters\": %" PRIu64 ",\n  \"operations\": %" PRIu64
          ",\n  \"weight_bytes\": %" PRIu64 ",\n  \"memory_bytes\": %" PRIu64,
          survey->batch, survey->parameters, survey->flops, survey->weight_bytes,
          survey->memory_bytes);
  ports_json(out, "inputs", model, crd_model_input);
  ports_json(out, "outputs", model, crd_model_output);
  metadata_json(out, model);
  fputs(",\n  \"nodes\": [", out);
  for (size_t i = 0; i < survey->node_count; i++) {
    fputs(i ? ",\n    {" : "\n    {", out);
    node_json(out, &survey->nodes[i]);
    fputc('}', out);
  }
  fputs("\n  ]\n}\n", out);
}
