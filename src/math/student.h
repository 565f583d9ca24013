/* student.h -- tail probabilities of Student's t distribution. */
#ifndef CRD_MATH_STUDENT_H
#define CRD_MATH_STUDENT_H

/* P(|T| >= |t|) with `freedom` degrees of freedom, at least 1, not necessarily an integer (Welch);
 * NaN if t is. */
double crd__math_student_p(double t, double freedom);

#endif
