/*
 * network.h -- networks for tests: tensors and attributes written as words, models of one node as
 * bytes, outputs compared with references.
 */
#ifndef CRD_TESTS_NETWORK_H
#define CRD_TESTS_NETWORK_H

#include "base/text.h"
#include "credence/array.h"
#include "ref/op.h"

enum { NET_INPUTS_MAX = 6, NET_ATTRIBUTES_MAX = 8, NET_NAME_MAX = 24 };

/* Numbers as bytes in native order, and back. */
void *net_store(const ref_tensor *t);
ref_tensor net_load(crd_dtype dtype, size_t rank, const int64_t *dims, const void *bytes);

/* "got 1.5 instead of 1.25 at 17" in `why`; true: type, shape and every number are as they must
 * be, with `slack` in units of epsilon. */
bool net_agrees(const ref_tensor *want, const crd_tensor *got, char why[200]);

/*
 * A tensor in words: type, dimensions, what is in it.
 *
 *   f32 3x17          numbers of both signs between -2 and 2, by `seed`; integers -5 .. 5
 *   f32 3x17 positive between 0.1 and 2; integers 1 .. 5
 *   i64 2 = 0 -1      these
 *   f32 = 0.5         a scalar
 *
 * A `$` before it: of numbers that shape others, which are known when a network is compiled. `-`:
 * left out.
 */
typedef struct {
  bool given, shaping;
  ref_tensor tensor;
} net_input;
/* Tensors with semicolons between them; how many. */
size_t net_inputs(const char *words, uint64_t seed, net_input inputs[NET_INPUTS_MAX]);
void net_clear_inputs(net_input *inputs, size_t count);

/* Attributes in words: axis=1 alpha=0.5 mode=edge pads=[1,1] scales=[1.0,2.0] value=<i64 1 = 3>. */
typedef struct {
  ref_attribute list[NET_ATTRIBUTES_MAX + 1];
  char words[2 * NET_ATTRIBUTES_MAX][NET_NAME_MAX]; /* names and words in them */
  ref_tensor tensor;
} net_attributes;
void net_attributes_read(const char *words, net_attributes *out);
void net_attributes_clear(net_attributes *attributes);

/* Networks in a folder, such as those of this repository: their paths without .onnx, in order; how
 * many. */
#define NET_FOLDER CREDENCE_SOURCE "/tests/networks"
enum { NET_STORED_MAX = 64, NET_STEM_MAX = 256 };
size_t net_stored(const char *folder, char stems[NET_STORED_MAX][NET_STEM_MAX]);
const char *net_name(const char *stem);
/* One of them; and an array beside it: ".x.npy", ".gradients.safetensors#cotangent". */
crd_model *net_open_stored(crd_context *ctx, const char *stem);
crd_array *net_beside(crd_context *ctx, const char *stem, const char *ending);

/* A node in words: 0 outputs are one. Its numbers come from a seed. */
typedef struct {
  const char *op;
  int opset;
  const char *inputs, *attributes;
  size_t outputs;
} net_words;
/* The same with its tensors, and outputs as its reference computes them. It must stay where it is.
 */
typedef struct {
  net_input inputs[NET_INPUTS_MAX];
  const ref_tensor *tensors[NET_INPUTS_MAX];
  net_attributes attributes;
  ref_node node;
} net_task;
void net_task_open(const net_words *words, uint64_t seed, net_task *t);
void net_task_close(net_task *t);
/* Type and shape as the engine wants them. */
crd_tensor net_view(const ref_tensor *t, const void *data);

/* An .onnx file with this node alone; `constant` says which inputs are initialisers, `first` which
 * output is the first of the network: the others follow. */
void net_model(const ref_node *node, const bool *constant, size_t first, crd__text *out);

/* The same of a node in words: inputs that shape others are initialisers, or all are. */
void net_model_of(const net_words *words, uint64_t seed, bool all, crd__text *out);

#endif
