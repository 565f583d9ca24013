/* data_page.h -- kinds of datasets, augmentations and corruptions in `credence list`. */
#ifndef CLI_DATA_PAGE_H
#define CLI_DATA_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* Names; NULL past the end. */
const char *cli_dataset_word(size_t index);
const char *cli_augmentation_word(size_t index);
const char *cli_corruption_word(size_t index);

/* Below the lines. */
extern const char cli_dataset_foot[], cli_augmentation_foot[], cli_corruption_foot[];

/* An entry as a line, in full, as JSON, as Markdown. */
void cli_dataset_row(FILE *out, size_t index);
void cli_dataset_full(FILE *out, size_t index);
void cli_dataset_json(FILE *out, size_t index);
void cli_dataset_markdown(FILE *out, size_t index);
void cli_augmentation_row(FILE *out, size_t index);
void cli_augmentation_full(FILE *out, size_t index);
void cli_augmentation_json(FILE *out, size_t index);
void cli_augmentation_markdown(FILE *out, size_t index);
void cli_corruption_row(FILE *out, size_t index);
void cli_corruption_full(FILE *out, size_t index);
void cli_corruption_json(FILE *out, size_t index);
void cli_corruption_markdown(FILE *out, size_t index);

#endif
