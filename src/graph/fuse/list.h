/* list.h -- the rules, in the order in which they are tried; RULE(x) stands for x.c. */
RULE(gelu)
RULE(hard_swish)
RULE(layer_norm)
RULE(batch_norm)
RULE(bias)
RULE(residual)
RULE(activation)
