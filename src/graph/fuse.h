/*
 * fuse.h -- operator fusion: rewriting a network into an equivalent one with fewer nodes.
 *
 * A rule matches a pattern of nodes around one node, and rewrites all of it or nothing. Rules are
 * tried in the order of fuse/list.h, each over all nodes in order. A new rule is a file in fuse/
 * and a line in its list.
 */
#ifndef CRD_GRAPH_FUSE_H
#define CRD_GRAPH_FUSE_H

#include "graph/op.h"

typedef struct {
  const char *name; /* "batch_norm" */
  crd_status (*apply)(crd_context *ctx, crd__graph *net, size_t node);
} crd__graph_rule;

crd_status crd__graph_fuse(crd_context *ctx, crd__graph *net);

/* ---- For rules. */

/* Return the only node that reads a tensor; NONE if several or none do, or if it is an output of
 * the network. */
int crd__graph_reader(const crd__graph *net, int tensor);
/* True if no other node than these two reads a tensor, and it is not an output of the network. */
bool crd__graph_read_only_by(const crd__graph *net, int tensor, int a, int b);
/* Return the node that computes a tensor; NONE if none does any more. */
int crd__graph_maker(const crd__graph *net, int tensor);
/* Read a float32 constant of one element; false if the tensor is not one. */
bool crd__graph_scalar(const crd__graph *net, int tensor, float *out);
/* Return the other input of a node with two inputs; NONE if it does not have two or `tensor` is not
 * one of them. */
int crd__graph_node_other(const crd__graph_node *node, int tensor);
/* Replace a node's operator, inputs and attributes; copies the arrays. */
crd_status crd__graph_replace(crd_context *ctx, crd__graph *net, size_t node,
                              const crd__graph_op *op, size_t inputs, const int *input,
                              size_t attributes, const crd__onnx_attribute *attribute);
/* Fuse `last`, which reads `node`, into `node`: `node` gets the output of `last`, which is removed.
 * Call this when `node` has its final inputs: it updates the links between nodes and tensors. */
crd_status crd__graph_absorb(crd_context *ctx, crd__graph *net, size_t node, size_t last);

#define RULE(name) extern const crd__graph_rule crd__graph_rule_##name;
#include "graph/fuse/list.h"
#undef RULE

#endif
