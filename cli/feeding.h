/* feeding.h -- the options of every command that runs a network over rows. */
#ifndef CLI_FEEDING_H
#define CLI_FEEDING_H

#include "command.h"

enum { CLI_CHANNELS_MAX = 64 };

typedef struct {
  unsigned batch, threads, layout;
  const char *mean, *std, *output_name;
  bool scale, winograd;
} cli_feeding;

/* Numbers that the library's options point to. */
typedef struct {
  double mean[CLI_CHANNELS_MAX], std[CLI_CHANNELS_MAX];
} cli_channels;

const char *cli_layout_word(size_t index);

/* Refused where --mean and --std are no numbers or not equally many. Also sets the threads. */
crd_status cli_feeding_options(cli_session *session, const cli_feeding *feeding,
                               cli_channels *channels, crd_feed_options *out);

/* Rows for a table of options; `at` is the member of `args` that holds a cli_feeding. */
#define CLI_FEEDING_OPTIONS(args, at)                                                              \
  { CLI_COUNT,                                                                                     \
    'b',                                                                                           \
    "batch",                                                                                       \
    "N",                                                                                           \
    .offset = offsetof(args, at.batch),                                                            \
    .low = 1,                                                                                      \
    .high = 1048576,                                                                               \
    .help = "run N rows at a time; without it, what the model fixes, or 128" },                    \
      { CLI_FLAG, 0, "scale", .offset = offsetof(args, at.scale),                                  \
        .help = "divide by 255 first, as images of bytes want it" },                               \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "mean",                                                                                    \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.mean),                                                         \
        .help = "then subtract this: one number, or one for each channel, separated by commas" },  \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "std",                                                                                     \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.std),                                                          \
        .help = "then divide by this: one number, or one for each channel" },                      \
      { CLI_WORD,                                                                                  \
        0,                                                                                         \
        "layout",                                                                                  \
        "ORDER",                                                                                   \
        .offset = offsetof(args, at.layout),                                                       \
        .word = cli_layout_word,                                                                   \
        .standard = "nchw",                                                                        \
        .help = "how images come: channels first (nchw) or last (nhwc)" },                         \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "output-name",                                                                             \
        "NAME",                                                                                    \
        .offset = offsetof(args, at.output_name),                                                  \
        .help = "take this output of the model" },                                                 \
      { CLI_FLAG, 0, "winograd", .offset = offsetof(args, at.winograd),                            \
        .help = "let convolutions use Winograd's transform: faster, less exact" },                 \
  {                                                                                                \
    CLI_COUNT, 'j', "threads", "N", .offset = offsetof(args, at.threads), .low = 1, .high = 4096,  \
                                    .help = "use N threads; without it, all there are"             \
  }

#endif
