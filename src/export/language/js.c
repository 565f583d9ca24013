/* js.c -- exports a map as JavaScript source, for browsers and Node. */
#include "export/curly.h"

static const crd__export_curly_word tokens[] = {
  { 'F', "function " },
  { 'V', "function " },
  { 'N', "function " },
  { 'd', "" },
  { 'z', "" },
  { 'a', "" },
  { 'o', "" },
  { 'D', "let " },
  { 'Z', "let " },
  { 'M', "Math." },
  { 'X', "Math.max" },
  { 'Y', "Math.min" },
  { 'B', "Math.abs" },
  { 'r', "const " },
  { 'q', " = new Array($K)" },
  { 'T', "const " },
  { 't', "const " },
  { 'U', " = [" },
  { 'u', "];" },
  { 'E', "==" },
  { 'W', "-Infinity" },
  { 'H', "Math.floor((to - from) / 2)" },
  { 0, NULL },
};

/* All in one function, so that only credenceCalibrate is visible. */
static const crd__export_curly language = {
  .words = tokens,
  .file_head = "/*\n"
               " * Calibrated probabilities: $A.\n"
               " *\n"
               " * Node: const calibrate = require(\"./FILE.js\"); browsers: credenceCalibrate.\n"
               " */\n"
               "\"use strict\";\n"
               "const credenceCalibrate = (function () {\n",
  .row_head = "\n/* From $G of $K classes to { probabilities, predicted }. */\n"
              "return function (scores) {\n",
  .row_foot = "  return { probabilities: x, predicted: $P };\n"
              "};\n",
  .pair_head =
      "\n/* From the confidence in a prediction to the probability that it is correct. */\n"
      "return function (confidence) {\n",
  .pair_foot = "  return x[1];\n"
               "};\n",
  .file_foot = "})();\n"
               "if (typeof module !== \"undefined\") module.exports = credenceCalibrate;\n",
};

static crd_status js_write(crd_context *ctx, const crd__calibrator_map *map,
                           const crd__export_words *words, crd__text *out) {
  (void)ctx;
  crd__export_curly_write(&language, map, words, out);
  return CRD_OK;
}

const crd__export crd__export_js = {
  .info = { .name = "js",
            .summary = "JavaScript source with one function, for browsers and Node",
            .extension = "js" },
  .write = js_write,
};
