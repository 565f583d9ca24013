/* c.c -- exports a map as C99 source: no allocation, no dependency but the math library. */
#include "export/curly.h"

static const crd__export_curly_word words[] = {
  { 'F', "static double " },
  { 'V', "static void " },
  { 'N', "static size_t " },
  { 'd', "double " },
  { 'z', "size_t " },
  { 'a', "const double *" },
  { 'o', "double *" },
  { 'D', "double " },
  { 'Z', "size_t " },
  { 'M', "" },
  { 'X', "fmax" },
  { 'Y', "fmin" },
  { 'B', "fabs" },
  { 'r', "double " },
  { 'q', "[$K]" },
  { 'T', "static const double " },
  { 't', "static const size_t " },
  { 'U', "[] = {" },
  { 'u', "};" },
  { 'E', "=" },
  { 'W', "-HUGE_VAL" },
  { 'H', "(to - from) / 2" },
  { 0, NULL },
};

static const crd__export_curly language = {
  .words = words,
  .file_head = "/*\n"
               " * Calibrated probabilities: $A.\n"
               " *\n"
               " * C99; link with the math library (-lm). Safe to call from many threads.\n"
               " */\n"
               "#include <math.h>\n"
               "#include <stddef.h>\n",
  .row_head = "\n/* From $G of $K classes to probabilities; returns the predicted class. Both may "
              "be the same\n"
              " * array. */\n"
              "size_t credence_calibrate(const double *scores, double *probabilities);\n\n"
              "size_t credence_calibrate(const double *scores, double *probabilities) {\n",
  .row_foot = "  for (k = 0; k < $K; k++) probabilities[k] = x[k];\n"
              "  return $P;\n"
              "}\n",
  .pair_head =
      "\n/* From the confidence in a prediction to the probability that it is correct. */\n"
      "double credence_calibrate(double confidence);\n\n"
      "double credence_calibrate(double confidence) {\n",
  .pair_foot = "  return x[1];\n"
               "}\n",
  .file_foot = "",
};

static crd_status c_write(crd_context *ctx, const crd__calibrator_map *map, const char *about,
                          crd__text *out) {
  (void)ctx;
  crd__export_curly_write(&language, map, about, out);
  return CRD_OK;
}

const crd__export crd__export_c = {
  .info = { .name = "c",
            .summary = "C99 source with one function, credence_calibrate; no allocation",
            .extension = "c" },
  .write = c_write,
};
