/* output.c -- print results, and write them as JSON for bench/document and bench/compare. */
#include "workload.h"

#include <math.h>
#include <stdio.h>

static void number(FILE *file, const char *key, double value) {
  if (isfinite(value)) fprintf(file, "\"%s\": %.6g, ", key, value);
  else fprintf(file, "\"%s\": null, ", key);
}

static void row(FILE *file, const bench_result *r) {
  fprintf(file, "  {\"workload\": \"%s\", ", r->workload);
  number(file, "ours", r->ours);
  number(file, "peer", r->peer);
  if (r->peer_name) fprintf(file, "\"peer_name\": \"%s\", ", r->peer_name);
  else fprintf(file, "\"peer_name\": null, ");
  number(file, "ratio", r->peer / r->ours);
  number(file, "target", r->target);
  number(file, "limit_fraction", r->limit_fraction);
  fprintf(file, "\"agree\": %s, ", !r->known ? "null" : r->agree ? "true" : "false");
  fprintf(file, "\"rounds\": %u, \"refused\": %u, \"times\": [", r->rounds, r->refused);
  for (size_t i = 0; i < r->time_count; i++) fprintf(file, "%s%.6g", i ? ", " : "", r->times[i]);
  fprintf(file, "], \"peers\": {");
  const char *separator = "";
  for (size_t p = 0; p < r->peer_count; p++) {
    if (!isfinite(r->peers[p])) continue; /* it failed */
    fprintf(file, "%s\"%s\": %.6g", separator, r->names[p], r->peers[p]);
    separator = ", ";
  }
  fprintf(file, "}}");
}

bool bench_output(const char *path, const bench_result *results, size_t count) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "[\n");
  for (size_t i = 0; i < count; i++) {
    row(file, &results[i]);
    fprintf(file, i + 1 < count ? ",\n" : "\n");
  }
  fprintf(file, "]\n");
  bool good = !ferror(file);
  return fclose(file) == 0 && good;
}

void bench_print(const bench_result *r) {
  printf("%-18s ours %9.3f ms", r->workload, 1e3 * r->ours);
  for (size_t p = 0; p < r->peer_count; p++) printf("  %s %.3f ms", r->names[p], 1e3 * r->peers[p]);
  if (r->peer_name) printf("  ratio %.2f (target %g)", r->peer / r->ours, r->target);
  printf("  %.0f %% of the %s limit  %u rounds%s  %s\n", 100 * r->limit_fraction, r->limit,
         r->rounds, r->rounds ? "" : " (the machine was never quiet: all rounds taken)",
         !r->known  ? "no reference"
         : r->agree ? "agree"
                    : "DISAGREE");
  fflush(stdout);
}
