/* list.h -- the rules, in the order in which they are tried; RULE(x) stands for x.c. */
RULE(batch_norm)
RULE(residual)
RULE(activation)
