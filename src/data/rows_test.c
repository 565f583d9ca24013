/* rows_test.c -- walking over rows block by block. */
#include "data/rows.h"
#include "support.h"

enum { ROWS = 1300, CLASSES = 3, ENOUGH = 700 };

typedef struct {
  const test_data *data;
  size_t next, blocks;
  size_t limit;      /* fails at this row */
  crd_context *stop; /* interrupted in the first block */
} visit;

static crd_status take(crd_context *ctx, void *self, const crd__data_rows *rows) {
  visit *const v = self;
  assert_int_equal(rows->first, v->next);
  assert_true(rows->count > 0);
  for (size_t i = 0; i < rows->count; i++)
    assert_int_equal(rows->label[i], v->data->labels[rows->first + i]);
  v->next += rows->count;
  v->blocks++;
  if (v->stop) crd_context_interrupt(v->stop);
  return v->next > v->limit ? crd__fail(ctx, CRD_EUSAGE, "that will do") : CRD_OK;
}

static void every_row_once_in_order(void **state) {
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 3, 2, 0.6, 0, false, false });
  crd_predictions *const p = data_predictions(*state, &data, 0, ROWS);
  visit v = { .data = &data, .limit = SIZE_MAX };
  assert_int_equal(crd__data_rows_walk(*state, p, 0, take, &v), CRD_OK);
  assert_int_equal(v.next, ROWS);
  assert_int_equal(v.blocks, (ROWS + CRD__BLOCK_ROWS - 1) / CRD__BLOCK_ROWS);

  crd__data_row_reader *reader;
  assert_int_equal(crd__data_row_reader_create(*state, p, 0, &reader), CRD_OK);
  v = (visit){ .data = &data, .next = 100, .limit = SIZE_MAX };
  assert_int_equal(crd__data_row_reader_walk(*state, reader, 100, 700, take, &v), CRD_OK);
  assert_int_equal(v.next, 700);
  assert_int_equal(crd__data_row_reader_walk(*state, reader, 700, 700, take, &v), CRD_OK);
  assert_int_equal(v.next, 700);
  crd__data_row_reader_destroy(reader);
  crd_predictions_destroy(p);
  free_data(&data);
}

static void a_failure_ends_it(void **state) {
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 3, 2, 0.6, 0, false, false });
  crd_predictions *const p = data_predictions(*state, &data, 0, ROWS);
  visit v = { .data = &data, .limit = ENOUGH };
  assert_int_equal(crd__data_rows_walk(*state, p, 0, take, &v), CRD_EUSAGE);
  assert_string_equal(crd_context_message(*state), "that will do");
  assert_int_equal(v.blocks, 2);
  v = (visit){ .data = &data, .limit = SIZE_MAX, .stop = *state };
  assert_int_equal(crd__data_rows_walk(*state, p, 0, take, &v), CRD_EINTERRUPTED);
  assert_int_equal(v.blocks, 1);
  crd_predictions_destroy(p);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_row_once_in_order),
    cmocka_unit_test(a_failure_ends_it),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
