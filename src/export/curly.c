/*
 * curly.c -- templates of maps in C and JavaScript.
 *
 * Both languages have the same arithmetic and loops; where they differ, a template has $ and a
 * letter, which the language's table replaces. $K is the number of classes, $n the index of the
 * step, $L its number of parameters, $A the description of the calibrator, $G the kind of input, $P
 * the predicted class, $C the prefix of the function's name, $Q the same in upper case, $f the
 * floor of class k's probability, $0 that of class 0, $1 that of the others, $g $h $j their
 * logarithms. The letters in C:
 *
 *   F V N  static double, static void, static size_t        d z a o  parameters: double, size_t,
 *   D Z    local double, size_t                                      const double *, double *
 *   M      before exp, log, log1p     X Y B  fmax fmin fabs  r q  around the name of a local row
 *   T t U u  tables of doubles, of indices, their begin and end      E  end of == and !=
 *   W      minus infinity             H  half of to - from      S  after constants and functions
 *
 * In float32 the floor of stored probabilities may round to 0, which has no logarithm; that of the
 * floor is therefore a constant there.
 */
#include "export/curly.h"
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Dependencies of a piece of code: functions, in the order of their texts below, then local
 * variables. */
enum {
  SIGMOID = 1,
  SOFTPLUS = 2,
  ARGMAX = 4,
  SOFTMAX = 8,
  ODDS = 16,
  BELOW = 32,
  LINE = 64,
  SUM = 128,
  TOP = 256,
  LARGEST = 512,
  INNER = 1024,
  ROW_Y = 2048,
  ROW_Z = 4096,
  LOOP = 8192,
  BENT = 16384
};

typedef struct {
  unsigned needs;
  const char *text;
} piece;

static const piece functions[] = {
  { SIGMOID, "\n$Fsigmoid($dx) {\n"
             "  $De = $Mexp$S(-$B(x));\n"
             "  return (x >= 0.0$S ? 1.0$S : e) / (1.0$S + e);\n"
             "}\n" },
  { SOFTPLUS, "\n/* log(1 + exp(x)) */\n"
              "$Fsoftplus($dx) {\n"
              "  return $X(x, 0.0$S) + $Mlog1p$S($Mexp$S(-$B(x)));\n"
              "}\n" },
  { ARGMAX, "\n$Nargmax($ax) {\n"
            "  $Ztop = 0, k;\n"
            "  for (k = 1; k < $K; k++)\n"
            "    if (x[k] > x[top]) top = k;\n"
            "  return top;\n"
            "}\n" },
  { SOFTMAX, "\n/* out = softmax(scale x); out may be x */\n"
             "$Vsoftmax($ax, $dscale, $oout) {\n"
             "  $Dtop = x[0], mass = 0.0$S;\n"
             "  $Zk;\n"
             "  for (k = 1; k < $K; k++) top = $X(top, x[k]);\n"
             "  for (k = 0; k < $K; k++) mass += out[k] = $Mexp$S(scale * (x[k] - top));\n"
             "  for (k = 0; k < $K; k++) out[k] /= mass;\n"
             "}\n" },
  { ODDS, "\n/* out[k] = log(p / (1 - p)), p = softmax(x)[k], without forming 1 - p; out may be x "
          "*/\n"
          "$Vlog_odds($ax, $oout) {\n"
          "  $Ztop = argmax(x), k;\n"
          "  $Dlargest = x[top], second = $W, others = 0.0$S, rest, mass;\n"
          "  for (k = 0; k < $K; k++)\n"
          "    if (k !$E top) second = $X(second, x[k]);\n"
          "  for (k = 0; k < $K; k++)\n"
          "    if (k !$E top) others += $Mexp$S(x[k] - second);\n"
          "  rest = second - largest + $Mlog$S(others);\n"
          "  mass = 1.0$S + $Mexp$S(rest);\n"
          "  for (k = 0; k < $K; k++) {\n"
          "    out[k] = x[k] - largest;\n"
          "    out[k] = k =$E top ? -rest : out[k] - $Mlog$S(mass - $Mexp$S(out[k]));\n"
          "  }\n"
          "}\n" },
  { BELOW, "\n/* the first of list[from .. to) that is not below q, or to */\n"
           "$Nbelow($alist, $zfrom, $zto, $dq) {\n"
           "  while (from < to) {\n"
           "    $Zmiddle = from + $H;\n"
           "    if (list[middle] < q) from = middle + 1;\n"
           "    else to = middle;\n"
           "  }\n"
           "  return from;\n"
           "}\n" },
  { LINE, "\n/* the polyline through (x[i], y[i]), from <= i < to, at q */\n"
          "$Fline($ax, $ay, $zfrom, $zto, $dq) {\n"
          "  $Zi = below(x, from, to, q);\n"
          "  if (i =$E from) return y[from];\n"
          "  if (i =$E to) return y[to - 1];\n"
          "  return y[i - 1] + (y[i] - y[i - 1]) * ((q - x[i - 1]) / (x[i] - x[i - 1]));\n"
          "}\n" },
  { BENT,
    "\n/* the polyline through count points (x[i], y[i]), extrapolated at both ends, at q */\n"
    "$Fbent($ax, $ay, $zcount, $dq) {\n"
    "  $Zi = below(x, 1, count - 1, q);\n"
    "  return y[i - 1] + (y[i] - y[i - 1]) * ((q - x[i - 1]) / (x[i] - x[i - 1]));\n"
    "}\n" },
};

static const piece locals[] = {
  { LOOP, "  $Zk;\n" },    { SUM, "  $Dsum;\n" }, { LARGEST, "  $Dlargest;\n" },
  { TOP, "  $Ztop;\n" },   { INNER, "  $Zj;\n" }, { ROW_Y, "  $ry$q;\n" },
  { ROW_Z, "  $rz$q;\n" },
};

static const piece steps[CRD__OPS] = {
  [CRD__SCALE] = { LOOP, "  for (k = 0; k < $K; k++) x[k] *= a$n[0];\n" },
  [CRD__DIAGONAL] = { LOOP, "  for (k = 0; k < $K; k++) x[k] = a$n[k] * x[k] + b$n[k];\n" },
  [CRD__AFFINE] = { ROW_Y | INNER | LOOP,
                    "  for (k = 0; k < $K; k++) {\n"
                    "    y[k] = b$n[k];\n"
                    "    for (j = 0; j < $K; j++) y[k] += a$n[k * $K + j] * x[j];\n"
                    "  }\n"
                    "  for (k = 0; k < $K; k++) x[k] = y[k];\n" },
  [CRD__BENT] = { BELOW | BENT | LOOP,
                  "  for (k = 0; k < $K; k++) x[k] = bent(a$n, b$n, $L, x[k]);\n" },
  [CRD__SOFTMAX] = { SOFTMAX, "  softmax(x, 1.0$S, x);\n" },
  [CRD__MIX] = { SOFTMAX | ROW_Y | ROW_Z | INNER | LOOP,
                 "  for (k = 0; k < $K; k++) y[k] = 0.0$S;\n"
                 "  for (j = 0; j < $L; j++) {\n"
                 "    softmax(x, b$n[j], z);\n"
                 "    for (k = 0; k < $K; k++) y[k] += a$n[j] * z[k];\n"
                 "  }\n"
                 "  for (k = 0; k < $K; k++) x[k] = y[k];\n" },
  [CRD__LOG] = { LOOP, "  for (k = 0; k < $K; k++) x[k] = $Mlog$S(x[k]);\n" },
  [CRD__ODDS] = { 0, "  q = s;\n" },
  [CRD__LOGISTIC] = { SIGMOID, "  q = sigmoid(a$n[2 * e] * s + a$n[2 * e + 1]);\n" },
  [CRD__BETA] = { SIGMOID | SOFTPLUS,
                  "  q = a$n[3 * e + 1] * softplus(s) - a$n[3 * e] * softplus(-s) + a$n[3 * e + "
                  "2];\n"
                  "  q = sigmoid(q);\n" },
  [CRD__STEPS] = { BELOW, "  q = b$n[below(a$n, i$n[e], i$n[e + 1], q) + e];\n" },
  [CRD__LINES] = { BELOW | LINE,
                   "  q = $Y($X(line(a$n, b$n, i$n[e], i$n[e + 1], q), 0.0$S), 1.0$S);\n" },
};

static const char event_head[] = "\n/* the calibrated probability of event e with log-odds s */\n"
                                 "$Fevent($ze, $ds) {\n";
static const char event_foot[] = "  return q;\n}\n";

/* x is logits before these, and probabilities after them. */
#define DIVIDE "  for (k = 0; k < $K; k++) x[k] = sum > 0.0$S ? x[k] / sum : 1.0$S / $K;\n"
static const piece reaches[] = {
  [CRD__ROWS] = { 0, "" },
  [CRD__ALL_EVENTS] = { ODDS | ARGMAX | SUM | LOOP,
                        "  log_odds(x, x);\n"
                        "  sum = 0.0$S;\n"
                        "  for (k = 0; k < $K; k++) sum += x[k] = event(k, x[k]);\n" DIVIDE },
  [CRD__SHARED_EVENT] = { ODDS | ARGMAX | SUM | LOOP,
                          "  log_odds(x, x);\n"
                          "  sum = 0.0$S;\n"
                          "  for (k = 0; k < $K; k++) sum += x[k] = event(0, x[k]);\n" DIVIDE },
  [CRD__TOP_EVENT] = { ODDS | ARGMAX | SUM | ROW_Y | SOFTMAX | LOOP,
                       "  log_odds(x, y);\n"
                       "  sum = event(0, y[top]);\n"
                       "  x[top] = $W;\n"
                       "  softmax(x, 1.0$S, x);\n"
                       "  for (k = 0; k < $K; k++) x[k] *= 1.0$S - sum;\n"
                       "  x[top] = sum;\n" },
};
static const piece two_classes = { ODDS | ARGMAX, "  log_odds(x, x);\n"
                                                  "  x[1] = event(0, x[1]);\n"
                                                  "  x[0] = 1.0$S - x[1];\n" };

/* Converts the input to logits x. */
static const piece inputs[] = {
  [CRD_INPUT_LOGITS] = { LOOP, "  for (k = 0; k < $K; k++) x[k] = scores[k];\n" },
  [CRD_INPUT_PROBABILITIES] = { SUM | LOOP, "  sum = 0.0$S;\n"
                                            "  for (k = 0; k < $K; k++) sum += x[k] = "
                                            "scores[k] > 1.000001$S ? 1.0$S : $X(scores[k], $f);\n"
                                            "  for (k = 0; k < $K; k++) x[k] = $Mlog$S(x[k]) - "
                                            "$Mlog$S(sum);\n" },
  [CRD_INPUT_PAIRS] = { SUM, "  sum = $X(confidence, $1);\n"
                             "  x[0] = 1.0$S - sum < $0 ? $Mlog$S($0) : $Mlog1p$S(-sum);\n"
                             "  x[1] = 1.0$S - sum < $0 ? $Mlog1p$S(-$0) : $Mlog$S(sum);\n" },
};
static const piece inputs_float32[] = {
  [CRD_INPUT_LOGITS] = { LOOP, "  for (k = 0; k < $K; k++) x[k] = scores[k];\n" },
  [CRD_INPUT_PROBABILITIES] = { SUM | LOOP,
                                "  sum = 0.0$S;\n"
                                "  for (k = 0; k < $K; k++) {\n"
                                "    x[k] = scores[k] > 1.000001$S ? 1.0$S : $X(scores[k], $f);\n"
                                "    sum += x[k];\n"
                                "    x[k] = x[k] > $f ? $Mlog$S(x[k]) : $g;\n"
                                "  }\n"
                                "  for (k = 0; k < $K; k++) x[k] -= $Mlog$S(sum);\n" },
  [CRD_INPUT_PAIRS] = { SUM, "  sum = $X(confidence, $1);\n"
                             "  x[0] = 1.0$S - sum <= $0 ? $h : $Mlog1p$S(-sum);\n"
                             "  x[1] = 1.0$S - sum <= $0 ? $Mlog1p$S(-$0)\n"
                             "       : sum > $1 ? $Mlog$S(sum) : $j;\n" },
};
static const piece normalisation = {
  SUM | LARGEST | LOOP, "  largest = x[0];\n"
                        "  for (k = 1; k < $K; k++) largest = $X(largest, x[k]);\n"
                        "  sum = 0.0$S;\n"
                        "  for (k = 0; k < $K; k++) sum += $Mexp$S(x[k] - largest);\n"
                        "  for (k = 0; k < $K; k++) x[k] -= largest + $Mlog$S(sum);\n"
};

/* ---- Writing. */

typedef struct {
  const crd__export_curly *language;
  const crd__calibrator_map *map;
  const crd__export_words *words;
  size_t step;
  crd__text *out;
} writer;

static void put(const writer *w, const char *text);

/* A constant of float32 needs a point or an exponent before its suffix. */
static void put_number(const writer *w, double value) {
  char text[CRD__NUMBER_SIZE];
  if (!w->language->float32) {
    crd__text_add_number(w->out, value);
    return;
  }
  crd__text_add(w->out, crd__number_format_float32(text, (float)value));
  crd__text_add(w->out, strpbrk(text, ".e") ? "f" : ".0f");
}

static void put_upper(const writer *w, const char *name) {
  for (; *name; name++) {
    const char letter = (char)toupper((unsigned char)*name);
    crd__text_add_bytes(w->out, &letter, 1);
  }
}

/* Writes a number of the floor: of class 0, of the others, and of class k. */
static void put_floor(const writer *w, char letter) {
  const crd__data_floor *const floor = &w->map->floor;
  const bool same = floor->first == floor->others;
  if (letter == '0') put_number(w, floor->first);
  else if (letter == '1') put_number(w, floor->others);
  else if (letter == 'h') put_number(w, log(floor->first));
  else if (letter == 'j') put_number(w, log(floor->others));
  else if (letter == 'f') put(w, same ? "$1" : "(k =$E 0 ? $0 : $1)");
  else put(w, same ? "$j" : "(k =$E 0 ? $h : $j)");
}

static void put_word(const writer *w, char letter) {
  const crd__calibrator_step *const step = w->step < w->map->count ? &w->map->steps[w->step] : NULL;
  const bool top = crd__calibrator_map_keeps_top(w->map);
  if (letter == 'K') crd__text_addf(w->out, "%zu", w->map->classes);
  else if (letter == 'n') crd__text_addf(w->out, "%zu", w->step);
  else if (letter == 'L') crd__text_addf(w->out, "%zu", step ? step->a.start[step->parts] : 0);
  else if (letter == 'A') crd__text_add(w->out, w->words->about);
  else if (letter == 'C') crd__text_add(w->out, w->words->name);
  else if (letter == 'Q') put_upper(w, w->words->name);
  else if (letter == 'G') crd__text_add(w->out, crd__export_given(w->map));
  else if (letter == 'P') crd__text_add(w->out, top ? "top" : "argmax(x)");
  else if (strchr("01fghj", letter)) put_floor(w, letter);
  for (const crd__export_curly_word *word = w->language->words; word->letter; word++)
    if (word->letter == letter) put(w, word->word);
}

static void put(const writer *w, const char *text) {
  for (const char *mark; (mark = strchr(text, '$')) != NULL; text = mark + 2) {
    crd__text_add_bytes(w->out, text, (size_t)(mark - text));
    put_word(w, mark[1]);
  }
  crd__text_add(w->out, text);
}

/* A single step has no edges, but C does not allow an empty table. */
static void put_table(const writer *w, const char *name, const crd__calibrator_operand *operand,
                      const crd__calibrator_step *step) {
  const size_t parts = step->parts;
  const bool empty = operand->start[parts] == 0;
  if (empty && step->op != CRD__STEPS) return;
  put(w, "\n$T");
  put(w, name);
  put(w, empty ? "$n$U\n  0" : "$n$U");
  for (size_t i = 0; i < operand->start[parts]; i++) {
    crd__text_add(w->out, i % 4 ? ", " : i ? ",\n  " : "\n  ");
    put_number(w, operand->values[i]);
  }
  put(w, "\n$u\n");
}

/* Writes where the parameters of each event begin. */
static void put_starts(const writer *w, const crd__calibrator_step *step) {
  if (step->op != CRD__STEPS && step->op != CRD__LINES) return;
  put(w, "$ti$n$U");
  for (size_t i = 0; i <= step->parts; i++) {
    crd__text_add(w->out, i % 8 ? ", " : i ? ",\n  " : "\n  ");
    crd__text_addf(w->out, "%zu", step->a.start[i]);
  }
  put(w, "\n$u\n");
}

static void put_tables(writer *w) {
  for (w->step = 0; w->step < w->map->count; w->step++) {
    const crd__calibrator_step *const step = &w->map->steps[w->step];
    put_table(w, "a", &step->a, step);
    put_table(w, "b", &step->b, step);
    put_starts(w, step);
  }
}

static void put_needed(const writer *w, const piece *pieces, size_t count, unsigned needs) {
  for (size_t i = 0; i < count; i++)
    if (pieces[i].needs & needs) put(w, pieces[i].text);
}

static void put_steps(writer *w) {
  for (w->step = 0; w->step < w->map->count; w->step++)
    put(w, steps[w->map->steps[w->step].op].text);
}

static const piece *reach_of(const crd__calibrator_map *map) {
  const bool two = map->reach == CRD__ALL_EVENTS && map->classes == 2;
  return two ? &two_classes : &reaches[map->reach];
}

/* Returns whether the first step reads q, the event's probability. */
static bool reads_q(const crd__calibrator_map *map) {
  const crd__calibrator_op first = map->steps[0].op;
  return map->reach != CRD__ROWS && (first == CRD__STEPS || first == CRD__LINES);
}

/* Returns whether the argmax of the logits is needed. */
static bool saves_top(const crd__calibrator_map *map) {
  return map->reach == CRD__TOP_EVENT ||
         (map->input != CRD_INPUT_PAIRS && crd__calibrator_map_keeps_top(map));
}

static const piece *input_of(const writer *w) {
  return w->language->float32 ? &inputs_float32[w->map->input] : &inputs[w->map->input];
}

static unsigned needs_of(const writer *w) {
  const crd__calibrator_map *const map = w->map;
  unsigned needs = input_of(w)->needs | reach_of(map)->needs;
  if (map->normalise) needs |= normalisation.needs;
  if (map->input != CRD_INPUT_PAIRS) needs |= ARGMAX;
  if (reads_q(map)) needs |= SIGMOID;
  if (saves_top(map)) needs |= TOP;
  for (size_t i = 0; i < map->count; i++) needs |= steps[map->steps[i].op].needs;
  return needs;
}

static void put_event(writer *w) {
  put(w, event_head);
  put(w, reads_q(w->map) ? "  $Dq = sigmoid(s);\n" : "  $Dq;\n");
  put_steps(w);
  put(w, event_foot);
}

static void put_body(writer *w, unsigned needs) {
  put(w, "  $rx$q;\n");
  put_needed(w, locals, sizeof locals / sizeof *locals, needs);
  put(w, input_of(w)->text);
  if (w->map->normalise) put(w, normalisation.text);
  if (saves_top(w->map)) put(w, "  top = argmax(x);\n");
  if (w->map->reach == CRD__ROWS) put_steps(w);
  put(w, reach_of(w->map)->text);
}

void crd__export_curly_write(const crd__export_curly *language, const crd__calibrator_map *map,
                             const crd__export_words *words, crd__text *out) {
  writer w = { .language = language, .map = map, .words = words, .out = out };
  const bool pairs = map->input == CRD_INPUT_PAIRS;
  const unsigned needs = needs_of(&w);
  put(&w, language->file_head);
  put_tables(&w);
  put_needed(&w, functions, sizeof functions / sizeof *functions, needs);
  if (map->reach != CRD__ROWS) put_event(&w);
  put(&w, pairs ? language->pair_head : language->row_head);
  put_body(&w, needs);
  put(&w, pairs ? language->pair_foot : language->row_foot);
  put(&w, language->file_foot);
}

void crd__export_curly_header(const crd__export_curly *language, const crd__calibrator_map *map,
                              const crd__export_words *words, crd__text *out) {
  const writer w = { .language = language, .map = map, .words = words, .out = out };
  put(&w, map->input == CRD_INPUT_PAIRS ? language->pair_header : language->row_header);
}
