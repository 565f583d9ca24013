/*
 * csv_names.h -- what the names of score columns have in common: prob_cat, prob_dog; cat (p), dog
 * (p); logit0, logit1.
 */
#ifndef CRD_IO_FORMAT_CSV_NAMES_H
#define CRD_IO_FORMAT_CSV_NAMES_H

#include "base/words.h"

/* The part of a name that says what a column holds, such as "prob_". */
typedef struct {
  crd__word text; /* length 0: none */
  bool suffix;    /* it ends the name */
  bool known;     /* a word for scores is in it: prob, logit, class ... */
  bool strong;    /* a word that is for scores alone is in it: prob, logit, score ... */
} crd__io_affix;

crd__io_affix crd__io_affix_of(const crd__word *name);
/* Does it say that these are logits? */
bool crd__io_affix_is_logits(const crd__io_affix *affix);

/* What all names begin and end with, up to a separator, so that something is left of each: from[0
 * .. count) become names without it. `known`: a word for scores is in it. */
void crd__io_names_strip(const crd__word *from, size_t count, crd__word *to, bool *known);
/* p0, p1, p2 ...: names that say no more than the number. */
bool crd__io_names_are_numbers(const crd__word *names, size_t count);
/* '*' stands for any characters, '?' for one. */
bool crd__io_glob_match(const char *pattern, size_t length, const crd__word *name);

#endif
