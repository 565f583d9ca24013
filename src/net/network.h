/* network.h -- of a compiled network, what a survey asks. */
#ifndef CRD_NET_NETWORK_H
#define CRD_NET_NETWORK_H

#include "credence/network.h"

/* Memory between the steps of a run. */
size_t crd__network_bytes(const crd_network *network);

#endif
