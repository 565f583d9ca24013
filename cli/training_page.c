/* training_page.c -- what `credence train` prints and writes (training.h). */
#include "training.h"

#include "option.h"
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 17, VALUE_SIZE = 4096 };

/* ---- Epochs. */

static double value_of(const crd_epoch *epoch, const char *name) {
  for (size_t i = 0; i < epoch->count; i++)
    if (strcmp(epoch->values[i].name, name) == 0) return epoch->values[i].value;
  return (double)NAN;
}

static void add_member(FILE *out, const char *name, double value) {
  fputs(", ", out);
  cli_page_json(out, name);
  fputs(": ", out);
  cli_page_number(out, value, DIGITS);
}

/* An epoch as a JSON object, without its closing brace. */
static void add_epoch(FILE *out, const crd_epoch *epoch) {
  fprintf(out, "{\"epoch\": %zu", epoch->epoch);
  add_member(out, "rate", epoch->rate);
  for (size_t i = 0; i < epoch->count; i++)
    add_member(out, epoch->values[i].name, epoch->values[i].value);
  if (epoch->best) fputs(", \"best\": true", out);
}

/* A value of a monitor: "validation.ece". */
static double monitored(const crd_epoch *epoch, const char *monitor, const char *metric) {
  char name[128];
  snprintf(name, sizeof name, "%s.%s", monitor, metric);
  return value_of(epoch, name);
}

static void print_header(const char *monitor) {
  fputs("epoch      loss  accuracy", stdout);
  if (monitor) printf("  %10.64s: accuracy      ece      nll", monitor);
  fputc('\n', stdout);
}

/* With values of the first monitor; NULL: there is none. */
static void print_epoch(const crd_epoch *epoch, const char *monitor) {
  if (epoch->epoch == 1) print_header(monitor);
  printf("%5zu  %8.4f  %7.2f%%", epoch->epoch, value_of(epoch, "loss"),
         100 * value_of(epoch, "train.accuracy"));
  if (monitor)
    printf("  %19.2f%%  %7.4f  %7.4f", 100 * monitored(epoch, monitor, "accuracy"),
           monitored(epoch, monitor, "ece"), monitored(epoch, monitor, "nll"));
  puts(epoch->best ? "  best so far" : "");
}

void cli_training_line(const cli_training *t, const crd_epoch *epoch) {
  if (t->args->json) {
    add_epoch(stdout, epoch);
    add_member(stdout, "seconds", epoch->seconds);
    puts("}");
  } else if (!t->args->quiet) print_epoch(epoch, t->monitor_count ? t->names[0] : NULL);
  fflush(stdout);
}

/* ---- The command line. */

void cli_training_command(FILE *out, const cli_session *session, bool resume) {
  bool given = false;
  fputs("credence", out);
  for (int i = 1; i < session->argc; i++) {
    const bool is_resume = strcmp(session->argv[i], "--resume") == 0;
    given = given || is_resume;
    if (is_resume && !resume) continue;
    fputc(' ', out);
    cli_page_shell(out, session->argv[i]);
  }
  if (resume && !given) fputs(" --resume", out);
}

/* The same without --resume: a run that was continued is repeated like any other. */
static char *command_text(const cli_session *session) {
  char *bytes = NULL;
  size_t count;
  FILE *const text = open_memstream(&bytes, &count);
  if (!text) return NULL;
  cli_training_command(text, session, false);
  if (fclose(text) == 0) return bytes;
  free(bytes);
  return NULL;
}

/* ---- The record of the run. */

/* Writes members of one object, in lines or in one line. */
typedef struct {
  FILE *out;
  const char *between; /* after a member */
} sheet;

static void put_text(const sheet *s, const char *key, const char *text) {
  fprintf(s->out, ",%s\"%s\": ", s->between, key);
  if (text) cli_page_json(s->out, text);
  else fputs("null", s->out);
}

static void put_count(const sheet *s, const char *key, size_t count) {
  fprintf(s->out, ",%s\"%s\": %zu", s->between, key, count);
}

/* The trainer's lines "key value", as an object. */
static void put_settings(const sheet *s, const cli_training *t) {
  fprintf(s->out, ",%s\"settings\": {", s->between);
  for (const char *line = crd_trainer_settings(t->trainer), *next; *line; line = next) {
    const size_t length = strcspn(line, "\n"), key = strcspn(line, " ");
    char value[VALUE_SIZE];
    next = line + length + (line[length] == '\n');
    snprintf(value, sizeof value, "%.*s", (int)(length - key - 1), line + key + 1);
    fprintf(s->out, "%s%s\"%.*s\": ", line == crd_trainer_settings(t->trainer) ? "" : ",",
            *s->between == '\n' ? "\n    " : " ", (int)key, line);
    cli_page_json(s->out, value);
  }
  fprintf(s->out, "%s}", s->between);
}

static void put_data(const sheet *s, const cli_training *t) {
  put_text(s, "data", t->args->data);
  put_text(s, "validate", t->args->validate);
  fprintf(s->out, ",%s\"monitors\": {", s->between);
  for (size_t i = 0; i < t->args->monitors.count; i++) {
    const size_t at = i + (t->args->validate != NULL);
    fputs(i ? ", " : "", s->out);
    cli_page_json(s->out, t->names[at]);
    fputs(": ", s->out);
    cli_page_json(s->out, strchr(t->args->monitors.items[i], '=') + 1);
  }
  fputs("}", s->out);
  put_text(s, "network", t->network);
  put_text(s, "model", t->args->model);
  put_count(s, "rows", crd_dataset_describe(t->training)->rows);
  put_count(s, "classes", t->encoding->class_count);
}

static void put_epochs(const sheet *s, const cli_training *t) {
  crd_epoch epoch;
  fprintf(s->out, ",%s\"epochs\": [", s->between);
  for (size_t i = 1; crd_trainer_record(t->trainer, i, &epoch); i++) {
    fprintf(s->out, "%s%s%s", i > 1 ? "," : "", s->between, *s->between == '\n' ? "  " : "");
    add_epoch(s->out, &epoch);
    fputc('}', s->out);
  }
  fprintf(s->out, "%s]", s->between);
}

static void put_run(const sheet *s, const cli_session *session, const cli_training *t) {
  char *const command = command_text(session);
  put_text(s, "library", crd_version());
  put_text(s, "fingerprint", crd_trainer_fingerprint(t->trainer));
  put_text(s, "command", command);
  put_text(s, "output", t->args->output);
  put_data(s, t);
  put_settings(s, t);
  put_count(s, "threads", crd_trainer_threads(t->trainer));
  put_count(s, "kept_epoch", crd_trainer_best(t->trainer));
  put_epochs(s, t);
  free(command);
}

crd_status cli_training_record(cli_session *session, const cli_training *t) {
  char *bytes = NULL;
  size_t count = 0;
  crd_output *output = NULL;
  FILE *const text = open_memstream(&bytes, &count);
  if (!text) return CRD_ENOMEM;
  cli_page_begin(text, "run");
  put_run(&(sheet){ text, "\n  " }, session, t);
  fputs("\n}\n", text);
  const bool whole = !ferror(text);
  crd_status status = fclose(text) == 0 && whole ? CRD_OK : CRD_ENOMEM;
  if (status == CRD_OK) status = crd_output_open(session->ctx, t->record, &output);
  if (status == CRD_OK) status = crd_output_write(session->ctx, output, bytes, count);
  status = crd_output_finish(session->ctx, output, status);
  free(bytes);
  return status;
}

bool cli_training_recorded(const cli_training *t) {
  char line[256], wanted[128];
  bool found = false;
  FILE *const file = fopen(t->record, "r");
  if (!file) return false;
  snprintf(wanted, sizeof wanted, "  \"fingerprint\": \"%s\"", crd_trainer_fingerprint(t->trainer));
  while (!found && fgets(line, sizeof line, file))
    found = strncmp(line, wanted, strlen(wanted)) == 0;
  fclose(file);
  return found;
}

/* ---- Learned epochs. */

crd_status cli_training_learned(cli_session *session, const cli_training *t) {
  if (!t->args->learned) return CRD_OK;
  return crd_trainer_learned_save(session->ctx, t->trainer, t->args->learned);
}

/* ---- The summary. */

static void print_summary(FILE *out, const cli_training *t) {
  crd_epoch epoch;
  const size_t kept = crd_trainer_best(t->trainer);
  if (!crd_trainer_record(t->trainer, kept, &epoch)) return;
  fprintf(out, "%s: %s after epoch %zu of %zu, trained on %zu rows of %zu classes\n",
          t->args->output, t->network ? t->network : t->args->model, kept,
          crd_trainer_epochs(t->trainer), crd_dataset_describe(t->training)->rows,
          t->encoding->class_count);
  for (size_t i = 0; i < t->monitor_count; i++)
    fprintf(out, "%s: accuracy %.2f %%, ece %.4f, nll %.4f, temperature %.3f\n", t->names[i],
            100 * monitored(&epoch, t->names[i], "accuracy"), monitored(&epoch, t->names[i], "ece"),
            monitored(&epoch, t->names[i], "nll"), monitored(&epoch, t->names[i], "temperature"));
}

void cli_training_summary(FILE *out, cli_session *session, const cli_training *t) {
  if (!t->args->json) {
    print_summary(out, t);
    return;
  }
  fputs("{\"credence\": \"run\", \"version\": 1", out);
  put_run(&(sheet){ out, " " }, session, t);
  fputs("}\n", out);
}
