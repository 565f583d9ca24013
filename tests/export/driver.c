/* driver.c -- run an exported C file over rows: doubles from standard input to standard output. */
#include <stddef.h>
#include <stdio.h>

#if INPUTS == 1
double credence_calibrate(double confidence);

static void calibrate(double *row) { row[0] = credence_calibrate(row[0]); }
#else
size_t credence_calibrate(const double *scores, double *probabilities);

static void calibrate(double *row) { row[OUTPUTS - 1] = (double)credence_calibrate(row, row); }
#endif

int main(void) {
  double row[OUTPUTS > INPUTS ? OUTPUTS : INPUTS];
  while (fread(row, sizeof *row, INPUTS, stdin) == INPUTS) {
    calibrate(row);
    if (fwrite(row, sizeof *row, OUTPUTS, stdout) != OUTPUTS) return 1;
  }
  return 0;
}
