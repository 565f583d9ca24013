/*
 * driver.c -- run exported C files over their rows, all in one program: driver DIR.
 *
 * LIST names a file with a line for each: ROW(name, NAME, values in, values out) or PAIR(name). Its
 * rows are DIR/name.in, doubles; DIR/name.out is written. HEADERS includes the headers, REAL is the
 * type that the functions compute in.
 */
#include HEADERS
#include HEADERS

#include <stdio.h>

enum { WIDTH = 64 };

/* The header's number of classes is that of the rows. */
#define ROW(name, upper, in, out)                                                                  \
  typedef char name##_classes[upper##_CLASSES == in && out <= WIDTH ? 1 : -1];                     \
  static void name##_run(double *row) {                                                            \
    REAL values[WIDTH];                                                                            \
    int k;                                                                                         \
    for (k = 0; k < in; k++) values[k] = (REAL)row[k];                                             \
    row[out - 1] = (double)name##_calibrate(values, values);                                       \
    for (k = 0; k < out - 1; k++) row[k] = (double)values[k];                                      \
  }
#define PAIR(name)                                                                                 \
  static void name##_run(double *row) { row[0] = (double)name##_calibrate((REAL)row[0]); }
#include LIST
#undef ROW
#undef PAIR

static const struct {
  const char *name;
  size_t in, out;
  void (*run)(double *row);
} exported[] = {
#define ROW(name, upper, in, out) { #name, in, out, name##_run },
#define PAIR(name) { #name, 1, 1, name##_run },
#include LIST
};

static FILE *open_file(const char *folder, const char *name, const char *extension,
                       const char *mode) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, extension);
  return fopen(path, mode);
}

static int run(const char *folder, size_t i) {
  FILE *const given = open_file(folder, exported[i].name, "in", "rb");
  FILE *const found = open_file(folder, exported[i].name, "out", "wb");
  double row[WIDTH];
  int good = given && found;
  while (good && fread(row, sizeof *row, exported[i].in, given) == exported[i].in) {
    exported[i].run(row);
    good = fwrite(row, sizeof *row, exported[i].out, found) == exported[i].out;
  }
  if (given) fclose(given);
  if (found && fclose(found) != 0) good = 0;
  return good;
}

int main(int argc, char **argv) {
  size_t i;
  if (argc != 2) return 2;
  for (i = 0; i < sizeof exported / sizeof *exported; i++)
    if (!run(argv[1], i)) return 1;
  return 0;
}
