/* stored.c -- networks in a folder, and arrays beside them. */
#include "modelkit/modelkit.h"
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

size_t net_stored(const char *folder, char stems[NET_STORED_MAX][NET_STEM_MAX]) {
  size_t count = 0;
  DIR *const opened = opendir(folder);
  for (struct dirent *entry; opened && count < NET_STORED_MAX && (entry = readdir(opened));) {
    const size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 5, ".onnx") != 0) continue;
    const int used =
        snprintf(stems[count], NET_STEM_MAX, "%s/%.*s", folder, (int)length - 5, entry->d_name);
    count += used > 0 && used < NET_STEM_MAX;
  }
  if (opened) closedir(opened);
  qsort(stems, count, sizeof *stems, by_name);
  return count;
}

const char *net_name(const char *stem) {
  const char *const slash = strrchr(stem, '/');
  return slash ? slash + 1 : stem;
}

crd_model *net_open_stored(crd_context *ctx, const char *stem) {
  char path[NET_STEM_MAX + 16];
  crd_model *model = NULL;
  snprintf(path, sizeof path, "%s.onnx", stem);
  if (crd_model_open(ctx, path, &model) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return model;
}

crd_array_file *net_beside(crd_context *ctx, const char *stem, const char *ending) {
  char path[NET_STEM_MAX + 256];
  crd_array_file *array = NULL;
  snprintf(path, sizeof path, "%s%s", stem, ending);
  if (crd_array_file_open(ctx, path, &array) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return array;
}
