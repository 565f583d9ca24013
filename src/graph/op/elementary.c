/* elementary.c -- elementary functions beyond those of unary.c. */
#include "graph/op/unary.h"

#define NUMBERS "any numeric type"

#define ELEMENTARY(entry, id, name, since)                                                         \
  CRD__UNARY_ENTRY(crd__graph_unary_function, 1, entry, id, name, CRD__REALS, since, NULL,         \
                   CRD__KEEP_X)

/* The derivative is 0 wherever there is one. */
#define STEPS(entry, id, name, types, since)                                                       \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, types, since, CRD__OPSET, 0, 0 },                                              \
    .kind = CRD__UNARY_##id,                                                                       \
    .inputs_least = 1,                                                                             \
    .inputs_most = 1,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .infer = crd__graph_unary_infer,                                                               \
    .plan = crd__graph_unary_plan,                                                                 \
    .function = crd__graph_unary_function,                                                         \
    .flat = true,                                                                                  \
  }

STEPS(sign, SIGN, "Sign", NUMBERS, 9);
STEPS(floor, FLOOR, "Floor", CRD__REALS, 6);
STEPS(ceil, CEIL, "Ceil", CRD__REALS, 6);
STEPS(round, ROUND, "Round", CRD__REALS, 11); /* ties to even */

CRD__UNARY_ENTRY(crd__graph_unary_function, 1, abs, ABS, "Abs", NUMBERS, 6, NULL, CRD__KEEP_X);
ELEMENTARY(reciprocal, RECIPROCAL, "Reciprocal", 6);
ELEMENTARY(sin, SIN, "Sin", 7);
ELEMENTARY(cos, COS, "Cos", 7);
ELEMENTARY(tan, TAN, "Tan", 7);
ELEMENTARY(asin, ASIN, "Asin", 7);
ELEMENTARY(acos, ACOS, "Acos", 7);
ELEMENTARY(atan, ATAN, "Atan", 7);
ELEMENTARY(sinh, SINH, "Sinh", 9);
ELEMENTARY(cosh, COSH, "Cosh", 9);
ELEMENTARY(asinh, ASINH, "Asinh", 9);
ELEMENTARY(acosh, ACOSH, "Acosh", 9);
ELEMENTARY(atanh, ATANH, "Atanh", 9);
