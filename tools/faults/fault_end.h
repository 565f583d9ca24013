/* fault_end.h -- included after the source: CREDENCE_FAULT selects the fault; at exit the faults
 * that were reached are appended to the file CREDENCE_FAULT_REACHED, if set. */
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void crd_fault_begin(void) {
  const char *const chosen = getenv("CREDENCE_FAULT");
  if (chosen) crd_fault_chosen = atoi(chosen);
}
__attribute__((destructor)) static void crd_fault_end(void) {
  const char *const path = getenv("CREDENCE_FAULT_REACHED");
  FILE *const file = path ? fopen(path, "a") : NULL;
  for (int n = 1; file && n <= CRD_FAULTS; n++)
    if (crd_fault_reached[n]) fprintf(file, "%d\n", n);
  if (file) fclose(file);
}
