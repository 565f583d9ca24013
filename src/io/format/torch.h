/* torch.h -- files of torch.save: tensors as calls in a pickle, their elements in storages. */
#ifndef CRD_IO_FORMAT_TORCH_H
#define CRD_IO_FORMAT_TORCH_H

#include "io/format/pickle.h"
#include "io/layout.h"

/* Returns whether it is a file of torch.save before PyTorch 1.6, or with
 * _use_new_zipfile_serialization=False. */
bool crd__io_torch_is_legacy(const unsigned char *bytes, size_t length);

/* Storages are named by persistent ids: ('storage', torch.FloatStorage, '0', 'cpu', 12). */
typedef struct {
  const char *key; /* in the pickle, not terminated */
  size_t key_length;
  size_t element; /* bytes of one element */
  size_t bytes;   /* of all elements */
} crd__io_torch_storage;

/* The arguments of a call of torch._utils._rebuild_tensor_v2 or a variant. */
typedef struct {
  crd__io_torch_storage storage;
  crd__io_layout layout;
  bool brain;                         /* elements are bfloat16; layout.dtype is F32 */
  size_t element;                     /* bytes of one element in the storage */
  size_t offset;                      /* of the first element, in elements */
  size_t strides[CRD__FILE_RANK_MAX]; /* in elements */
} crd__io_torch_tensor;

/* Returns whether the node is a call that makes a tensor or a parameter. */
bool crd__io_torch_is_tensor(const crd__io_pickle *pickle, const crd__io_py_node *node);
/* Returns whether the node names a storage, and describes it in *out; element is 0 if its type is
 * unknown. */
bool crd__io_torch_is_storage(const crd__io_pickle *pickle, const crd__io_py_node *node,
                              crd__io_torch_storage *out);
/* Reads the call; fails with EINPUT unless every element lies within the storage. */
crd_status crd__io_torch_describe(crd_context *ctx, const crd__io_pickle *pickle,
                                  const crd__io_py_node *node, crd__io_torch_tensor *out);
/* Loads the entry: in place if the elements are in C order and of a supported type, else copied. */
crd_status crd__io_torch_fill(crd_context *ctx, const crd__io_bundle *bundle,
                              const crd__io_torch_tensor *tensor, const unsigned char *storage,
                              crd__io_entry *entry);

/* Adds an entry, whose place is its node, for every tensor of the pickle's top-level object: a
 * single tensor as "scores"; those of a dict by their keys, of nested dicts as "val/logits"; those
 * of a list or tuple as arr_0, arr_1, ..., as NumPy's savez does. Lists of numbers and of text
 * become entries too, and so do unsupported objects, which fail when they are loaded. */
crd_status crd__io_torch_list(crd_context *ctx, crd__io_bundle *bundle,
                              const crd__io_pickle *pickle);
/* Return whether the node is a list of numbers, of lists of numbers of equal length, or of text;
 * and load such an entry. */
bool crd__io_torch_is_plain(const crd__io_pickle *pickle, const crd__io_py_node *node);
crd_status crd__io_torch_fill_plain(crd_context *ctx, const crd__io_bundle *bundle,
                                    const crd__io_pickle *pickle, const crd__io_py_node *node,
                                    crd__io_entry *entry);

#endif
