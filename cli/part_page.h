/* part_page.h -- optimisers and schedules of the learning rate in `credence list`. */
#ifndef CLI_PART_PAGE_H
#define CLI_PART_PAGE_H

#include <stddef.h>
#include <stdio.h>

extern const char cli_part_head[], cli_optimiser_foot[], cli_schedule_foot[];
/* The name at an index; NULL past the end. */
const char *cli_optimiser_word(size_t index);
const char *cli_schedule_word(size_t index);
void cli_optimiser_row(FILE *out, size_t index);
void cli_optimiser_full(FILE *out, size_t index);
void cli_optimiser_json(FILE *out, size_t index);
void cli_optimiser_markdown(FILE *out, size_t index);
void cli_schedule_row(FILE *out, size_t index);
void cli_schedule_full(FILE *out, size_t index);
void cli_schedule_json(FILE *out, size_t index);
void cli_schedule_markdown(FILE *out, size_t index);

#endif
