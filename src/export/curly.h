/* curly.h -- writes a map as source code of a curly-brace language: C, JavaScript. */
#ifndef CRD_EXPORT_CURLY_H
#define CRD_EXPORT_CURLY_H

#include "export/export.h"

/* A token in which these languages differ; templates have $ and the letter instead (curly.c). A
 * word may itself be a template. */
typedef struct {
  char letter;
  const char *word;
} crd__export_curly_word;

typedef struct {
  const crd__export_curly_word *words; /* terminated by letter 0 */
  const char *file_head, *file_foot;
  const char *row_head, *row_foot;      /* around the code that computes x from scores */
  const char *pair_head, *pair_foot;    /* the same for a confidence */
  const char *row_header, *pair_header; /* the header's text; NULL: the language has none */
  bool float32;                         /* constants are float32 */
} crd__export_curly;

void crd__export_curly_write(const crd__export_curly *language, const crd__calibrator_map *map,
                             const crd__export_words *words, crd__text *out);
void crd__export_curly_header(const crd__export_curly *language, const crd__calibrator_map *map,
                              const crd__export_words *words, crd__text *out);

#endif
