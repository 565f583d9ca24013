/* data_options.c -- options for opening a dataset, converted to those of the library. */
#include "data_options.h"

#include "option.h"

#include <errno.h>
#include <stdlib.h>

enum { SIDE_MAX = 16384 };

const char *cli_resize_word(size_t index) {
  static const char *const words[] = {
    [CRD_RESIZE_CROP] = "crop", [CRD_RESIZE_STRETCH] = "stretch", NULL
  };
  return words[index];
}

const char *cli_channels_word(size_t index) {
  static const char *const words[] = { "auto", "grey", "rgb", NULL };
  return words[index];
}

/* Reads 1 to SIDE_MAX, and moves *at behind it. */
static bool read_side(const char **at, size_t *out) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  errno = 0;
  const unsigned long value = strtoul(*at, &end, 10);
  *at = end;
  *out = value;
  return !errno && value >= 1 && value <= SIDE_MAX;
}

static bool read_size(const char *text, size_t *height, size_t *width) {
  if (!read_side(&text, height)) return false;
  *width = *height;
  if (*text == 'x') {
    text++;
    if (!read_side(&text, width)) return false;
  }
  return *text == '\0';
}

crd_status cli_data_options(cli_session *session, const cli_data *data, crd_dataset_options *out) {
  static const int channels[] = { 0, 1, 3 };
  *out = (crd_dataset_options){
    .size = sizeof(crd_dataset_options),
    .split_seed = data->split_seed,
    .resize = (crd_resize)data->resize,
    .channels = channels[data->channels],
    .skip_corrupt = data->skip_corrupt,
    .label_column = data->label_column,
    .label_map = data->label_map,
    .group_pattern = data->group_pattern,
  };
  if (data->size && !read_size(data->size, &out->height, &out->width))
    return cli_refuse(session, "--size takes HxW such as 224x224, each from 1 to %d, found '%.60s'",
                      SIDE_MAX, data->size);
  return CRD_OK;
}
