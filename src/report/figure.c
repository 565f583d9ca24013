/*
 * figure.c -- the frame of the figures: finds one by name, checks that its data are given, draws it
 * into memory, and writes all bytes at once.
 */
#include "base/table.h"
#include "report/chart.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/options.h"
#include "report/form.h"

#include <string.h>

/* With more bins, bars would be thinner than a printed line. */
enum { BINS_MAX = 200 };

static const crd__report_figure *const figures[] = {
#define FIGURE(name) &crd__report_figure_##name,
#include "report/figure/list.h"
#undef FIGURE
};
enum { FIGURE_COUNT = sizeof figures / sizeof *figures };

CRD_TABLE(figure, crd_figure_info, FIGURE_COUNT, &figures[index]->info)
CRD_TABLE_NAME(figure)

static const crd__names names = { .unknown = "unknown figure", .at = figure_name };

/* Fails unless the profile has all parts that the figure needs. */
static crd_status check_profile(crd_context *ctx, const crd_figure_info *info,
                                const crd_profile *profile) {
  static const char *const parts[] = { "bins",    "curves",       "smooth",
                                       "classes", "temperatures", "groups" };
  if (!profile)
    return crd__fail(ctx, CRD_EUSAGE,
                     "the figure '%s' is drawn from the profile of a result (%s), none was given",
                     info->name, crd__spell(ctx, "crd_profile_make"));
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
    if (info->profile & ~profile->parts & (1U << i))
      return crd__fail(ctx, CRD_EUSAGE,
                       "the figure '%s' is drawn from a profile with %s, which were not requested",
                       info->name, parts[i]);
  return CRD_OK;
}

/* The kinds of data of figures: a name for messages, whether it is given, and its title. */
typedef struct {
  const char *name;
  bool (*given)(const crd_figure_data *data);
  const char *(*title)(const crd_figure_data *data);
} source;

#define GIVEN(member)                                                                              \
  static bool has_##member(const crd_figure_data *data) { return data->member; }
GIVEN(result)
GIVEN(contest)
GIVEN(calibrator)
GIVEN(embedding)
GIVEN(run)
GIVEN(perturbation)
GIVEN(calibratability)
GIVEN(learned)

static const char *title_of_result(const crd_figure_data *data) { return data->result->name; }
static const char *title_of_contest(const crd_figure_data *data) {
  return data->contest->test_name;
}
static const char *title_of_calibrator(const crd_figure_data *data) {
  return crd_calibrator_method(data->calibrator)->name;
}
static const char *title_of_embedding(const crd_figure_data *data) { return data->embedding->name; }
static const char *title_of_run(const crd_figure_data *data) { return data->run->name; }
static const char *title_of_perturbation(const crd_figure_data *data) {
  return data->perturbation->name;
}

/* Figures of shifted sets need some. */
static bool has_shift(const crd_figure_data *data) {
  return data->result && data->result->shift && data->result->shift->count;
}
static bool has_shifted_contest(const crd_figure_data *data) {
  return data->contest && data->contest->shift_count;
}
static const char *title_of_calibratability(const crd_figure_data *data) {
  return data->calibratability->name;
}
static const char *title_of_learned(const crd_figure_data *data) { return data->learned->name; }

static const source sources[] = {
  [CRD_FIGURE_OF_RESULT] = { "a result", has_result, title_of_result },
  [CRD_FIGURE_OF_PROFILE] = { "a result", has_result, title_of_result },
  [CRD_FIGURE_OF_CONTEST] = { "a contest", has_contest, title_of_contest },
  [CRD_FIGURE_OF_CALIBRATOR] = { "a calibrator", has_calibrator, title_of_calibrator },
  [CRD_FIGURE_OF_EMBEDDING] = { "an embedding", has_embedding, title_of_embedding },
  [CRD_FIGURE_OF_RUN] = { "the record of a run", has_run, title_of_run },
  [CRD_FIGURE_OF_SHIFT] = { "a result with shifted sets", has_shift, title_of_result },
  [CRD_FIGURE_OF_SHIFTED_CONTEST] = { "a contest with shifted sets", has_shifted_contest,
                                      title_of_contest },
  [CRD_FIGURE_OF_PERTURBATION] = { "a perturbation", has_perturbation, title_of_perturbation },
  [CRD_FIGURE_OF_CALIBRATABILITY] = { "calibratability", has_calibratability,
                                      title_of_calibratability },
  [CRD_FIGURE_OF_LEARNED] = { "learned epochs", has_learned, title_of_learned },
};

static crd_status check(crd_context *ctx, const crd__report_figure *figure,
                        const crd_figure_data *data, bool terminal) {
  const crd_figure_info *const info = &figure->info;
  if (!sources[info->source].given(data))
    return crd__fail(ctx, CRD_EUSAGE, "the figure '%s' is drawn from %s, none was given",
                     info->name, sources[info->source].name);
  if (data->result && data->result->input == CRD_INPUT_RANKING && !figure->ordinal)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: a ranking is not a probability: it has no figure '%s', but roc, "
                     "precision-recall and risk-coverage",
                     data->result->name, info->name);
  if (info->source == CRD_FIGURE_OF_RESULT && data->result->bin_count > BINS_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%zu bins are too many to draw, allowed are up to %d",
                     data->result->bin_count, BINS_MAX);
  if (info->profile) CRD_TRY(check_profile(ctx, info, data->result->profile));
  return figure->check ? figure->check(ctx, data, terminal) : CRD_OK;
}

/* Finds the figure, checks its data, and sets up the drawing. */
static crd_status begin(crd_context *ctx, const char *name, const crd_figure_data *data,
                        bool terminal, const crd__report_figure **figure, crd__text *text,
                        crd__report_drawing *drawing) {
  size_t index;
  CRD_TRY(crd__names_find(ctx, &names, name, strlen(name), &index));
  *figure = figures[index];
  CRD_TRY(check(ctx, *figure, data, terminal));
  const char *const title = sources[(*figure)->info.source].title(data);
  *drawing = (crd__report_drawing){ .result = data->result,
                                    .contest = data->contest,
                                    .calibrator = data->calibrator,
                                    .embedding = data->embedding,
                                    .run = data->run,
                                    .perturbation = data->perturbation,
                                    .calibratability = data->calibratability,
                                    .learned = data->learned,
                                    .title = title ? title : "",
                                    .id = (*figure)->info.name,
                                    .out = text };
  return CRD_OK;
}

/* Gives a figure that computes its lines memory for their points. */
static crd_status add_points(crd_context *ctx, const crd__report_figure *figure,
                             crd__report_drawing *drawing) {
  if (!figure->points) return CRD_OK;
  return crd__new(ctx, figure->points(drawing), sizeof *drawing->points, "a figure",
                  &drawing->points);
}

/* Widens the axes to those of the figure beside this one, so that the two can be compared. */
static void share_axes(const crd__report_figure *figure, const crd__report_drawing *drawing,
                       crd__report_chart *chart) {
  crd__report_drawing other = *drawing;
  if (!drawing->beside || figure->points) return;
  other.result = drawing->beside;
  const crd__report_chart its = figure->plan(&other);
  if (chart->nothing || its.nothing) return;
  for (size_t i = 0; i < chart->count && i < its.count; i++)
    crd__report_panel_join(&chart->panels[i], &its.panels[i]);
}

crd_status crd__report_figure_draw(crd_context *ctx, const char *name, const crd_figure_data *data,
                                   const crd_figure_options *options, crd__text *out) {
  return crd__report_figure_draw_beside(ctx, name, data, NULL, options, out);
}

crd_status crd__report_figure_draw_beside(crd_context *ctx, const char *name,
                                          const crd_figure_data *data, const crd_result *beside,
                                          const crd_figure_options *options, crd__text *out) {
  const crd__report_figure *figure;
  crd__report_drawing drawing;
  CRD_TRY(begin(ctx, name, data, false, &figure, out, &drawing));
  const crd_figure_data other = { .size = sizeof other, .result = beside };
  if (beside && check(ctx, figure, &other, false) == CRD_OK) drawing.beside = beside;
  CRD_TRY(add_points(ctx, figure, &drawing));
  if (options && options->title) drawing.title = options->title;
  if (options && options->id) drawing.id = options->id;
  if (figure->plan) {
    crd__report_chart chart = figure->plan(&drawing);
    share_axes(figure, &drawing, &chart);
    crd__report_chart_draw(&drawing, &chart);
  } else figure->draw(&drawing);
  crd__free(&ctx->alloc, drawing.points);
  return CRD_OK;
}

crd_status crd_figure_write(crd_context *ctx, const char *name, const crd_figure_data *data,
                            const crd_figure_options *options, crd_output *output) {
  crd_figure_data drawn;
  crd_figure_options own;
  crd__text text;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_figure_data, data, &drawn));
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_figure_options, options, &own));
  crd__text_init(&text, &ctx->alloc);
  CRD_TRY(crd__report_figure_draw(ctx, name, &drawn, &own, &text));
  return crd__report_deliver(ctx, &text, output);
}

crd_status crd_figure_print(crd_context *ctx, const char *name, const crd_figure_data *data,
                            const crd_report_options *options, crd_output *output) {
  crd_figure_data drawn;
  crd_report_options own;
  const crd__report_figure *figure;
  crd__report_drawing drawing;
  crd__text text;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_figure_data, data, &drawn));
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_report_options, options, &own));
  crd__text_init(&text, &ctx->alloc);
  CRD_TRY(begin(ctx, name, &drawn, true, &figure, &text, &drawing));
  CRD_TRY(add_points(ctx, figure, &drawing));
  if (figure->plan) {
    const crd__report_chart chart = figure->plan(&drawing);
    crd__report_chart_print(&drawing, &chart, &own);
  } else figure->print(&drawing, &own);
  crd__free(&ctx->alloc, drawing.points);
  return crd__report_deliver(ctx, &text, output);
}
