/*
 * sql.c -- exports a map as one SQL query over a table scores(id, class, score), or confidences(id,
 * confidence).
 *
 * The table has one record per sample and class, so sums over classes are window functions and a
 * matrix is a join. Each step is a stage of a WITH clause, which reads the one before ($p). $n is
 * the index of the step, $K the number of classes, $e the event, $0 and $1 the floors of class 0
 * and of the others.
 */
#include "export/export.h"

#include <string.h>

#define EACH_ID "OVER (PARTITION BY id)"
#define SIGMOID(u)                                                                                 \
  "CASE WHEN " u " >= 0 THEN 1 / (1 + EXP(-(" u "))) ELSE EXP(" u ") / (1 + EXP(" u ")) END"
#define SOFTPLUS(u) "(CASE WHEN " u " > 0 THEN " u " ELSE 0 END + LN(1 + EXP(-ABS(" u "))))"

typedef struct {
  const crd__calibrator_map *map;
  crd__text *out;
  size_t stage, step; /* indices of the current ones */
} writer;

/* ---- Text. */

static void put(const writer *w, const char *text) {
  const bool each = w->map->reach == CRD__ALL_EVENTS && w->map->classes > 2;
  for (const char *mark; (mark = strchr(text, '$')) != NULL; text = mark + 2) {
    crd__text_add_bytes(w->out, text, (size_t)(mark - text));
    if (mark[1] == 'p') crd__text_addf(w->out, "stage%zu", w->stage - 1);
    if (mark[1] == 'n') crd__text_addf(w->out, "%zu", w->step);
    if (mark[1] == 'K') crd__text_addf(w->out, "%zu", w->map->classes);
    if (mark[1] == '0') crd__text_add_number(w->out, w->map->floor.first);
    if (mark[1] == '1') crd__text_add_number(w->out, w->map->floor.others);
    if (mark[1] == 'e') crd__text_add(w->out, each ? "class" : "0");
  }
  crd__text_add(w->out, text);
}

/* Writes one more stage, which reads the one before. */
static void put_stage(writer *w, const char *query) {
  crd__text_addf(w->out, "%sstage%zu AS (\n  ", w->stage ? ",\n" : "", w->stage);
  put(w, query);
  crd__text_add(w->out, "\n)");
  w->stage++;
}

/* Always with a decimal point, to avoid integer division. */
static void put_number(const writer *w, double value) {
  const size_t before = w->out->length;
  crd__text_add_number(w->out, value);
  if (w->out->bytes && !strpbrk(w->out->bytes + before, ".e")) crd__text_add(w->out, ".0");
}

/* Begins a table of constants with the columns' names; put_row writes its records. */
static void begin_table(writer *w, const char *columns) {
  put(w, ",\ntable$n(");
  put(w, columns);
  put(w, ") AS (\n  VALUES");
}

/* "(key, key, a, b, ...)"; no second key: SIZE_MAX. */
static void put_row(const writer *w, bool first, size_t key, size_t second, const double *values,
                    size_t count) {
  crd__text_addf(w->out, "%s (%zu", first ? "" : ",\n        ", key);
  if (second != SIZE_MAX) crd__text_addf(w->out, ", %zu", second);
  for (size_t i = 0; i < count; i++) {
    crd__text_add(w->out, ", ");
    put_number(w, values[i]);
  }
  crd__text_add(w->out, ")");
}

/* ---- Tables. */

static void put_affine(writer *w, const crd__calibrator_step *step) {
  const size_t n = w->map->classes;
  begin_table(w, "class, other, weight, shift");
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j < n; j++) {
      const double cell[] = { step->a.values[k * n + j], step->b.values[k] };
      put_row(w, k + j == 0, k, j, cell, 2);
    }
  put(w, "\n)");
}

/* Writes a table of pairs (a, b), `count` records. */
static void put_both(writer *w, const crd__calibrator_step *step, size_t count) {
  begin_table(w, "item, a, b");
  for (size_t i = 0; i < count; i++) {
    const double pair[] = { step->a.values[i], step->b.values[i] };
    put_row(w, i == 0, i, SIZE_MAX, pair, 2);
  }
  put(w, "\n)");
}

/* Writes a table of the `count` parameters of each event. */
static void put_curves(writer *w, const crd__calibrator_step *step, const char *columns,
                       size_t count) {
  begin_table(w, columns);
  for (size_t e = 0; e < step->parts; e++)
    put_row(w, e == 0, e, SIZE_MAX, step->a.values + step->a.start[e], count);
  put(w, "\n)");
}

static void put_segments(writer *w, const crd__calibrator_step *step) {
  begin_table(w, "item, low, high, at, value, slope");
  for (size_t e = 0; e < step->parts; e++) {
    const size_t count = crd__calibrator_step_segments(step, e);
    for (size_t i = 0; i < count; i++) {
      const crd__calibrator_segment s = crd__calibrator_step_segment(step, e, i);
      const double row[] = { s.low, s.high, s.at, s.value, s.slope };
      put_row(w, e + i == 0, e, SIZE_MAX, row, 5);
    }
  }
  put(w, "\n)");
}

/* ---- Steps of rows. */

static void put_softmax(writer *w) {
  put_stage(w, "SELECT id, class, EXP(x - MAX(x) " EACH_ID ") AS x FROM $p");
  put_stage(w, "SELECT id, class, x / SUM(x) " EACH_ID " AS x FROM $p");
}

static void put_scale(writer *w, const crd__calibrator_step *step) {
  crd__text_addf(w->out, ",\nstage%zu AS (\n  SELECT id, class, ", w->stage);
  put_number(w, step->a.values[0]);
  put(w, " * x AS x FROM $p\n)");
  w->stage++;
}

static void put_row_step(writer *w, const crd__calibrator_step *step) {
  const size_t n = w->map->classes;
  if (step->op == CRD__SCALE) put_scale(w, step);
  if (step->op == CRD__SOFTMAX) put_softmax(w);
  if (step->op == CRD__LOG) put_stage(w, "SELECT id, class, LN(x) AS x FROM $p");
  if (step->op == CRD__DIAGONAL) {
    put_both(w, step, n);
    put_stage(w, "SELECT id, class, a * x + b AS x FROM $p JOIN table$n ON item = class");
  }
  if (step->op == CRD__AFFINE) {
    put_affine(w, step);
    put_stage(w, "SELECT id, table$n.class AS class, shift + SUM(weight * x) AS x\n"
                 "  FROM $p JOIN table$n ON other = $p.class GROUP BY id, table$n.class, shift");
  }
  if (step->op == CRD__BENT) {
    put_segments(w, step);
    put_stage(w, "SELECT id, class, value + slope * (x - at) AS x\n"
                 "  FROM $p JOIN table$n ON x > low AND x <= high");
  }
  if (step->op == CRD__MIX) {
    put_both(w, step, step->a.start[1]);
    put_stage(w, "SELECT id, class, x - MAX(x) " EACH_ID " AS x FROM $p");
    put_stage(w, "SELECT id, class, item, a, EXP(b * x) AS x FROM $p CROSS JOIN table$n");
    put_stage(w, "SELECT id, class, a * x / SUM(x) OVER (PARTITION BY id, item) AS x FROM $p");
    put_stage(w, "SELECT id, class, SUM(x) AS x FROM $p GROUP BY id, class");
  }
}

/* ---- Steps of events. */

/* Columns of every stage of events: the class's logit x and log-odds s, the sample's predicted
 * class and the largest logit of the others. No stage is joined with an earlier one, which would be
 * recomputed for each record. */
#define CELL "id, class, x, predicted, second, s"

static void put_odds(writer *w) {
  put_stage(w, "SELECT id, class, x, MAX(x) " EACH_ID " AS largest FROM $p");
  put_stage(w, "SELECT id, class, x, largest,\n"
               "    MIN(CASE WHEN x = largest THEN class END) " EACH_ID " AS predicted FROM $p");
  put_stage(w, "SELECT id, class, x, largest, predicted,\n"
               "    MAX(CASE WHEN class <> predicted THEN x END) " EACH_ID " AS second FROM $p");
  put_stage(w, "SELECT id, class, x, largest, predicted, second,\n"
               "    second - largest + LN(SUM(CASE WHEN class <> predicted THEN EXP(x - second) "
               "ELSE 0 END) " EACH_ID ") AS rest FROM $p");
  put_stage(w, "SELECT id, class, x, predicted, second, CASE WHEN class = predicted THEN -rest\n"
               "    ELSE x - largest - LN(1 + EXP(rest) - EXP(x - largest)) END AS s FROM $p");
  put_stage(w, "SELECT " CELL ", " SIGMOID("s") " AS q FROM $p");
}

static void put_event_step(writer *w, const crd__calibrator_step *step) {
  if (step->op == CRD__ODDS) put_stage(w, "SELECT " CELL ", s AS q FROM $p");
  if (step->op == CRD__LOGISTIC) {
    put_curves(w, step, "item, a, b", 2);
    put_stage(w, "SELECT " CELL ", a * s + b AS u FROM $p JOIN table$n ON item = $e");
    put_stage(w, "SELECT " CELL ", " SIGMOID("u") " AS q FROM $p");
  }
  if (step->op == CRD__BETA) {
    put_curves(w, step, "item, a, b, c", 3);
    put_stage(w, "SELECT " CELL ", b * " SOFTPLUS("s") " - a * " SOFTPLUS(
                     "-s") " + c AS u\n"
                           "  FROM $p JOIN table$n ON item = $e");
    put_stage(w, "SELECT " CELL ", " SIGMOID("u") " AS q FROM $p");
  }
  if (step->op == CRD__STEPS || step->op == CRD__LINES) {
    put_segments(w, step);
    put_stage(w, "SELECT " CELL ", value + slope * (q - at) AS q\n"
                 "  FROM $p JOIN table$n ON item = $e AND q > low AND q <= high");
  }
  if (step->op == CRD__LINES)
    put_stage(w, "SELECT " CELL ", CASE WHEN q < 0 THEN 0.0 WHEN q > 1 THEN 1.0 ELSE q END AS q\n"
                 "  FROM $p");
}

/* A single event's q is copied to all classes of its sample. */
static void put_events(writer *w) {
  static const char normalise[] = "SELECT id, class, predicted, CASE WHEN SUM(q) " EACH_ID " > 0\n"
                                  "    THEN q / SUM(q) " EACH_ID " ELSE 1.0 / $K END AS x FROM $p";
  put_odds(w);
  for (w->step = 0; w->step < w->map->count; w->step++) put_event_step(w, &w->map->steps[w->step]);
  if (w->map->reach == CRD__TOP_EVENT) {
    put_stage(w, "SELECT " CELL ", MAX(CASE WHEN class = predicted THEN q END) " EACH_ID
                 " AS q FROM $p");
    put_stage(w, "SELECT id, class, predicted, CASE WHEN class = predicted THEN q ELSE\n"
                 "    (1 - q) * EXP(x - second) / SUM(CASE WHEN class <> predicted THEN EXP(x - "
                 "second)\n"
                 "    ELSE 0 END) " EACH_ID " END AS x FROM $p");
  } else if (w->map->reach == CRD__ALL_EVENTS && w->map->classes == 2) {
    put_stage(w, "SELECT " CELL ", MAX(CASE WHEN class = 1 THEN q END) " EACH_ID " AS q FROM $p");
    put_stage(w, "SELECT id, class, CASE WHEN class = 1 THEN q ELSE 1 - q END AS x FROM $p");
  } else put_stage(w, normalise);
}

/* ---- The query. */

/* Clips probabilities to [floor, 1] and normalises them. */
static void put_probabilities(writer *w) {
  const bool same = w->map->floor.first == w->map->floor.others;
  put_stage(w, same ? "SELECT id, class, score, $1 AS least FROM scores"
                    : "SELECT id, class, score, CASE WHEN class = 0 THEN $0 ELSE $1 END AS least\n"
                      "  FROM scores");
  put_stage(w,
            "SELECT id, class, CASE WHEN score < least THEN least WHEN score > 1.000001 THEN 1.0\n"
            "    ELSE score END AS p FROM $p");
  put_stage(w, "SELECT id, class, LN(p) - LN(SUM(p) " EACH_ID ") AS x FROM $p");
}

static void put_confidences(writer *w) {
  put_stage(w, "SELECT id, CASE WHEN confidence < $1 THEN $1 ELSE confidence END AS c\n"
               "  FROM confidences");
  put_stage(w, "SELECT id, 0 AS class, CASE WHEN 1 - c < $0 THEN LN($0) ELSE LN(1 - c) END AS x\n"
               "    FROM $p\n"
               "  UNION ALL SELECT id, 1, CASE WHEN 1 - c < $0 THEN LN(1 - $0) ELSE LN(c) END "
               "FROM $p");
}

static void put_input(writer *w) {
  if (w->map->input == CRD_INPUT_LOGITS)
    put_stage(w, "SELECT id, class, 1.0 * score AS x FROM scores");
  if (w->map->input == CRD_INPUT_PROBABILITIES) put_probabilities(w);
  if (w->map->input == CRD_INPUT_PAIRS) put_confidences(w);
  if (!w->map->normalise) return;
  put_stage(w, "SELECT id, class, x - MAX(x) " EACH_ID " AS x FROM $p");
  put_stage(w, "SELECT id, class, x - LN(SUM(EXP(x)) " EACH_ID ") AS x FROM $p");
}

static void put_output(writer *w) {
  const bool top = crd__calibrator_map_keeps_top(w->map);
  if (w->map->input == CRD_INPUT_PAIRS) {
    put(w, "\nSELECT id, x AS probability FROM $p WHERE class = 1 ORDER BY id;\n");
    return;
  }
  if (!top) put_stage(w, "SELECT id, class, x, MAX(x) " EACH_ID " AS largest FROM $p");
  put(w, "\nSELECT id, class, x AS probability, ");
  put(w, top ? "predicted" : "MIN(CASE WHEN x = largest THEN class END) " EACH_ID " AS predicted");
  put(w, "\nFROM $p ORDER BY id, class;\n");
}

static crd_status sql_write(crd_context *ctx, const crd__calibrator_map *map,
                            const crd__export_words *words, crd__text *out) {
  writer w = { .map = map, .out = out };
  const bool pairs = map->input == CRD_INPUT_PAIRS;
  crd__text_addf(out, "-- Calibrated probabilities: %s.\n--\n", words->about);
  if (pairs)
    crd__text_add(out, "-- From a table confidences(id, confidence) to id, probability (of being "
                       "correct).\n");
  else
    crd__text_addf(out,
                   "-- From a table scores(id, class, score), with %s of classes 0 .. %zu for "
                   "each id,\n-- to id, class, probability, predicted (class).\n",
                   crd__export_given(map), map->classes - 1);
  crd__text_add(out, "-- Needs window functions, EXP and LN: SQLite 3.35 and others.\nWITH\n");
  put_input(&w);
  if (map->reach != CRD__ROWS) put_events(&w);
  else
    for (w.step = 0; w.step < map->count; w.step++) put_row_step(&w, &map->steps[w.step]);
  put_output(&w);
  return crd__text_status(ctx, out);
}

const crd__export crd__export_sql = {
  .info = { .name = "sql",
            .summary = "SQL query over a table of scores (window functions, EXP, LN)",
            .extension = "sql" },
  .write = sql_write,
};
