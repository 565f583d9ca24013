/*
 * replay.c -- run a fuzz target over the files of folders, and over every prefix of the small ones:
 * a parser that reads past its input does so on a truncated file.
 */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>

enum { FILE_MAX = 1 << 20, CUT_MAX = 512 };

/* A copy of the exact length, so that a sanitizer detects reading past the last byte. */
static void run(const uint8_t *bytes, size_t length) {
  uint8_t *copy = malloc(length ? length : 1);
  HOLDS(copy != NULL);
  memcpy(copy, bytes, length);
  LLVMFuzzerTestOneInput(copy, length);
  free(copy);
}

static void replay_file(const char *path) {
  static uint8_t bytes[FILE_MAX];
  FILE *file = fopen(path, "rb");
  HOLDS(file != NULL);
  const size_t length = fread(bytes, 1, sizeof bytes, file);
  HOLDS(!ferror(file) && length < sizeof bytes);
  fclose(file);
  run(bytes, length);
  for (size_t cut = 0; length <= CUT_MAX && cut < length; cut++) run(bytes, cut);
}

static size_t replay_folder(const char *folder) {
  size_t count = 0;
  DIR *directory = opendir(folder);
  HOLDS(directory != NULL);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char path[4096];
    if (entry->d_name[0] == '.') continue;
    HOLDS(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path);
    replay_file(path);
    count++;
  }
  closedir(directory);
  return count;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const size_t count = replay_folder(argv[i]);
    printf("%s: %zu inputs\n", argv[i], count);
    if (count == 0) return 1;
  }
  return argc < 2;
}
