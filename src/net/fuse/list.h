/* list.h -- the rules, in the order in which they are tried; RULE(x) stands for x.c. */
RULE(batch_norm)
RULE(layer_norm)
RULE(gelu)
RULE(bias)
RULE(residual)
RULE(activation)
