/* random.c -- Philox4x32-10; the constants are the paper's. */
#include "base/random.h"

#include <math.h>

static const uint32_t multiplier[2] = { 0xD2511F53u, 0xCD9E8D57u };
static const uint32_t weyl[2] = { 0x9E3779B9u, 0xBB67AE85u };

void crd__philox(uint32_t counter[4], const uint32_t key[2]) {
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)multiplier[0] * counter[0];
    const uint64_t b = (uint64_t)multiplier[1] * counter[2];
    const uint32_t next[4] = { (uint32_t)(b >> 32) ^ counter[1] ^ k0, (uint32_t)b,
                               (uint32_t)(a >> 32) ^ counter[3] ^ k1, (uint32_t)a };
    for (int i = 0; i < 4; i++) counter[i] = next[i];
    k0 += weyl[0];
    k1 += weyl[1];
  }
}

uint64_t crd__random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
  uint32_t counter[4] = { (uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream,
                          (uint32_t)(stream >> 32) };
  const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
  crd__philox(counter, key);
  return (uint64_t)counter[1] << 32 | counter[0];
}

double crd__random_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
  return (double)(crd__random_bits(seed, stream, index) >> 11) * 0x1p-53;
}

double crd__random_normal(uint64_t seed, uint64_t stream, uint64_t index) {
  static const double turn = 6.283185307179586;
  const double radius = sqrt(-2 * log(1 - crd__random_uniform(seed, stream, 2 * index)));
  return radius * cos(turn * crd__random_uniform(seed, stream, 2 * index + 1));
}
