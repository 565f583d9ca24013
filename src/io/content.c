/* content.c -- opens a file and decompresses it. The first bytes tell, not the name. */
#include "io/content.h"

#include "base/memory.h"
#include "io/gzip.h"

static crd_status take_bytes(crd_context *ctx, crd__io_content *content) {
  content->bytes = content->blob.bytes;
  content->length = content->blob.length;
  if (content->length == 0) return crd__fail(ctx, CRD_EINPUT, "the file is empty");
  if (!crd__io_gzip_recognise(content->bytes, content->length)) return CRD_OK;
  CRD_TRY(crd__io_gzip_inflate(ctx, content->bytes, content->length, &content->inflated,
                               &content->length));
  if (content->length == 0) return crd__fail(ctx, CRD_EINPUT, "the gzipped file is empty");
  content->bytes = content->inflated;
  crd__blob_close(&ctx->alloc, &content->blob);
  return CRD_OK;
}

crd_status crd__io_content_open(crd_context *ctx, const char *path, crd__io_content *out) {
  *out = (crd__io_content){ 0 };
  CRD_TRY(crd__blob_open(ctx, path, &out->blob));
  const crd_status status = take_bytes(ctx, out);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, path);
}

void crd__io_content_close(const crd_allocator *alloc, crd__io_content *content) {
  crd__free(alloc, content->inflated);
  crd__blob_close(alloc, &content->blob);
  *content = (crd__io_content){ 0 };
}
