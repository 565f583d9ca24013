/* data_options.h -- the options of every command that opens a dataset. */
#ifndef CLI_DATA_OPTIONS_H
#define CLI_DATA_OPTIONS_H

#include "command.h"

typedef struct {
  const char *size, *label_column, *label_map, *group_pattern;
  unsigned split_seed, resize, channels;
  bool skip_corrupt;
} cli_data;

/* Allowed words of --resize and --channels; NULL past the end. */
const char *cli_resize_word(size_t index);
const char *cli_channels_word(size_t index);

/* Fills the library's options; fails if --size is not HxW. */
crd_status cli_data_options(cli_session *session, const cli_data *data, crd_dataset_options *out);

/* How to name a dataset: a paragraph for the description of each command that opens one. */
#define CLI_DATA_TEXT                                                                              \
  "DATA is KIND[:PATH][#SPLIT[+SPLIT]][%A:B][@FROM:TO][~CORRUPTION=SEVERITY], or a file of "       \
  "arrays. #SPLIT takes one of its splits; %70:80 takes the samples from 70 to 80 per cent of a "  \
  "random order that --split-seed determines, in which each class keeps its share and groups "     \
  "(patients) stay whole; @FROM:TO takes samples FROM to TO-1; ~contrast=3 corrupts images. "      \
  "'credence list datasets' shows the kinds, 'credence list corruptions' the corruptions."

/* Entries for a table of options; `at` is the member of `args` that holds a cli_data. */
#define CLI_DATA_OPTIONS(args, at)                                                                 \
  { CLI_TEXT,                                                                                      \
    0,                                                                                             \
    "size",                                                                                        \
    "HxW",                                                                                         \
    .offset = offsetof(args, at.size),                                                             \
    .help = "resize images to this height and width; a single number is both" },                   \
      { CLI_WORD,                                                                                  \
        0,                                                                                         \
        "resize",                                                                                  \
        "HOW",                                                                                     \
        .offset = offsetof(args, at.resize),                                                       \
        .word = cli_resize_word,                                                                   \
        .standard = "crop",                                                                        \
        .help = "with --size: resize the shorter side and crop the centre (crop), or resize both " \
                "sides (stretch)" },                                                               \
      { CLI_WORD,                                                                                  \
        0,                                                                                         \
        "channels",                                                                                \
        "KIND",                                                                                    \
        .offset = offsetof(args, at.channels),                                                     \
        .word = cli_channels_word,                                                                 \
        .standard = "auto",                                                                        \
        .help = "convert images to grey or to rgb; auto: as the first image" },                    \
      { CLI_FLAG, 0, "skip-corrupt", .offset = offsetof(args, at.skip_corrupt),                    \
        .help = "leave out images that cannot be decoded, and name them" },                        \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "label-column",                                                                            \
        "NAME",                                                                                    \
        .offset = offsetof(args, at.label_column),                                                 \
        .help = "tables: the column of the label, by name or by index from 0" },                   \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "label-map",                                                                               \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.label_map),                                                    \
        .help = "class of each label, comma-separated: any=1,normal=0" },                          \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "group-pattern",                                                                           \
        "REGEX",                                                                                   \
        .offset = offsetof(args, at.group_pattern),                                                \
        .help = "extended regular expression on the name of each image file; its first group "     \
                "(...), or its whole match, names the patient" },                                  \
  {                                                                                                \
    CLI_COUNT, 0, "split-seed", "N", .offset = offsetof(args, at.split_seed), .high = 4294967295U, \
                                     .standard = "0", .help = "seed of the random order of %A:B"   \
  }

#endif
