/* task.c -- a node as text, with its tensors and the outputs of its reference. */
#include "modelkit/modelkit.h"
#include "support.h"

#include <string.h>

void net_task_open(const net_words *words, uint64_t seed, net_task *t) {
  t->node = (ref_node){ .op = words->op, .opset = words->opset };
  t->node.input_count = net_inputs(words->inputs, seed, t->inputs);
  t->node.output_count = words->outputs ? words->outputs : 1;
  net_attributes_read(words->attributes, &t->attributes);
  for (size_t i = 0; i < t->node.input_count; i++)
    t->tensors[i] = t->inputs[i].given ? &t->inputs[i].tensor : NULL;
  t->node.inputs = t->tensors;
  t->node.attributes = t->attributes.list;
  if (!ref_compute(&t->node)) fail_msg("%s has no reference", words->op);
}

void net_task_close(net_task *t) {
  ref_clear(&t->node);
  net_clear_inputs(t->inputs, t->node.input_count);
  net_attributes_clear(&t->attributes);
}

crd_array net_view(const ref_tensor *t, const void *data) {
  crd_array v = { .data = data, .dtype = t->dtype, .rank = t->rank };
  memcpy(v.dims, t->dims, sizeof v.dims);
  return v;
}
