/* curly.h -- a map as a program in a language with curly braces: C, JavaScript. */
#ifndef CRD_EXPORT_CURLY_H
#define CRD_EXPORT_CURLY_H

#include "export/export.h"

/* A word in which these languages differ; templates have $ and the letter in its place (curly.c).
 * A word may be a template itself. */
typedef struct {
  char letter;
  const char *word;
} crd__export_curly_word;

typedef struct {
  const crd__export_curly_word *words; /* up to letter 0 */
  const char *file_head, *file_foot;
  const char *row_head, *row_foot;   /* around the lines that turn scores into x */
  const char *pair_head, *pair_foot; /* the same for a confidence */
} crd__export_curly;

void crd__export_curly_write(const crd__export_curly *language, const crd__calibrator_map *map,
                             const char *about, crd__text *out);

#endif
