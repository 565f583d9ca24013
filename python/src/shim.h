#include <stdlib.h>
#include <string.h>
typedef struct { size_t size; const crd_comparison *paired; const crd_group_table *groups; const struct crd_compat_table *compat; const struct crd_profile *profile; const struct crd_operating_table *operating; const crd_shift_table *shift; } crd_result_parts;
static inline crd_status crd_result_with(crd_context *ctx, const crd_result *values, const crd_result_parts *p, const crd_result **out){
  static __thread crd_result dummy; (void)ctx;
  crd_result *r = calloc(1, sizeof *r); *r = *values; (void)dummy;
  if(p->paired) r->paired=p->paired; if(p->groups) r->groups=p->groups; if(p->profile) r->profile=p->profile; *out=r; return CRD_OK; }
static inline void shim_no_destroy(const crd_result *r) { (void)r; }
#define crd_result_destroy shim_no_destroy
