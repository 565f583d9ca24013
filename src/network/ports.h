/*
 * ports.h -- types of a compiled network's inputs and outputs.
 *
 * Tensors of float16 and bfloat16 are computed in float32: inputs of these types are converted when
 * a run begins, outputs rounded when it ends.
 */
#ifndef CRD_NETWORK_PORTS_H
#define CRD_NETWORK_PORTS_H

#include "graph/graph.h"

/* Set the types of the inputs. */
void crd__network_ports_type(const crd__graph *net, crd_array *inputs);
/* Set types and memory of the outputs. */
crd_status crd__network_ports_place(crd_context *ctx, crd__graph *net, const crd__engine_plan *plan,
                                    crd_array *outputs);
/* Copy the inputs of a run into the plan's memory. */
void crd__network_ports_enter(const crd__graph *net, const crd__engine_plan *plan,
                              const crd_array *inputs, size_t count);
/* Round the outputs of a run that are not in the plan's memory. */
void crd__network_ports_leave(const crd__graph *net, const crd__engine_plan *plan,
                              const crd_array *outputs);

#endif
