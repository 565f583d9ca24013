/*
 * augmentations_test.c -- augmentations: where pixels come from, and how often. A move is applied
 * here pixel by pixel, as its comment in transform.h defines it.
 */
#include "support.h"

#include "dataset/transform/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const crd__transform *named(const char *name) {
  for (size_t i = 0; crd__transform_augmentation_at(i); i++)
    if (strcmp(crd__transform_augmentation_at(i)->info.name, name) == 0)
      return crd__transform_augmentation_at(i);
  fail_msg("no augmentation %s", name);
}

static crd__transform_move move_of(const char *name, const crd__transform_call *call) {
  crd__transform_move move = { .y_y = 1, .x_x = 1 };
  named(name)->move(call, &move);
  assert_true(move.y_y * move.y_y + move.y_x * move.y_x == 1);
  assert_true(move.x_y * move.x_y + move.x_x * move.x_x == 1);
  assert_true(move.y_y * move.x_y == 0 && move.y_x * move.x_x == 0);
  return move;
}

/* Value at (y, x) after a move of an image whose values are 1 + 100 y + x. */
static long moved(const crd__transform_call *call, const crd__transform_move *move, long y,
                  long x) {
  const long from_y = move->y_0 + move->y_y * y + move->y_x * x;
  const long from_x = move->x_0 + move->x_y * y + move->x_x * x;
  const bool inside =
      from_y >= 0 && from_y < (long)call->height && from_x >= 0 && from_x < (long)call->width;
  return inside ? 1 + 100 * from_y + from_x : 0;
}

static long original(long y, long x) { return 1 + 100 * y + x; }

/* Crops move by every offset from -pad to pad, equally often. */
static void test_crop(void **state) {
  enum { PAD = 2, OFFSETS = 2 * PAD + 1, DRAWS = 20000 };
  const double settings[] = { PAD };
  size_t counts[OFFSETS * OFFSETS] = { 0 };
  (void)state;
  for (uint64_t key = 0; key < DRAWS; key++) {
    const crd__transform_call call = {
      .settings = settings, .key = key, .channels = 1, .height = 5, .width = 9
    };
    const crd__transform_move move = move_of("crop", &call);
    assert_true(move.y_y == 1 && move.x_x == 1 && labs(move.y_0) <= PAD && labs(move.x_0) <= PAD);
    counts[(size_t)((move.y_0 + PAD) * OFFSETS + move.x_0 + PAD)]++;
  }
  const double wanted = (double)DRAWS / (OFFSETS * OFFSETS);
  for (size_t i = 0; i < OFFSETS * OFFSETS; i++)
    assert_true(fabs((double)counts[i] - wanted) < 5 * sqrt(wanted));
}

static void check_flip(const char *name, bool vertical) {
  static const double half[] = { 0.5 }, always[] = { 1 }, never[] = { 0 };
  crd__transform_call call = { .settings = always, .channels = 1, .height = 3, .width = 4 };
  crd__transform_move move = move_of(name, &call);
  for (long y = 0; y < 3; y++)
    for (long x = 0; x < 4; x++)
      assert_int_equal(moved(&call, &move, y, x),
                       vertical ? original(2 - y, x) : original(y, 3 - x));
  size_t flips = 0;
  for (call.key = 0; call.key < 10000; call.key++) {
    call.settings = never;
    move = move_of(name, &call);
    assert_true(move.y_y == 1 && move.x_x == 1);
    call.settings = half;
    move = move_of(name, &call);
    flips += move.y_y < 0 || move.x_x < 0;
  }
  assert_true(flips > 4800 && flips < 5200);
}

static void test_flips(void **state) {
  (void)state;
  check_flip("flip", false);
  check_flip("flip-vertical", true);
}

/* Every turn of a square is one of four, equally often; others keep their shape. */
static void test_rotate90(void **state) {
  size_t counts[4] = { 0 };
  crd__transform_call call = { .channels = 1, .height = 4, .width = 4 };
  (void)state;
  for (call.key = 0; call.key < 4000; call.key++) {
    const crd__transform_move move = move_of("rotate90", &call);
    const long corners[] = { original(0, 0), original(0, 3), original(3, 3), original(3, 0) };
    const long corner = moved(&call, &move, 0, 0);
    size_t turns = 0;
    while (turns < 4 && corners[turns] != corner) turns++;
    assert_true(turns < 4);
    counts[turns]++;
    for (long y = 0; y < 4; y++)
      for (long x = 0; x < 4; x++) {
        const long wanted[] = { original(y, x), original(x, 3 - y), original(3 - y, 3 - x),
                                original(3 - x, y) };
        assert_int_equal(moved(&call, &move, y, x), wanted[turns]);
      }
  }
  for (size_t i = 0; i < 4; i++) assert_true(counts[i] > 850 && counts[i] < 1150);
  call.width = 6;
  size_t upside_down = 0;
  for (call.key = 0; call.key < 1000; call.key++) {
    const crd__transform_move move = move_of("rotate90", &call);
    assert_true(move.y_x == 0 && move.x_y == 0);
    upside_down += move.y_y < 0;
  }
  assert_true(upside_down > 400 && upside_down < 600);
}

/* A square of the given size, clipped at the border, gets the fill; all else stays. */
static void test_cutout(void **state) {
  enum { SIDE = 10, AREA = SIDE * SIDE };
  const double number[] = { 4, 0.25 }, mean[] = { 3, -1 };
  float in[2 * AREA], out[2 * AREA];
  bool reached[AREA] = { false };
  for (size_t i = 0; i < 2 * AREA; i++) in[i] = (float)(0.5 + 0.001 * (double)i);
  for (uint64_t key = 0; key < 3000; key++) {
    crd__transform_call call = {
      .settings = number, .key = key, .channels = 2, .height = SIDE, .width = SIDE
    };
    size_t changed = 0;
    assert_int_equal(named("cutout")->apply(*state, &call, in, out), CRD_OK);
    for (size_t i = 0; i < AREA; i++) {
      const bool cut = out[i] != in[i];
      assert_true(!cut || out[i] == 0.25F);
      assert_true(cut == (out[AREA + i] != in[AREA + i]));
      changed += cut;
      reached[i] = reached[i] || cut;
    }
    assert_true(changed >= 4 && changed <= 16);
    call.settings = mean;
    assert_int_equal(named("cutout")->apply(*state, &call, in, out), CRD_OK);
    for (size_t i = 0; i < AREA; i++)
      assert_true(out[i] == in[i] || near((double)out[i], 0.5 + 0.001 * 49.5, 1e-6));
  }
  for (size_t i = 0; i < AREA; i++) assert_true(reached[i]);
}

/* A square larger than the image covers all of it. */
static void test_large_cutout(void **state) {
  const double settings[] = { 100, 0 };
  float in[6] = { 1, 1, 1, 1, 1, 1 }, out[6];
  const crd__transform_call call = { .settings = settings, .channels = 1, .height = 2, .width = 3 };
  assert_int_equal(named("cutout")->apply(*state, &call, in, out), CRD_OK);
  for (size_t i = 0; i < 6; i++) assert_true(out[i] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_crop), cmocka_unit_test(test_flips),
                                      cmocka_unit_test(test_rotate90),
                                      cmocka_unit_test(test_cutout),
                                      cmocka_unit_test(test_large_cutout) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
