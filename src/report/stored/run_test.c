/* run_test.c -- records of training are read; what is wrong with others is named with its place. */
#include "report/stored/stored.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD "{\"credence\": \"run\", \"version\": 1, \"output\": \"dir/m.onnx\", "
#define NETWORK "\"network\": \"lenet5\", \"model\": null, "
#define SIZE "\"rows\": 700, \"classes\": 3, "
#define SETTINGS "\"settings\": {\"loss\": \"ce + 5*dca\", \"best\": \"\"}, "
#define BEFORE HEAD NETWORK SIZE SETTINGS
#define ONE "{\"epoch\": 1, \"rate\": 0.5, \"loss\": 2, \"v.1.ece\": null}"
#define TWO "{\"epoch\": 2, \"loss\": 1.5, \"v.1.ece\": 0.25, \"rate\": 0, \"best\": true}"

static const crd_run *read_run(crd_context *ctx, const char *bytes) {
  const crd_run *run = NULL;
  if (crd__report_run_read(ctx, bytes, strlen(bytes), &run) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return run;
}

static void run_is_read(void **state) {
  const crd_run *const run =
      read_run(*state, BEFORE "\"later\": [], \"kept_epoch\": 2, \"epochs\": [" ONE ", " TWO "]}");
  assert_string_equal(run->name, "dir/m.onnx");
  assert_string_equal(run->network, "lenet5");
  assert_true(run->rows == 700 && run->classes == 3 && run->epochs == 2);
  assert_true(run->kept == 2 && run->best);
  assert_int_equal(run->setting_count, 2);
  assert_string_equal(crd_run_setting_value(run, "loss"), "ce + 5*dca");
  assert_string_equal(crd_run_setting_value(run, "best"), "");
  assert_null(crd_run_setting_value(run, "batch"));
  assert_int_equal(run->column_count, 3);
  assert_string_equal(run->columns[0].name, "rate");
  assert_string_equal(run->columns[1].name, "loss");
  assert_null(run->columns[1].data);
  assert_string_equal(run->columns[1].measure, "loss");
  assert_true(run->columns[0].values[0] == 0.5 && run->columns[0].values[1] == 0);
  assert_true(run->columns[1].values[0] == 2 && run->columns[1].values[1] == 1.5);
  const crd_run_column *const ece = crd_run_column_find(run, "v.1.ece");
  assert_ptr_equal(ece, &run->columns[2]);
  assert_string_equal(ece->data, "v.1");
  assert_string_equal(ece->measure, "ece");
  assert_true(isnan(ece->values[0]) && ece->values[1] == 0.25);
  assert_null(crd_run_column_find(run, "v.1"));
  crd_run_destroy(run);
  crd_run_destroy(NULL);
}

/* A term has dots in its settings; a run that continues a model has no network. */
static void others_are_read(void **state) {
  const crd_run *const run =
      read_run(*state, HEAD "\"network\": null, \"model\": \"a.onnx\", " SIZE
                            "\"settings\": {}, \"kept_epoch\": 1, \"epochs\": [{\"epoch\": 1, "
                            "\"loss.focal(gamma=2.5)\": 1, \"lossy.ece\": 1}]}");
  assert_string_equal(run->network, "a.onnx");
  assert_int_equal(run->best, 0);
  assert_string_equal(run->columns[0].data, "loss");
  assert_string_equal(run->columns[0].measure, "focal(gamma=2.5)");
  assert_string_equal(run->columns[1].data, "lossy");
  crd_run_destroy(run);
}

#define END "\"kept_epoch\": 1, \"epochs\": ["

static void errors_have_their_place(void **state) {
  static const struct {
    const char *bytes, *message;
  } cases[] = {
    { "", "found an unknown kind of file, allowed is the record of a training run: m.run.json" },
    { "[]", "found an unknown kind of file" },
    { "{}", "found an unknown kind of file" },
    { "{\"credence\": \"result\", \"version\": 1}", "found JSON of the kind 'result', allowed is" },
    { "{\"credence\": \"run\"", "line 1 is not JSON" },
    { "{\"credence\": \"run\"}", "version: found nothing, allowed is 1" },
    { "{\"credence\": \"run\", \"version\": 2}",
      "version: found 2, allowed is 1: a newer program" },
    { "{\"credence\": \"run\", \"version\": 1}", "output: found nothing, allowed is text" },
    { HEAD "\"network\": 3}", "network: found 3, allowed is text, or null" },
    { HEAD "\"network\": null, \"model\": null}",
      "network: found null, allowed is text, unless 'model' is text" },
    { HEAD NETWORK "\"rows\": -1}", "rows: found -1, allowed is an integer from 0" },
    { HEAD NETWORK SIZE "\"settings\": []}",
      "settings: found an array of 0, allowed is an object" },
    { HEAD NETWORK SIZE "\"settings\": {\"a\": \"b\", \"seed\": 0}}",
      "settings.seed: found 0, allowed is text" },
    { BEFORE "\"kept_epoch\": 1}", "epochs: found nothing, allowed is an array" },
    { BEFORE END "]}", "epochs: found an array of 0, allowed is an array of at least one epoch" },
    { BEFORE END "7]}", "epochs[0]: found 7, allowed is an object" },
    { BEFORE END ONE ", null]}", "epochs[1]: found null, allowed is an object" },
    { BEFORE END "{\"loss\": 1}]}",
      "epochs[0].epoch: found nothing, allowed is an integer from 0" },
    { BEFORE END TWO "]}", "epochs[0]: found epoch 2, allowed is 1: all epochs, in order" },
    { BEFORE END ONE ", " ONE "]}", "epochs[1]: found epoch 1, allowed is 2" },
    { BEFORE END ONE ", {\"epoch\": 2, \"loss\": 1}]}",
      "epochs[1]: found 1 values, allowed are as many as in the first epoch, 3" },
    { BEFORE END ONE ", {\"epoch\": 2, \"loss\": 1, \"rate\": 1, \"v.2.ece\": 1}]}",
      "epochs[1].v.1.ece: found nothing, allowed is a number, or null" },
    { BEFORE END "{\"epoch\": 1, \"loss\": \"2\"}]}",
      "epochs[0].loss: found '2', allowed is a number, or null" },
    { BEFORE END "{\"epoch\": 1, \"best\": 1}]}",
      "epochs[0].best: found 1, allowed is true or false" },
    { BEFORE "\"epochs\": [" ONE "]}", "kept_epoch: found nothing, allowed is an integer from 0" },
    { BEFORE "\"kept_epoch\": 0, \"epochs\": [" ONE "]}",
      "kept_epoch: found 0, allowed is one of the epochs, 1 to 1" },
    { BEFORE "\"kept_epoch\": 3, \"epochs\": [" ONE ", " TWO "]}",
      "kept_epoch: found 3, allowed is one of the epochs, 1 to 2" },
  };
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd_run *run = (crd_run *)&state;
    assert_int_equal(crd__report_run_read(ctx, cases[i].bytes, strlen(cases[i].bytes), &run),
                     CRD_EINPUT);
    assert_null(run);
    if (strncmp(crd_context_message(ctx), cases[i].message, strlen(cases[i].message)) != 0)
      fail_msg("'%s' does not begin with '%s'", crd_context_message(ctx), cases[i].message);
  }
}

static void files_are_named(void **state) {
  const crd_run *run = NULL;
  assert_int_equal(crd_run_load(*state, CREDENCE_SOURCE "/tests/cli/data/training.run.json", &run),
                   CRD_OK);
  assert_true(run->epochs == 6 && run->kept == 4 && run->best);
  crd_run_destroy(run);
  assert_int_equal(crd_run_load(*state, CREDENCE_SOURCE "/tests/cli/data/matrix.json", &run),
                   CRD_EINPUT);
  assert_null(run);
  assert_non_null(strstr(crd_context_message(*state), "matrix.json: found JSON of the kind"));
  assert_int_equal(crd_run_load(*state, "/nonexistent", &run), CRD_EINPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(run_is_read),
    cmocka_unit_test(others_are_read),
    cmocka_unit_test(errors_have_their_place),
    cmocka_unit_test(files_are_named),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
