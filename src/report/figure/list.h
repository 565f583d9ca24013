/* list.h -- the figures that can be drawn; FIGURE(x) stands for x.c. */
FIGURE(reliability)
FIGURE(confidence)
FIGURE(comparison)
FIGURE(weights)
FIGURE(tsne)
