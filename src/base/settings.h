/* settings.h -- parse "name=value,name=value" according to a table of settings. */
#ifndef CRD_BASE_SETTINGS_H
#define CRD_BASE_SETTINGS_H

#include "base/context.h"

#include <stdbool.h>

typedef struct {
  const char *owner; /* the method or loss, for error messages */
  size_t count;
  const crd_setting_info *items;
} crd__setting_table;

/* The numbers of a setting that takes a list; its value is then the number of its elements. */
typedef struct {
  double *items;
  size_t count, most;
  const char *at; /* the last pair that was read: after a failure, the invalid one */
} crd__setting_list;

/* Sets one value for each entry of the table to its default: a number; the index of a word (0, 1
 * ...); or, if numbers are allowed too, -1, -2 ... for the words. `list` gets the default of a
 * setting that is a list, "128,128"; NULL: no setting takes one. */
crd_status crd__settings_standard(crd_context *ctx, const crd__setting_table *table, double *values,
                                  crd__setting_list *list);
/* Sets the values that the text gives; NULL or "": none. `list` as above.
 * CRD_EUSAGE names an unknown setting or a value that is not allowed. */
crd_status crd__settings_read(crd_context *ctx, const crd__setting_table *table, const char *text,
                              double *values, crd__setting_list *list);

/* Returns whether the value stands for a word. */
bool crd__setting_is_word(const crd_setting_info *setting, double value);
/* Writes the value as the user would. */
void crd__setting_text(const crd_setting_info *setting, double value, char *text, size_t size);

#endif
