/*
 * random.h -- Philox4x32-10: random numbers as a function of (seed, stream, index).
 *
 * Stateless: any thread, in any order, after any restart, gets the same number for the same index.
 *   Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011.
 */
#ifndef CRD_BASE_RANDOM_H
#define CRD_BASE_RANDOM_H

#include <stdint.h>

/* Applies the block cipher in place: ten rounds over counter and key. */
void crd__philox(uint32_t counter[4], const uint32_t key[2]);

/* Returns 64 random bits. Streams separate different uses of one seed. */
uint64_t crd__random_bits(uint64_t seed, uint64_t stream, uint64_t index);
/* Returns a uniform number in [0, 1) of 53 bits. */
double crd__random_uniform(uint64_t seed, uint64_t stream, uint64_t index);
/* Returns a standard normal number (Box-Muller). */
double crd__random_normal(uint64_t seed, uint64_t stream, uint64_t index);

#endif
