/* feeding.h -- the options of every command that runs a network on rows. */
#ifndef CLI_FEEDING_H
#define CLI_FEEDING_H

#include "command.h"

enum { CLI_CHANNELS_MAX = 64 };

typedef struct {
  unsigned batch, threads, layout;
  const char *mean, *std, *output_name;
  bool scale, winograd;
} cli_feeding;

/* Means and standard deviations; the library's options point to them. */
typedef struct {
  double mean[CLI_CHANNELS_MAX], std[CLI_CHANNELS_MAX];
} cli_channels;

const char *cli_layout_word(size_t index);

/* Fills the library's options and sets the threads; fails if --mean or --std is not a list of
 * numbers, or if their lengths differ. */
crd_status cli_feeding_options(cli_session *session, const cli_feeding *feeding,
                               cli_channels *channels, crd_feed_options *out);

/* Entries for a table of options; `at` is the member of `args` that holds a cli_feeding. */
#define CLI_FEEDING_OPTIONS(args, at)                                                              \
  { CLI_COUNT,                                                                                     \
    'b',                                                                                           \
    "batch",                                                                                       \
    "N",                                                                                           \
    .offset = offsetof(args, at.batch),                                                            \
    .low = 1,                                                                                      \
    .high = 1048576,                                                                               \
    .help = "batch size (default: that of the model, else 128)" },                                 \
      { CLI_FLAG, 0, "scale", .offset = offsetof(args, at.scale),                                  \
        .help = "first divide by 255, for 8-bit images" },                                         \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "mean",                                                                                    \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.mean),                                                         \
        .help = "then subtract this: one value, or one per channel, comma-separated" },            \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "std",                                                                                     \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.std),                                                          \
        .help = "then divide by this: one value, or one per channel, comma-separated" },           \
      { CLI_WORD,                                                                                  \
        0,                                                                                         \
        "layout",                                                                                  \
        "ORDER",                                                                                   \
        .offset = offsetof(args, at.layout),                                                       \
        .word = cli_layout_word,                                                                   \
        .standard = "nchw",                                                                        \
        .help = "layout of images: channels first (nchw) or last (nhwc)" },                        \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "output-name",                                                                             \
        "NAME",                                                                                    \
        .offset = offsetof(args, at.output_name),                                                  \
        .help = "use this output of the model" },                                                  \
      { CLI_FLAG, 0, "winograd", .offset = offsetof(args, at.winograd),                            \
        .help = "allow Winograd convolutions: faster, less accurate" },                            \
  {                                                                                                \
    CLI_COUNT, 'j', "threads", "N", .offset = offsetof(args, at.threads), .low = 1, .high = 4096,  \
                                    .help = "use N threads (default: all)"                         \
  }

#endif
