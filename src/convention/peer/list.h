/* The packages whose numbers can be had: one line each; the file of that name defines it. */
PEER(torchmetrics)
PEER(netcal)
PEER(focal)
PEER(sklearn)
PEER(verified)
