/* npy.c -- write NumPy's format, version 1.0: magic, header length, a dictionary, the bytes. */
#include "npy.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 128, MAGIC = 10 };

bool bench_npy_write(const char *folder, const char *name, const char *type, const void *data,
                     size_t rows, size_t cols) {
  const uint16_t probe = 1;
  char shape[64], header[HEADER + 1], path[512];
  if (cols == 1) snprintf(shape, sizeof shape, "(%zu,)", rows);
  else snprintf(shape, sizeof shape, "(%zu, %zu)", rows, cols);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", MAGIC);
  int used = snprintf(header + MAGIC, HEADER - MAGIC,
                      "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                      *(const char *)&probe ? '<' : '>', type, shape);
  memset(header + MAGIC + used, ' ', (size_t)(HEADER - MAGIC - used));
  header[HEADER - 1] = '\n';
  snprintf(path, sizeof path, "%s/%s.npy", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  size_t size = (size_t)(type[1] - '0');
  bool good = fwrite(header, HEADER, 1, file) == 1 && fwrite(data, size * cols, rows, file) == rows;
  return fclose(file) == 0 && good;
}
