/* loss.c -- the table of losses, made from list.h; creates and destroys losses. */
#include "loss/loss.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/table.h"

#include <string.h>

static const crd__loss *const losses[] = {
#define LOSS(name) &crd__loss_##name,
#include "loss/kind/list.h"
#undef LOSS
};

const crd__loss *crd__loss_at(size_t index) {
  return index < crd_loss_count() ? losses[index] : NULL;
}

CRD_TABLE(loss, crd_loss_info, sizeof losses / sizeof *losses, &losses[index]->info)
CRD_TABLE_NAME(loss)

const crd__names crd__loss_names = { .unknown = "no loss is called",
                                     .lister = "crd_loss_at",
                                     .at = loss_name };

void crd_loss_destroy(crd_loss *loss) {
  if (!loss) return;
  const crd_allocator alloc = loss->alloc;
  crd__loss_pool_destroy(&alloc, loss->pool);
  crd__loss_parts_clear(&alloc, loss->parts, loss->count);
  crd__notes_clear(&alloc, &loss->notes);
  crd__free(&alloc, loss->class_counts);
  crd__free(&alloc, loss);
}

static crd_status copy_counts(crd_context *ctx, crd_loss *loss) {
  const crd_loss_options *const o = &loss->options;
  if (!o->class_counts) return CRD_OK;
  CRD_TRY(crd__new(ctx, o->classes, sizeof(double), "class counts", &loss->class_counts));
  memcpy(loss->class_counts, o->class_counts, o->classes * sizeof(double));
  loss->options.class_counts = loss->class_counts;
  return CRD_OK;
}

/* Fails for a negative factor or setting unless the options allow it; if so, adds a note. */
static crd_status check_sign(crd_context *ctx, crd_loss *loss, const char *term, const char *what,
                             double value) {
  if (value >= 0) return CRD_OK;
  if (!loss->options.allow_negative)
    return crd__fail(ctx, CRD_EUSAGE, "%s: %s is below 0, which needs %s", term, what,
                     crd__spell(ctx, "allow_negative"));
  return crd__notes_add(ctx, &loss->alloc, &loss->notes,
                        "%s: %s is below 0: this raises confidences", term, what);
}

static crd_status check_part(crd_context *ctx, crd_loss *loss, const crd__loss_part *part) {
  const crd__loss_term term = { .loss = part->loss,
                                .settings = part->settings,
                                .list = part->list,
                                .list_count = part->list_count,
                                .options = &loss->options,
                                .scale = part->factor };
  CRD_TRY(check_sign(ctx, loss, part->text, "its factor", part->factor));
  for (size_t i = 0; i < part->loss->info.setting_count; i++) {
    const crd_setting_info *const setting = &part->loss->info.settings[i];
    if (!setting->words)
      CRD_TRY(check_sign(ctx, loss, part->text, setting->name, part->settings[i]));
  }
  loss->row_numbers += part->loss->scratch;
  loss->class_numbers += part->loss->scratch_classes;
  return part->loss->check ? part->loss->check(ctx, &term) : CRD_OK;
}

crd_status crd_loss_create(crd_context *ctx, const char *expression,
                           const crd_loss_options *options, crd_loss **out) {
  crd_loss_options own;
  crd_loss *loss;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_loss_options, options, &own));
  CRD_TRY(crd__new(ctx, 1, sizeof *loss, "a loss", &loss));
  loss->alloc = ctx->alloc;
  loss->options = own;
  crd_status status = copy_counts(ctx, loss);
  if (status == CRD_OK) status = crd__new(ctx, 1, sizeof *loss->pool, "a loss", &loss->pool);
  if (status == CRD_OK) status = crd__loss_parts_read(ctx, expression, loss->parts, &loss->count);
  for (size_t i = 0; status == CRD_OK && i < loss->count; i++)
    status = check_part(ctx, loss, &loss->parts[i]);
  if (status == CRD_OK) *out = loss;
  else crd_loss_destroy(loss);
  return status;
}

size_t crd_loss_term_count(const crd_loss *loss) { return loss->count; }

const char *crd_loss_term(const crd_loss *loss, size_t index) {
  return index < loss->count ? loss->parts[index].text : NULL;
}

const char *crd_loss_note(const crd_loss *loss, size_t index) {
  return index < loss->notes.count ? loss->notes.items[index] : NULL;
}
