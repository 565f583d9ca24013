/* part.c -- parses "name(setting=value,...)" by a table of optimisers or schedules. */
#include "train/part.h"

enum { VALUE_SIZE = 64 };

static const crd_training_part_info *entry(const void *table, size_t index) {
  return ((const crd__train_table *)table)->at(index);
}

const char *crd__train_part_name(const void *table, size_t index) {
  return entry(table, index) ? entry(table, index)->name : NULL;
}

crd__setting_table crd__train_part_settings(const void *table, size_t index) {
  const crd_training_part_info *const info = entry(table, index);
  return (crd__setting_table){ info->name, info->setting_count, info->settings };
}

crd_status crd__train_part_read(crd_context *ctx, const crd__choices *table, const char *text,
                                crd__train_part *out) {
  *out = (crd__train_part){ 0 };
  CRD_TRY(crd__choice_read_one(ctx, table, text, &out->chosen));
  out->info = entry(table->names->self, out->chosen.index);
  return CRD_OK;
}

void crd__train_part_clear(const crd_allocator *alloc, crd__train_part *part) {
  crd__choice_clear(alloc, &part->chosen);
}

static void spell_list(const crd__choice *chosen, crd__text *text) {
  for (size_t i = 0; i < chosen->list_count; i++) {
    if (i) crd__text_add(text, ",");
    crd__text_add_number(text, chosen->list[i]);
  }
}

void crd__train_part_spell(const crd__train_part *part, crd__text *text) {
  crd__text_add(text, part->info->name);
  for (size_t i = 0; i < part->info->setting_count; i++) {
    const crd_setting_info *const setting = &part->info->settings[i];
    char value[VALUE_SIZE];
    crd__text_addf(text, "%s%s=", i ? "," : "(", setting->name);
    if (setting->list) spell_list(&part->chosen, text);
    else {
      crd__setting_text(setting, part->chosen.values[i], value, sizeof value);
      crd__text_add(text, value);
    }
  }
  if (part->info->setting_count) crd__text_add(text, ")");
}
