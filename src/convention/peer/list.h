/* list.h -- the packages whose conventions are known; PEER(x) is implemented in x.c. */
PEER(torchmetrics)
PEER(netcal)
PEER(focal)
PEER(sklearn)
PEER(verified)
