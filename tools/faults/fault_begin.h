/* fault_begin.h -- before everything else in a source that tools/sample-faults has put faults into:
 * crd_fault(n) is whether fault n is turned on. It must not include anything: the source may define
 * macros that headers look at. */
static int crd_fault_chosen;
static unsigned char crd_fault_reached[CRD_FAULTS + 1];
static inline int crd_fault(int number) {
  crd_fault_reached[number] = 1;
  return crd_fault_chosen == number;
}
