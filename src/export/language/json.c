/*
 * json.c -- exports a map as data, for programs that compute it by operations of their own, such as
 * those of a framework with gradients. The words are those of map.h; docs/formats.md explains them.
 */
#include "base/json_text.h"
#include "export/export.h"

static const char *const ops[CRD__OPS] = {
  [CRD__SCALE] = "scale", [CRD__DIAGONAL] = "diagonal", [CRD__AFFINE] = "affine",
  [CRD__BENT] = "bent",   [CRD__SOFTMAX] = "softmax",   [CRD__MIX] = "mix",
  [CRD__LOG] = "log",     [CRD__ODDS] = "odds",         [CRD__LOGISTIC] = "logistic",
  [CRD__BETA] = "beta",   [CRD__STEPS] = "steps",       [CRD__LINES] = "lines",
};

static const char *const reaches[] = { [CRD__ROWS] = "rows",
                                       [CRD__ALL_EVENTS] = "all-events",
                                       [CRD__SHARED_EVENT] = "shared-event",
                                       [CRD__TOP_EVENT] = "top-event" };

static const char *const inputs[] = { [CRD_INPUT_LOGITS] = "logits",
                                      [CRD_INPUT_PROBABILITIES] = "probabilities",
                                      [CRD_INPUT_PAIRS] = "confidence" };

static void put_member(crd__text *out, const char *before, const char *name, const char *text) {
  crd__text_addf(out, "%s\"%s\": ", before, name);
  crd__json_add_string(out, text);
}

/* One list of numbers for each part. */
static void put_operand(crd__text *out, const char *name, const crd__calibrator_operand *operand,
                        size_t parts) {
  crd__text_addf(out, ", \"%s\": [", name);
  for (size_t p = 0; p < parts; p++) {
    crd__text_add(out, p ? ", [" : "[");
    for (size_t i = operand->start[p]; i < operand->start[p + 1]; i++) {
      if (i > operand->start[p]) crd__text_add(out, ", ");
      crd__json_add_number(out, operand->values[i]);
    }
    crd__text_add(out, "]");
  }
  crd__text_add(out, "]");
}

static crd_status json_write(crd_context *ctx, const crd__calibrator_map *map,
                             const crd__export_words *words, crd__text *out) {
  put_member(out, "{\n  ", "credence", "map");
  crd__text_add(out, ",\n  \"version\": 1");
  put_member(out, ",\n  ", "about", words->about);
  put_member(out, ",\n  ", "input", inputs[map->input]);
  crd__text_addf(out, ",\n  \"classes\": %zu,\n  \"normalise\": %s,\n  \"floor\": [", map->classes,
                 map->normalise ? "true" : "false");
  crd__json_add_number(out, map->floor.first);
  crd__text_add(out, ", ");
  crd__json_add_number(out, map->floor.others);
  crd__text_add(out, "]");
  put_member(out, ",\n  ", "reach", reaches[map->reach]);
  crd__text_add(out, ",\n  \"steps\": [");
  for (size_t i = 0; i < map->count; i++) {
    const crd__calibrator_step *const step = &map->steps[i];
    put_member(out, i ? ",\n    {" : "\n    {", "op", ops[step->op]);
    put_operand(out, "a", &step->a, step->parts);
    put_operand(out, "b", &step->b, step->parts);
    crd__text_add(out, "}");
  }
  crd__text_add(out, "\n  ]\n}\n");
  return crd__text_status(ctx, out);
}

const crd__export crd__export_json = {
  .info = { .name = "json",
            .summary = "the operations as data, for your own programs and frameworks",
            .extension = "json" },
  .write = json_write,
};
