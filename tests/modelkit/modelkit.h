/*
 * modelkit.h -- networks for tests: tensors and attributes written as text, models of one node as
 * bytes, outputs compared with references.
 */
#ifndef CRD_TESTS_NETWORK_H
#define CRD_TESTS_NETWORK_H

#include "base/text.h"
#include "credence/array_file.h"
#include "ref/op.h"

enum { NET_INPUTS_MAX = 10, NET_ATTRIBUTES_MAX = 20, NET_NAME_MAX = 100 };

/* Convert values to bytes in native order, and back. */
void *net_store(const ref_tensor *t);
ref_tensor net_load(crd_dtype dtype, size_t rank, const int64_t *dims, const void *bytes);

/* True if type, shape and every value agree, within `slack` in units of epsilon; else `why` says
 * "got 1.5 instead of 1.25 at 17". */
bool net_agrees(const ref_tensor *want, const crd_array *got, char why[200]);

/*
 * A tensor as text: type, dimensions, values.
 *
 *   f32 3x17          random values of both signs between -2 and 2, by `seed`; integers -5 .. 5
 *   f32 3x17 positive between 0.1 and 2; integers 1 .. 5
 *   i8 3x17 wide      all values of an integer type of 8 or 16 bits
 *   i64 2 = 0 -1      these values
 *   f32 = 0.5         a scalar
 *
 * A `$` before it marks an input that must be known when the network is compiled, such as a shape.
 * `-`: left out.
 */
typedef struct {
  bool given, shaping;
  ref_tensor tensor;
} net_input;
/* Read tensors separated by semicolons; returns their number. */
size_t net_inputs(const char *words, uint64_t seed, net_input inputs[NET_INPUTS_MAX]);
void net_clear_inputs(net_input *inputs, size_t count);

/* Attributes as text: axis=1 alpha=0.5 mode=edge pads=[1,1] scales=[1.0,2.0] value=<i64 1 = 3>
 * modes={LEAF,BRANCH_LEQ} equation='...i'. */
typedef struct {
  ref_attribute list[NET_ATTRIBUTES_MAX + 1];
  char words[2 * NET_ATTRIBUTES_MAX][NET_NAME_MAX]; /* names and string values */
  ref_tensor tensors[NET_ATTRIBUTES_MAX];
} net_attributes;
void net_attributes_read(const char *words, net_attributes *out);
void net_attributes_clear(net_attributes *attributes);

/* List the networks in a folder, such as those of this repository: paths without .onnx, sorted;
 * returns their number. */
#define NET_FOLDER CREDENCE_SOURCE "/tests/networks"
enum { NET_STORED_MAX = 64, NET_STEM_MAX = 256 };
size_t net_stored(const char *folder, char stems[NET_STORED_MAX][NET_STEM_MAX]);
const char *net_name(const char *stem);
/* Open one of them; and an array beside it: ".x.npy", ".gradients.safetensors#cotangent". */
crd_model *net_open_stored(crd_context *ctx, const char *stem);
crd_array_file *net_beside(crd_context *ctx, const char *stem, const char *ending);

/* A node as text; 0 outputs stands for one. Values are random, by a seed. */
typedef struct {
  const char *op;
  int opset;
  const char *inputs, *attributes;
  size_t outputs;
} net_words;
/* A node with its tensors, and outputs computed by its reference. Must not be moved in memory. */
typedef struct {
  net_input inputs[NET_INPUTS_MAX];
  const ref_tensor *tensors[NET_INPUTS_MAX];
  net_attributes attributes;
  ref_node node;
} net_task;
void net_task_open(const net_words *words, uint64_t seed, net_task *t);
void net_task_close(net_task *t);
/* Return the type and shape as the engine expects them. */
crd_array net_view(const ref_tensor *t, const void *data);

/* Write an .onnx file with this node alone; `constant` selects the inputs that are initializers,
 * `first` the output that comes first. */
void net_model(const ref_node *node, const bool *constant, size_t first, crd__text *out);

/* The same for a node as text: inputs marked with `$` are initializers, or all are. */
void net_model_of(const net_words *words, uint64_t seed, bool all, crd__text *out);

#endif
