/* image_testing.h -- trees of image files in a temporary folder. */
#ifndef CRD_DATASET_KIND_IMAGE_TESTING_H
#define CRD_DATASET_KIND_IMAGE_TESTING_H

#include "dataset/image/testing.h"

#include "base/folder.h"
#include "base/memory.h"

#include <sys/stat.h>

enum { TREE_PATH_MOST = 1024 };

/* Makes an empty folder. */
static inline const char *make_tree(char path[256]) {
  const char *const folder = getenv("TMPDIR");
  snprintf(path, 256, "%s/credence-tree-XXXXXX", folder ? folder : "/tmp");
  assert_non_null(mkdtemp(path));
  return path;
}

static inline void remove_tree(crd_context *ctx, const char *path) {
  crd__folder folder;
  assert_int_equal(crd__folder_list(ctx, path, &folder), CRD_OK);
  for (size_t i = 0; i < folder.count; i++) {
    char *whole;
    assert_int_equal(crd__folder_join(ctx, path, folder.entries[i].name, &whole), CRD_OK);
    if (folder.entries[i].is_folder) remove_tree(ctx, whole);
    else assert_int_equal(unlink(whole), 0);
    crd__free(&ctx->alloc, whole);
  }
  crd__folder_clear(&ctx->alloc, &folder);
  assert_int_equal(rmdir(path), 0);
}

/* Writes a file, and the folders above it. */
static inline void put_bytes(const char *tree, const char *name, const void *bytes, size_t length) {
  char path[TREE_PATH_MOST];
  const int start = snprintf(path, sizeof path, "%s/%s", tree, name) - (int)strlen(name);
  for (char *slash = strchr(path + start, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0700);
    *slash = '/';
  }
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* Writes a picture as PNG or JPEG, by its extension. */
static inline void put_image(crd_context *ctx, const char *tree, const char *name, size_t height,
                             size_t width, size_t channels) {
  const bool jpeg = strstr(name, ".jpg") != NULL;
  crd__image image = draw_image(ctx, height, width, channels, strlen(name));
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  WORKS(ctx,
        (jpeg ? &crd__image_codec_jpeg : &crd__image_codec_png)->encode(ctx, &image, 95, &text));
  put_bytes(tree, name, text.bytes, text.length);
  crd__text_clear(&text);
  crd__image_clear(&ctx->alloc, &image);
}

/* Opens "KIND:TREE/rest", with the rest of DATA. */
static inline crd_status open_tree(crd_context *ctx, const char *kind, const char *tree,
                                   const char *rest, const crd_dataset_options *options,
                                   crd_dataset **out) {
  char data[TREE_PATH_MOST];
  snprintf(data, sizeof data, "%s:%s%s", kind, tree, rest);
  return crd_dataset_open(ctx, data, options, out);
}

/* Returns whether this build can read and write the test's images. */
static inline bool has_codecs(crd_context *ctx) {
  return has_codec(ctx, &crd__image_codec_png) && has_codec(ctx, &crd__image_codec_jpeg);
}

#endif
