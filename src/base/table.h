/*
 * table.h -- the public functions of a table.
 *
 *   CRD_TABLE(metric, crd_metric_info, METRIC_COUNT, &metrics[index]->info)
 *
 * defines crd_metric_count; crd_metric_at, which returns NULL past the end; and crd_metric_find,
 * which returns NULL for an unknown name, and for NULL.
 */
#ifndef CRD_BASE_TABLE_H
#define CRD_BASE_TABLE_H

#include <stddef.h>
#include <string.h>

/* `entry` is the address of the entry at `index`, a struct with the member `name`. */
#define CRD_TABLE(noun, type, length, entry)                                                       \
  size_t crd_##noun##_count(void) { return length; }                                               \
  const type *crd_##noun##_at(size_t index) { return index < (length) ? (entry) : NULL; }          \
  const type *crd_##noun##_find(const char *name) {                                                \
    size_t i = 0;                                                                                  \
    while (name && i < (length) && strcmp(crd_##noun##_at(i)->name, name) != 0) i++;               \
    return name ? crd_##noun##_at(i) : NULL;                                                       \
  }

/* The name at an index, such as an enum; NULL outside the array. */
#define CRD_NAME_AT(names, index)                                                                  \
  ((size_t)(index) < sizeof(names) / sizeof *(names) ? (names)[index] : NULL)

/* Defines a function for crd__names (nearest.h), NOUN_name, of a table. */
#define CRD_TABLE_NAME(noun)                                                                       \
  static const char *noun##_name(const void *self, size_t index) {                                 \
    (void)self;                                                                                    \
    return index < crd_##noun##_count() ? crd_##noun##_at(index)->name : NULL;                     \
  }

/* Defines the functions of a table that is not built in. */
#define CRD_TABLE_ABSENT(noun, type)                                                               \
  size_t crd_##noun##_count(void) { return 0; }                                                    \
  const type *crd_##noun##_at(size_t index) {                                                      \
    (void)index;                                                                                   \
    return NULL;                                                                                   \
  }                                                                                                \
  const type *crd_##noun##_find(const char *name) {                                                \
    (void)name;                                                                                    \
    return NULL;                                                                                   \
  }

#endif
