/* fault_begin.h -- included before a source into which tools/sample-faults has inserted faults:
 * crd_fault(n) returns whether fault n is on. It must not include anything: the source may define
 * macros that headers test. */
static int crd_fault_chosen;
static unsigned char crd_fault_reached[CRD_FAULTS + 1];
static inline int crd_fault(int number) {
  crd_fault_reached[number] = 1;
  return crd_fault_chosen == number;
}
