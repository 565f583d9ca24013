/*
 * numpy.c -- exports a map as one Python function over rows, with no dependency but NumPy.
 *
 * Tables are arrays of the module, so that a call does not build them. In templates $K is the
 * number of classes, $n the index of the step, $0 and $1 the floors of class 0 and of the others.
 */
#include "export/export.h"

#include <string.h>

typedef struct {
  const crd__calibrator_map *map;
  crd__text *out;
  size_t step, event; /* indices of the current ones */
} writer;

/* ---- Text. */

static void put(const writer *w, const char *text) {
  for (const char *mark; (mark = strchr(text, '$')) != NULL; text = mark + 2) {
    crd__text_add_bytes(w->out, text, (size_t)(mark - text));
    if (mark[1] == 'K') crd__text_addf(w->out, "%zu", w->map->classes);
    if (mark[1] == 'n') crd__text_addf(w->out, "%zu", w->step);
    if (mark[1] == 'e') crd__text_addf(w->out, "%zu", w->event);
    if (mark[1] == 'G') crd__text_add(w->out, crd__export_given(w->map));
    if (mark[1] == '0') crd__text_add_number(w->out, w->map->floor.first);
    if (mark[1] == '1') crd__text_add_number(w->out, w->map->floor.others);
  }
  crd__text_add(w->out, text);
}

/* Writes "np.array([...])". dtype is named, since a table may be empty or of integers only. */
static void put_numbers(const writer *w, const double *values, size_t count) {
  crd__text_add(w->out, "np.array([");
  for (size_t i = 0; i < count; i++) {
    crd__text_add(w->out, i % 4 ? ", " : i ? ",\n    " : "\n    ");
    crd__text_add_number(w->out, values[i]);
  }
  crd__text_add(w->out, count ? ",\n], dtype=np.float64)" : "], dtype=np.float64)");
}

/* ---- Tables: _A0 for a row; _A0 as a matrix or a list of arrays for events. */

static void put_table(const writer *w, const char *name, const crd__calibrator_operand *operand,
                      const crd__calibrator_step *step) {
  if (operand->start[step->parts] == 0 && step->op != CRD__STEPS) return;
  crd__text_addf(w->out, "_%s%zu = ", name, w->step);
  if (step->op <= CRD__LOG) {
    put_numbers(w, operand->values, operand->start[1]);
    put(w, step->op == CRD__AFFINE && *name == 'A' ? ".reshape($K, $K)\n" : "\n");
    return;
  }
  crd__text_add(w->out, "[");
  for (size_t e = 0; e < step->parts; e++) {
    if (e) crd__text_add(w->out, ", ");
    put_numbers(w, operand->values + operand->start[e], operand->start[e + 1] - operand->start[e]);
  }
  crd__text_add(w->out, "]\n");
}

static void put_tables(writer *w) {
  for (w->step = 0; w->step < w->map->count; w->step++) {
    const crd__calibrator_step *const step = &w->map->steps[w->step];
    put_table(w, "A", &step->a, step);
    put_table(w, "B", &step->b, step);
  }
  if (w->map->count) crd__text_add(w->out, "\n\n");
}

/* ---- Input: x are logits, one row each, after it. */

static const char *const arguments[] = { [CRD_INPUT_LOGITS] = "logits",
                                         [CRD_INPUT_PROBABILITIES] = "probabilities",
                                         [CRD_INPUT_PAIRS] = "confidence" };

static void put_input(const writer *w) {
  const char *const argument = arguments[w->map->input];
  crd__text_addf(w->out, "    given = np.asarray(%s, dtype=np.float64)\n", argument);
  if (w->map->input == CRD_INPUT_PAIRS) {
    put(w, "    c = np.maximum(given.reshape(-1), $1)\n"
           "    sure = 1.0 - c < $0\n"
           "    x = np.stack([np.log1p(-np.where(sure, 0.0, c)), np.log(c)], axis=1)\n"
           "    x[sure] = np.log($0), np.log1p(-$0)\n");
    return;
  }
  crd__text_addf(
      w->out,
      "    if given.ndim == 0 or given.shape[-1] != %zu:\n"
      "        raise ValueError(f\"%s of shape {given.shape}, the last dimension must be "
      "%zu\")\n",
      w->map->classes, argument, w->map->classes);
  if (w->map->input == CRD_INPUT_LOGITS) put(w, "    x = given.reshape(-1, $K)\n");
  else if (w->map->floor.first == w->map->floor.others) put(w, "    floor = $1\n");
  else put(w, "    floor = np.full($K, $1)\n    floor[0] = $0\n");
  if (w->map->input == CRD_INPUT_PROBABILITIES)
    put(w, "    x = given.reshape(-1, $K)\n"
           "    x = np.where(x > 1.000001, 1.0, np.maximum(x, floor))\n"
           "    x = np.log(x) - np.log(x.sum(axis=1, keepdims=True))\n");
}

/* ---- Steps. */

#define SOFTMAX                                                                                    \
  "x = np.exp(x - x.max(axis=1, keepdims=True))\n"                                                 \
  "    x = x / x.sum(axis=1, keepdims=True)\n"
/* 1 / (1 + exp(-u)) without overflow */
#define SIGMOID(u)                                                                                 \
  "np.where(" u " >= 0.0, 1.0, np.exp(-np.abs(" u "))) / (1.0 + np.exp(-np.abs(" u ")))\n"
/* Of q between the points i - 1 and i. */
#define LINE(x, y, q)                                                                              \
  y "[i - 1] + (" y "[i] - " y "[i - 1]) * ((" q " - " x "[i - 1]) / (" x "[i] - " x "[i - 1]))\n"

static const char *const row_steps[] = {
  [CRD__SCALE] = "    x = _A$n[0] * x\n",
  [CRD__DIAGONAL] = "    x = _A$n * x + _B$n\n",
  [CRD__AFFINE] = "    x = x @ _A$n.T + _B$n\n",
  [CRD__BENT] = "    i = np.clip(np.searchsorted(_A$n, x), 1, len(_A$n) - 1)\n"
                "    x = " LINE("_A$n", "_B$n", "x"),
  [CRD__SOFTMAX] = "    " SOFTMAX,
  [CRD__MIX] = "    x = x - x.max(axis=1, keepdims=True)\n"
               "    parts = [np.exp(b * x) for b in _B$n]\n"
               "    x = sum(a * p / p.sum(axis=1, keepdims=True) for a, p in zip(_A$n, parts))\n",
  [CRD__LOG] = "    x = np.log(x)\n",
};

/* Of the event's log-odds s to its probability q. */
static const char *const event_steps[] = {
  [CRD__ODDS] = "    q = s\n",
  [CRD__LOGISTIC] = "    u = _A$n[$e][0] * s + _A$n[$e][1]\n"
                    "    q = " SIGMOID("u"),
  [CRD__BETA] = "    u = _A$n[$e][1] * np.logaddexp(0.0, s) - _A$n[$e][0] * np.logaddexp(0.0, -s)\n"
                "    u = u + _A$n[$e][2]\n"
                "    q = " SIGMOID("u"),
  [CRD__STEPS] = "    q = _B$n[$e][np.searchsorted(_A$n[$e], q)]\n",
  [CRD__LINES] =
      "    a, b = _A$n[$e], _B$n[$e]\n"
      "    below = np.searchsorted(a, q)\n"
      "    i = np.clip(below, 1, max(len(a) - 1, 1)) % len(a)\n"
      "    with np.errstate(all=\"ignore\"):\n"
      "        line = " LINE(
          "a", "b",
          "q") "    q = np.where(below == 0, b[0], np.where(below == len(a), b[-1], line))\n"
               "    q = np.clip(q, 0.0, 1.0)\n",
};

/* Computes q of one event from its log-odds s. */
static void put_event(writer *w, size_t event, const char *log_odds) {
  const crd__calibrator_op first = w->map->steps[0].op;
  w->event = event;
  put(w, log_odds);
  if (first == CRD__STEPS || first == CRD__LINES) put(w, "    q = " SIGMOID("s"));
  for (w->step = 0; w->step < w->map->count; w->step++)
    put(w, event_steps[w->map->steps[w->step].op]);
}

/* The log-odds of every class without forming 1 - p, as in curly.c. */
static void put_odds(const writer *w) {
  put(w, "    top = x.argmax(axis=1)[:, None]\n"
         "    others = x.copy()\n"
         "    np.put_along_axis(others, top, -np.inf, axis=1)\n"
         "    largest = x.max(axis=1, keepdims=True)\n"
         "    second = others.max(axis=1, keepdims=True)\n"
         "    rest = np.exp(others - second).sum(axis=1, keepdims=True)\n"
         "    rest = second - largest + np.log(rest)\n"
         "    with np.errstate(divide=\"ignore\"):\n"
         "        odds = np.log(1.0 + np.exp(rest) - np.exp(x - largest))\n"
         "    odds = x - largest - odds\n"
         "    np.put_along_axis(odds, top, -rest, axis=1)\n");
}

static void put_events(writer *w) {
  const crd__calibrator_map *const map = w->map;
  put_odds(w);
  if (map->reach == CRD__TOP_EVENT) {
    put_event(w, 0, "    s = -rest\n");
    put(w, "    x = np.exp(others - second)\n"
           "    x = (1.0 - q) * (x / x.sum(axis=1, keepdims=True))\n"
           "    np.put_along_axis(x, top, q, axis=1)\n");
  } else if (map->reach == CRD__ALL_EVENTS && map->classes == 2) {
    put_event(w, 0, "    s = odds[:, 1]\n");
    put(w, "    x = np.stack([1.0 - q, q], axis=1)\n");
  } else {
    if (map->reach == CRD__SHARED_EVENT) put_event(w, 0, "    s = odds\n");
    if (map->reach == CRD__SHARED_EVENT) put(w, "    x = q\n");
    for (size_t e = 0; map->reach == CRD__ALL_EVENTS && e < map->classes; e++) {
      put_event(w, e,
                e ? "    s = odds[:, $e]\n" : "    x = np.empty_like(odds)\n    s = odds[:, $e]\n");
      put(w, "    x[:, $e] = q\n");
    }
    put(w, "    total = x.sum(axis=1, keepdims=True)\n"
           "    x = np.where(total > 0.0, x / np.where(total > 0.0, total, 1.0), 1.0 / $K)\n");
  }
}

/* ---- The function. */

static void put_head(const writer *w, const char *name) {
  const bool pairs = w->map->input == CRD_INPUT_PAIRS;
  crd__text_addf(w->out, "def %s%scalibrate(%s%s):\n", name, *name ? "_" : "",
                 arguments[w->map->input], pairs ? "" : ", predicted=False");
  put(w,
      pairs
          ? "    \"\"\"The probability that predictions with these confidences are correct.\"\"\"\n"
          : "    \"\"\"Calibrated probabilities from $G of $K classes: an array of shape (..., "
            "$K).\n"
            "\n"
            "    With predicted=True a pair: these, and the predicted classes.\n"
            "    \"\"\"\n");
}

static void put_foot(const writer *w) {
  if (w->map->input == CRD_INPUT_PAIRS) {
    put(w, "    return x[:, 1].reshape(given.shape)\n");
    return;
  }
  put(w, "    if predicted:\n"
         "        return x.reshape(given.shape), ");
  put(w, crd__calibrator_map_keeps_top(w->map) ? "top" : "x.argmax(axis=1)");
  put(w, ".reshape(given.shape[:-1])\n"
         "    return x.reshape(given.shape)\n");
}

static crd_status numpy_write(crd_context *ctx, const crd__calibrator_map *map,
                              const crd__export_words *words, crd__text *out) {
  writer w = { .map = map, .out = out };
  crd__text_addf(out, "\"\"\"Calibrated probabilities: %s.\"\"\"\nimport numpy as np\n\n",
                 words->about);
  put_tables(&w);
  put_head(&w, words->name);
  put_input(&w);
  if (map->normalise)
    put(&w, "    x = x - x.max(axis=1, keepdims=True)\n"
            "    x = x - np.log(np.exp(x).sum(axis=1, keepdims=True))\n");
  if (map->reach != CRD__ROWS) put_events(&w);
  else
    for (w.step = 0; w.step < map->count; w.step++) put(&w, row_steps[map->steps[w.step].op]);
  put_foot(&w);
  return crd__text_status(ctx, out);
}

const crd__export crd__export_numpy = {
  .info = { .name = "numpy",
            .summary = "Python source with one function over rows, for NumPy",
            .extension = "py" },
  .name = "",
  .write = numpy_write,
};
