/* copy_test.c -- strided copies against plain loops: permuted, sliced, reversed, repeated. */
#include "engine/kernel/copy.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/walk.h"

#include <string.h>

enum { MOST = 1 << 20 };

static unsigned char from[8 * MOST], to[8 * MOST], want[8 * MOST];

static void plain(size_t size, size_t rank, const int64_t *dims, unsigned char *dst,
                  const int64_t *dst_strides, const unsigned char *src,
                  const int64_t *src_strides) {
  if (rank == 0) {
    memcpy(dst, src, size);
    return;
  }
  for (int64_t i = 0; i < dims[0]; i++)
    plain(size, rank - 1, dims + 1, dst + i * dst_strides[0] * (int64_t)size, dst_strides + 1,
          src + i * src_strides[0] * (int64_t)size, src_strides + 1);
}

static uint64_t below(uint64_t *counter, uint64_t n) {
  return crd__random_bits(7, 0, (*counter)++) % n;
}

/* Choose a random strided layout of an array with `dims`; *start is the offset of its first
 * element. */
static void arrange(uint64_t *counter, size_t rank, const int64_t *dims, int64_t *strides,
                    int64_t *start, bool repeats) {
  size_t order[CRD_RANK_MAX];
  int64_t step = 1;
  *start = 0;
  for (size_t d = 0; d < rank; d++) order[d] = d;
  for (size_t d = rank; d-- > 0;) {
    const size_t other = below(counter, 3) ? d : below(counter, d + 1), keep = order[d];
    order[d] = order[other];
    order[other] = keep;
    strides[order[d]] = step;
    if (below(counter, 6) == 0) strides[order[d]] *= 2;
    step = strides[order[d]] * dims[order[d]];
    if (below(counter, 5) == 0) {
      strides[order[d]] = -strides[order[d]];
      *start -= strides[order[d]] * (dims[order[d]] - 1);
    }
    if (repeats && below(counter, 5) == 0) {
      if (strides[order[d]] < 0) *start += strides[order[d]] * (dims[order[d]] - 1);
      strides[order[d]] = 0;
    }
  }
}

static void any_arrangement(void **state) {
  (void)state;
  const size_t sizes[] = { 1, 2, 4, 8 };
  const int64_t most[] = { 0, 9000, 200, 40, 12, 6, 4, 3, 2 };
  uint64_t counter = 0;
  for (size_t i = 0; i < sizeof from; i++) from[i] = (unsigned char)crd__random_bits(1, 0, i);
  for (size_t round = 0; round < 400; round++) {
    const size_t rank = below(&counter, CRD_RANK_MAX + 1), size = sizes[below(&counter, 4)];
    int64_t dims[CRD_RANK_MAX], here[CRD_RANK_MAX], there[CRD_RANK_MAX], first, second;
    for (size_t d = 0; d < rank; d++) dims[d] = 1 + (int64_t)below(&counter, (uint64_t)most[rank]);
    if (rank && below(&counter, 20) == 0) dims[0] = 0;
    arrange(&counter, rank, dims, here, &first, false);
    arrange(&counter, rank, dims, there, &second, true);
    memset(to, 0xaa, sizeof to / 8);
    memset(want, 0xaa, sizeof to / 8);
    const unsigned threads = 1 + (unsigned)below(&counter, 3);
    if (!(rank && dims[0] == 0))
      plain(size, rank, dims, want + first * (int64_t)size, here, from + second * (int64_t)size,
            there);
    crd__kernel_copy(threads, size, rank, dims, to + (rank && dims[0] ? first : 0) * (int64_t)size,
                     here, from + (rank && dims[0] ? second : 0) * (int64_t)size, there);
    assert_memory_equal(to, want, sizeof to / 8);
  }
}

/* Large enough for threads and for whole tiles. */
static void transposed(void **state) {
  (void)state;
  const int64_t dims[] = { 3, 301, 259 }, strides[] = { 301 * 259, 1, 301 };
  int64_t own[3];
  crd__kernel_strides_make(3, dims, own);
  for (unsigned threads = 1; threads <= 3; threads++) {
    memset(to, 0, sizeof to);
    plain(4, 3, dims, want, own, from, strides);
    crd__kernel_copy(threads, 4, 3, dims, to, NULL, from, strides);
    assert_memory_equal(to, want, 3 * 301 * 259 * 4);
  }
}

static void filled(void **state) {
  (void)state;
  const int64_t dims[] = { 5, 7 }, strides[] = { 9, 1 };
  const uint16_t value = 0x1234;
  uint16_t array[45] = { 0 };
  crd__kernel_fill(1, 2, 2, dims, array, strides, &value);
  for (size_t i = 0; i < 45; i++) assert_int_equal(array[i], i % 9 < 7 ? value : 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_arrangement),
    cmocka_unit_test(transposed),
    cmocka_unit_test(filled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
