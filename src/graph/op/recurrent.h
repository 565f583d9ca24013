/* recurrent.h -- what the files of LSTM, GRU and RNN share. */
#ifndef CRD_GRAPH_OP_RECURRENT_H
#define CRD_GRAPH_OP_RECURRENT_H

#include "engine/kernel/recurrent/layer.h"
#include "graph/op.h"

/* Inputs and outputs of a node. */
enum {
  CRD__RECURRENT_X,
  CRD__RECURRENT_W,
  CRD__RECURRENT_R,
  CRD__RECURRENT_B,
  CRD__RECURRENT_LENGTHS,
  CRD__RECURRENT_H,
  CRD__RECURRENT_C,
  CRD__RECURRENT_P,
  CRD__RECURRENT_INPUTS
};
enum { CRD__RECURRENT_Y, CRD__RECURRENT_Y_H, CRD__RECURRENT_Y_C, CRD__RECURRENT_OUTPUTS };

/* Read the node's attributes and the sizes of its inputs. Fails if a direction or a function is
 * unknown; checks no shapes but the number of dimensions of X and R. */
crd_status crd__graph_recurrent_read(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node, crd__kernel_recurrent *out);
/* Read the activation functions (recurrent_read.c). */
crd_status crd__graph_recurrent_functions(crd_context *ctx, const crd__graph_node *node,
                                          crd__kernel_recurrent *out);
/* Fail unless the length of this row of the batch is one of 0 .. steps. */
crd_status crd__graph_recurrent_check(crd_context *ctx, const crd__graph_node *node,
                                      const crd__kernel_recurrent *k, size_t row, double length);
/* Add a scratch buffer of this many bytes. */
crd_status crd__graph_recurrent_buffer(crd_context *ctx, crd__engine_plan *plan, size_t bytes,
                                       int *place);
crd_status crd__graph_recurrent_backward(crd_context *ctx, crd__graph_backward *back,
                                         const crd__graph_node *node);

#endif
