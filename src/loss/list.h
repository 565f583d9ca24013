/* list.h -- the losses; LOSS(x) stands for x.c. */
LOSS(ce)
LOSS(focal)
LOSS(dca)
