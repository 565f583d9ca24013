/* stored.c -- the networks of tests/networks, and arrays beside them. */
#include "network/network.h"
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

size_t net_stored(char names[NET_STORED_MAX][NET_STORED_NAME]) {
  size_t count = 0;
  DIR *const folder = opendir(CREDENCE_SOURCE "/tests/networks");
  for (struct dirent *entry; folder && count < NET_STORED_MAX && (entry = readdir(folder));) {
    const size_t length = strlen(entry->d_name);
    if (length < 5 || length >= NET_STORED_NAME || strcmp(entry->d_name + length - 5, ".onnx") != 0)
      continue;
    memcpy(names[count], entry->d_name, length - 5);
    names[count++][length - 5] = '\0';
  }
  if (folder) closedir(folder);
  qsort(names, count, sizeof *names, by_name);
  return count;
}

crd_model *net_open_stored(crd_context *ctx, const char *name) {
  char path[512];
  crd_model *model = NULL;
  snprintf(path, sizeof path, CREDENCE_SOURCE "/tests/networks/%s.onnx", name);
  if (crd_model_open(ctx, path, &model) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return model;
}

crd_array *net_beside(crd_context *ctx, const char *name, const char *ending) {
  char path[512];
  crd_array *array = NULL;
  snprintf(path, sizeof path, CREDENCE_SOURCE "/tests/networks/%s%s", name, ending);
  if (crd_array_open(ctx, path, &array) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return array;
}
