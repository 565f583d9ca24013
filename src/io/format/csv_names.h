/*
 * csv_names.h -- common prefixes and suffixes of score columns: prob_cat, prob_dog; cat (p), dog
 * (p); logit0, logit1.
 */
#ifndef CRD_IO_FORMAT_CSV_NAMES_H
#define CRD_IO_FORMAT_CSV_NAMES_H

#include "base/words.h"

/* The prefix or suffix of a name that indicates its role, such as "prob_". */
typedef struct {
  crd__word text; /* length 0: none */
  bool suffix;    /* at the end of the name */
  bool known;     /* contains a word used for scores: prob, logit, class ... */
  bool strong;    /* contains a word used for scores only: prob, logit, score ... */
} crd__io_affix;

crd__io_affix crd__io_affix_of(const crd__word *name);
/* Returns whether it contains "logit". */
bool crd__io_affix_is_logits(const crd__io_affix *affix);

/* Strips the common prefix and suffix, up to a separator, of from[0 .. count), leaving no name
 * empty. `known`: what was stripped contains a word for scores. */
void crd__io_names_strip(const crd__word *from, size_t count, crd__word *to, bool *known);
/* Returns whether the names are just numbered: p0, p1, p2 ... */
bool crd__io_names_are_numbers(const crd__word *names, size_t count);
/* Returns whether the name matches a pattern, in which '*' stands for any characters and '?' for
 * one. */
bool crd__io_glob_match(const char *pattern, size_t length, const crd__word *name);

#endif
