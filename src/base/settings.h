/* settings.h -- "name=value,name=value" against a table of settings. */
#ifndef CRD_BASE_SETTINGS_H
#define CRD_BASE_SETTINGS_H

#include "base/context.h"

#include <stdbool.h>

typedef struct {
  const char *owner; /* whose settings they are, for messages */
  size_t count;
  const crd_setting_info *items;
} crd__setting_table;

/* Numbers of a setting that takes a list; its value is then the number of its words. */
typedef struct {
  double *items;
  size_t count, most;
  const char *at; /* the pair that was read last: after a failure, the wrong one */
} crd__setting_list;

/* One value for each row of the table: a number, or that of a word (0, 1 ...), or -1, -2 ... for
 * words where numbers are allowed too. First those of the table ... */
crd_status crd__settings_standard(crd_context *ctx, const crd__setting_table *table,
                                  double *values);
/* ... then those of the text; NULL or "" changes nothing. `list` NULL: no setting takes one. */
crd_status crd__settings_read(crd_context *ctx, const crd__setting_table *table, const char *text,
                              double *values, crd__setting_list *list);

/* Does the value stand for a word? */
bool crd__setting_is_word(const crd_setting_info *setting, double value);
/* The value as it would be given. */
void crd__setting_text(const crd_setting_info *setting, double value, char *text, size_t size);

#endif
