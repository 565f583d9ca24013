/*
 * c.c -- exports a map as C99 source: no allocation, no dependency but the math library.
 *
 * In double, or in float32 for processors without double arithmetic: then every constant, variable
 * and function of <math.h> is float's, so that nothing is promoted.
 */
#include "base/number.h"
#include "export/curly.h"

#include <float.h>
#include <math.h>

#define WORDS(real, suffix, infinity)                                                              \
  {                                                                                                \
    { 'F', "static " real " " }, { 'V', "static void " }, { 'N', "static size_t " },               \
        { 'd', real " " }, { 'z', "size_t " }, { 'a', "const " real " *" }, { 'o', real " *" },    \
        { 'D', real " " }, { 'Z', "size_t " }, { 'M', "" }, { 'S', suffix },                       \
        { 'X', "fmax" suffix }, { 'Y', "fmin" suffix }, { 'B', "fabs" suffix }, { 'r', real " " }, \
        { 'q', "[$K]" }, { 'T', "static const " real " " }, { 't', "static const size_t " },       \
        { 'U', "[] = {" }, { 'u', "};" }, { 'E', "=" }, { 'W', "-" infinity },                     \
        { 'H', "(to - from) / 2" }, { 'R', real }, { 0, NULL },                                    \
  }
static const crd__export_curly_word words_double[] = WORDS("double", "", "HUGE_VAL");
static const crd__export_curly_word words_float32[] = WORDS("float", "f", "HUGE_VALF");

#define ROW "size_t $C_calibrate(const $R *scores, $R *probabilities)"
#define PAIR "$R $C_calibrate($R confidence)"
#define HEADER_HEAD                                                                                \
  "/*\n"                                                                                           \
  " * Calibrated probabilities: $A.\n"                                                             \
  " */\n"                                                                                          \
  "#ifndef $Q_CALIBRATE_H\n"                                                                       \
  "#define $Q_CALIBRATE_H\n\n"
#define CPLUSPLUS                                                                                  \
  "#ifdef __cplusplus\n"                                                                           \
  "extern \"C\" {\n"                                                                               \
  "#endif\n\n"
#define HEADER_FOOT                                                                                \
  "\n#ifdef __cplusplus\n"                                                                         \
  "}\n"                                                                                            \
  "#endif\n"                                                                                       \
  "#endif\n"

#define LANGUAGE(the_words, is_float32)                                                            \
  {                                                                                                \
    .words = the_words, .float32 = is_float32,                                                     \
    .file_head = "/*\n"                                                                            \
                 " * Calibrated probabilities: $A.\n"                                              \
                 " *\n"                                                                            \
                 " * C99; link with the math library (-lm). Safe to call from many threads.\n"     \
                 " */\n"                                                                           \
                 "#include <math.h>\n"                                                             \
                 "#include <stddef.h>\n",                                                          \
    .row_head = "\n/* From $G of $K classes to probabilities; returns the predicted class. Both "  \
                "may be the same\n"                                                                \
                " * array. */\n" ROW ";\n\n" ROW " {\n",                                           \
    .row_foot = "  for (k = 0; k < $K; k++) probabilities[k] = x[k];\n"                            \
                "  return $P;\n"                                                                   \
                "}\n",                                                                             \
    .pair_head = "\n/* From the confidence in a prediction to the probability that it is "         \
                 "correct. */\n" PAIR ";\n\n" PAIR " {\n",                                         \
    .pair_foot = "  return x[1];\n"                                                                \
                 "}\n",                                                                            \
    .file_foot = "",                                                                               \
    .row_header = HEADER_HEAD                                                                      \
        "#include <stddef.h>\n\n" CPLUSPLUS                                                        \
        "/* Number of classes: the length of both arrays. */\n"                                    \
        "#define $Q_CLASSES $K\n\n"                                                                \
        "/**\n"                                                                                    \
        " * Computes calibrated probabilities from $G; returns the predicted class, from 0.\n"     \
        " * Both may be the same array. Safe to call from many threads.\n"                         \
        " */\n" ROW ";\n" HEADER_FOOT,                                                             \
    .pair_header = HEADER_HEAD CPLUSPLUS                                                           \
        "/**\n"                                                                                    \
        " * Returns the probability that a prediction with this confidence is correct.\n"          \
        " * Safe to call from many threads.\n"                                                     \
        " */\n" PAIR ";\n" HEADER_FOOT,                                                            \
  }
static const crd__export_curly in_double = LANGUAGE(words_double, false);
static const crd__export_curly in_float32 = LANGUAGE(words_float32, true);

static const crd__export_curly *language_of(const crd__export_words *words) {
  return words->float32 ? &in_float32 : &in_double;
}

/* A curve that is extrapolated divides by the lengths of its first and its last segment. */
static bool collapses(const crd__calibrator_step *step) {
  const double *const a = step->a.values;
  const size_t last = step->a.start[step->parts] - 1;
  return step->op == CRD__BENT &&
         ((float)a[0] == (float)a[1] || (float)a[last - 1] == (float)a[last]);
}

static crd_status check_operand(crd_context *ctx, const crd__calibrator_operand *operand,
                                size_t parts) {
  char found[CRD__NUMBER_SIZE];
  for (size_t i = 0; i < operand->start[parts]; i++)
    if (fabs(operand->values[i]) > (double)FLT_MAX)
      return crd__fail(ctx, CRD_EUSAGE,
                       "a parameter of the calibrator is %s, float32 has numbers up to 3.4e38",
                       crd__number_brief(found, operand->values[i], 3));
  return CRD_OK;
}

static crd_status check_float32(crd_context *ctx, const crd__calibrator_map *map) {
  for (size_t i = 0; i < map->count; i++) {
    const crd__calibrator_step *const step = &map->steps[i];
    CRD_TRY(check_operand(ctx, &step->a, step->parts));
    CRD_TRY(check_operand(ctx, &step->b, step->parts));
    if (collapses(step))
      return crd__fail(ctx, CRD_EUSAGE,
                       "two knots of the calibrator's curve are the same number in float32");
  }
  return CRD_OK;
}

static crd_status c_write(crd_context *ctx, const crd__calibrator_map *map,
                          const crd__export_words *words, crd__text *out) {
  if (words->float32) CRD_TRY(check_float32(ctx, map));
  crd__export_curly_write(language_of(words), map, words, out);
  return CRD_OK;
}

static void c_write_header(const crd__calibrator_map *map, const crd__export_words *words,
                           crd__text *out) {
  crd__export_curly_header(language_of(words), map, words, out);
}

const crd__export crd__export_c = {
  .info = { .name = "c",
            .summary = "C99 source with one function, credence_calibrate; no allocation",
            .extension = "c" },
  .name = "credence",
  .float32 = true,
  .write = c_write,
  .write_header = c_write_header,
};
