/* place_test.c -- moves after each other, normalisation, and chains, against one step at a time. */
#include "dataset/transform/place.h"
#include "support.h"

#include <string.h>

enum { C = 2, H = 5, W = 7, AREA = H * W, SIZE = C * AREA };

static float noise(uint64_t stream, size_t index) {
  return (float)(crd__random_bits(3, stream, index) % 256) / 255.0F;
}

/* A random move: shifted, mirrored; of a square also transposed. */
static crd__transform_move random_move(uint64_t number, bool square) {
  const uint64_t bits = crd__random_bits(17, 0, number);
  const ptrdiff_t y = bits & 1 ? 1 : -1, x = bits & 2 ? 1 : -1;
  crd__transform_move move = { .y_0 = (ptrdiff_t)(bits >> 8 & 15) - 5,
                               .x_0 = (ptrdiff_t)(bits >> 16 & 15) - 5 };
  if (square && bits & 4) {
    move.y_x = y;
    move.x_y = x;
  } else {
    move.y_y = y;
    move.x_x = x;
  }
  return move;
}

/* The definition of a move. */
static void move_slowly(const crd__transform_move *m, size_t height, size_t width, const float *in,
                        float *out) {
  for (ptrdiff_t y = 0; y < (ptrdiff_t)height; y++)
    for (ptrdiff_t x = 0; x < (ptrdiff_t)width; x++) {
      const ptrdiff_t from_y = m->y_0 + m->y_y * y + m->y_x * x;
      const ptrdiff_t from_x = m->x_0 + m->x_y * y + m->x_x * x;
      const bool inside =
          from_y >= 0 && from_y < (ptrdiff_t)height && from_x >= 0 && from_x < (ptrdiff_t)width;
      out[y * (ptrdiff_t)width + x] = inside ? in[from_y * (ptrdiff_t)width + from_x] : 0;
    }
}

static void moves_become_one(void **state) {
  static const float table[512]; /* no bytes here */
  (void)state;
  for (uint64_t n = 0; n < 3000; n++) {
    const bool square = n % 2;
    const size_t width = square ? H : W, area = H * width;
    const crd__transform_scale plain = {
      .channels = 1, .height = H, .width = width, .table = table
    };
    float in[AREA], slow[AREA], next[AREA], fast[AREA];
    crd__transform_placement placement = crd__transform_placement_identity(H, width);
    for (size_t i = 0; i < area; i++) in[i] = slow[i] = 1 + noise(n, i); /* nothing is 0 */
    for (uint64_t step = 0; step <= n % 4; step++) {
      const crd__transform_move move = random_move(4 * n + step, square);
      crd__transform_placement_add(&placement, &move, H, width);
      move_slowly(&move, H, width, slow, next);
      memcpy(slow, next, sizeof slow);
    }
    crd__transform_place(&plain, &placement, (crd__transform_source){ .values = in }, fast);
    if (memcmp(fast, slow, area * sizeof *fast) != 0) fail_msg("case %u", (unsigned)n);
  }
}

static const double mean[C] = { 0.47, 0.1 }, std[C] = { 0.31, 2.7 };

/* Bytes and float32 of the same image give the same bits, and those of the formula. */
static void bytes_and_numbers_agree(void **state) {
  (void)state;
  float table[256 * (C + 1)], values[SIZE], of_bytes[SIZE], of_values[SIZE];
  unsigned char bytes[SIZE];
  for (int normalised = 0; normalised < 2; normalised++) {
    crd__transform_scale scale = { .channels = C, .height = H, .width = W };
    if (normalised) scale.mean = mean, scale.std = std;
    crd__transform_scale_fill(&scale, table);
    scale.table = table;
    for (size_t i = 0; i < SIZE; i++) {
      bytes[i] = (unsigned char)(crd__random_bits(1, 2, i) >> 9);
      values[i] = (float)bytes[i] / 255.0F;
    }
    for (uint64_t n = 0; n < 200; n++) {
      const crd__transform_move move = random_move(n, false);
      crd__transform_placement placement = crd__transform_placement_identity(H, W);
      if (n) crd__transform_placement_add(&placement, &move, H, W);
      crd__transform_place(&scale, &placement, (crd__transform_source){ .bytes = bytes }, of_bytes);
      crd__transform_place(&scale, &placement, (crd__transform_source){ .values = values },
                           of_values);
      assert_memory_equal(of_bytes, of_values, sizeof of_bytes);
      for (size_t i = 0; n == 0 && i < SIZE; i++) {
        const size_t c = i / AREA;
        const float expected = (float)(((double)values[i] - mean[c]) / std[c]);
        assert_true(of_bytes[i] == (normalised ? expected : values[i]));
      }
    }
  }
}

/* ---- Chains with steps that are not moves. */

static crd_status add_one(crd_context *ctx, const crd__transform_call *call, const float *in,
                          float *out) {
  const float more = (float)call->settings[0] + (float)call->stream;
  (void)ctx;
  for (size_t i = 0; i < call->channels * call->height * call->width; i++) out[i] = in[i] + more;
  return CRD_OK;
}

static crd_status break_down(crd_context *ctx, const crd__transform_call *call, const float *in,
                             float *out) {
  (void)call, (void)in, (void)out;
  return crd__fail(ctx, CRD_EINPUT, "broken");
}

static void shift_right(const crd__transform_call *call, crd__transform_move *move) {
  (void)call;
  move->x_0 = -1;
}

static void chains_apply_one_step_after_the_other(void **state) {
  static const crd__transform adder = { .apply = add_one }, shifter = { .move = shift_right };
  static const crd__transform breaker = { .apply = break_down };
  double ten[] = { 10 };
  crd__transform_chain chain = { .count = 5,
                                 .steps = { { &shifter, NULL },
                                            { &adder, ten },
                                            { &shifter, NULL },
                                            { &shifter, NULL },
                                            { &adder, ten } } };
  crd__transform_scale scale = { .channels = C, .height = H, .width = W, .mean = mean, .std = std };
  float table[256 * (C + 1)], in[SIZE], scratch[2 * SIZE], out[SIZE];
  crd__transform_scale_fill(&scale, table);
  scale.table = table;
  for (size_t i = 0; i < SIZE; i++) in[i] = noise(4, i);
  assert_int_equal(crd__transform_chain_apply(*state, &chain, &scale, 0,
                                              (crd__transform_source){ .values = in }, scratch,
                                              out),
                   CRD_OK);
  for (size_t i = 0; i < SIZE; i++) {
    const size_t x = i % W, c = i / AREA;
    float expected = x < 2 ? 0 : x == 2 ? 0.0F + 11 : in[i - 3] + 11;
    expected += 14;
    assert_true(out[i] == (float)(((double)expected - mean[c]) / std[c]));
  }
  chain.steps[4].transform = &breaker;
  assert_int_equal(crd__transform_chain_apply(*state, &chain, &scale, 0,
                                              (crd__transform_source){ .values = in }, scratch,
                                              out),
                   CRD_EINPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moves_become_one),
    cmocka_unit_test(bytes_and_numbers_agree),
    cmocka_unit_test(chains_apply_one_step_after_the_other),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
