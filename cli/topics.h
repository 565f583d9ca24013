/* topics.h -- what several commands have in common, explained once: 'credence help TOPIC'. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "command.h"

/* The topic of options that open predictions (opening.h). */
#define CLI_TOPIC_PREDICTIONS "predictions"

typedef struct {
  const char *name;          /* "predictions" */
  const char *summary;       /* one line, no capital, no full stop */
  const char *text;          /* paragraphs, separated by newlines */
  const cli_option *options; /* up to CLI_END */
} cli_topic;

/* Returns the topic at an index; NULL past the end. */
const cli_topic *cli_topic_at(size_t index);
/* Returns the topic of this name; NULL: there is none, or `name` is NULL. */
const cli_topic *cli_topic_find(const char *name);
/* Returns whether a command has options of the topic. */
bool cli_topic_concerns(const cli_topic *topic, const cli_command *command);

#endif
