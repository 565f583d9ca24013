/* peer.c -- talk to the peers: one line is a request, one line the answer (see peers.py).
 *
 * The child process measures its own time, so the pipe is not counted.
 */
#include "peer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct bench_peer {
  pid_t child;
  FILE *questions, *answers;
  char line[1024];
};

static void become_child(const char *python, unsigned threads, const int to[2], const int from[2]) {
  char word[16];
  snprintf(word, sizeof word, "%u", threads);
  dup2(to[0], STDIN_FILENO);
  dup2(from[1], STDOUT_FILENO);
  close(to[1]);
  close(from[0]);
  execl(python, python, BENCH_PEERS, word, (char *)NULL);
  _exit(127);
}

/* Returns the answer without its newline, or NULL if the child ended or reports an error. */
static char *ask(bench_peer *peer, const char *word, const char *workload, const char *detail) {
  fprintf(peer->questions, "%s %s %s\n", word, workload, detail);
  fflush(peer->questions);
  if (!fgets(peer->line, sizeof peer->line, peer->answers)) return NULL;
  peer->line[strcspn(peer->line, "\n")] = '\0';
  if (strncmp(peer->line, "error", 5) != 0) return peer->line;
  fprintf(stderr, "bench: peers: %s\n", peer->line);
  return NULL;
}

static bool read_numbers(char *text, double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char *end = text;
    numbers[i] = strtod(text, &end);
    if (end == text) return false;
    text = end;
  }
  return true;
}

bench_peer *bench_peer_start(const char *python, unsigned threads) {
  int to[2], from[2];
  bench_peer *peer = calloc(1, sizeof *peer);
  if (!peer || pipe(to) || pipe(from)) {
    free(peer);
    return NULL;
  }
  signal(SIGPIPE, SIG_IGN);
  peer->child = fork();
  if (peer->child == 0) become_child(python, threads, to, from);
  close(to[0]);
  close(from[1]);
  peer->questions = fdopen(to[1], "w");
  peer->answers = fdopen(from[0], "r");
  if (peer->child < 0 || !peer->questions || !peer->answers || !ask(peer, "hello", "", "")) {
    bench_peer_end(peer);
    return NULL;
  }
  return peer;
}

void bench_peer_end(bench_peer *peer) {
  if (!peer) return;
  if (peer->questions) fclose(peer->questions);
  if (peer->answers) fclose(peer->answers);
  if (peer->child > 0) waitpid(peer->child, NULL, 0);
  free(peer);
}

size_t bench_peer_names(bench_peer *peer, const char *workload, char names[][32]) {
  char *line = ask(peer, "peers", workload, "");
  size_t count = 0;
  int used = 0;
  while (line && count < BENCH_PEERS_MAX && sscanf(line, "%31s%n", names[count], &used) == 1) {
    line += used;
    count++;
  }
  return count;
}

bool bench_peer_load(bench_peer *peer, const char *workload, const char *folder) {
  return ask(peer, "load", workload, folder);
}

bool bench_peer_reference(bench_peer *peer, const char *workload, double *answers, size_t count) {
  char *line = ask(peer, "reference", workload, "");
  return line && read_numbers(line, answers, count);
}

double bench_peer_run(bench_peer *peer, const char *workload, const char *name, unsigned repeats,
                      double *answers, size_t count) {
  double numbers[BENCH_ANSWERS + 1] = { 0 };
  char detail[64];
  snprintf(detail, sizeof detail, "%s %u", name, repeats);
  char *line = ask(peer, "run", workload, detail);
  if (!line || !read_numbers(line, numbers, count + 1)) return -1;
  memcpy(answers, numbers + 1, count * sizeof *answers);
  return numbers[0];
}
