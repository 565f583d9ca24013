/* driver.c -- run an exported C file, SOURCE, over rows: doubles from standard input to standard
 * output. HEADER is its header, CALIBRATE its function, REAL its type. */
#include HEADER
#include HEADER
#include SOURCE

#include <stdio.h>

enum { WIDTH = OUTPUTS > INPUTS ? OUTPUTS : INPUTS };

#if INPUTS == 1
static void calibrate(double *row) { row[0] = (double)CALIBRATE((REAL)row[0]); }
#else
/* The header's number of classes. */
typedef char classes_of_the_header[CLASSES == INPUTS ? 1 : -1];

static void calibrate(double *row) {
  REAL values[WIDTH];
  int k;
  for (k = 0; k < INPUTS; k++) values[k] = (REAL)row[k];
  row[OUTPUTS - 1] = (double)CALIBRATE(values, values);
  for (k = 0; k < OUTPUTS - 1; k++) row[k] = (double)values[k];
}
#endif

int main(void) {
  double row[WIDTH];
  while (fread(row, sizeof *row, INPUTS, stdin) == INPUTS) {
    calibrate(row);
    if (fwrite(row, sizeof *row, OUTPUTS, stdout) != OUTPUTS) return 1;
  }
  return 0;
}
