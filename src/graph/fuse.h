/*
 * fuse.h -- rewriting a network into one that does the same with fewer nodes.
 *
 * A rule looks at one node and what stands around it, and changes both or nothing. Rules are tried
 * in the order of fuse/list.h, each over all nodes in their order. A new rule is a file in fuse/
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

/* The only node that reads a tensor, which is no output of the network either; NONE: there are
 * more, or none. */
int crd__graph_reader(const crd__graph *net, int tensor);
/* The node that makes a tensor and is not gone; NONE: none does. */
int crd__graph_maker(const crd__graph *net, int tensor);
/* A constant of one f32 number; false: it is not. */
bool crd__graph_scalar(const crd__graph *net, int tensor, float *out);
/* Of a node with two inputs, the one that is not `tensor`; NONE: it has not two, or `tensor` is
 * none of them. */
int crd__graph_node_other(const crd__graph_node *node, int tensor);
/* The node becomes another operator with these inputs and attributes, which are copied. */
crd_status crd__graph_replace(crd_context *ctx, crd__graph *net, size_t node,
                              const crd__graph_op *op, size_t inputs, const int *input,
                              size_t attributes, const crd__onnx_attribute *attribute);
/* `node` now makes what `last`, which reads it, made; `last` is gone. To be called when `node` has
 * its final inputs: its readers and makers are found again from here on. */
crd_status crd__graph_absorb(crd_context *ctx, crd__graph *net, size_t node, size_t last);

#define RULE(name) extern const crd__graph_rule crd__graph_rule_##name;
#include "graph/fuse/list.h"
#undef RULE

#endif
