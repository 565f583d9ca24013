/* torch.h -- what torch.save writes: tensors as calls in a pickle, their elements in storages. */
#ifndef CRD_IO_FORMAT_TORCH_H
#define CRD_IO_FORMAT_TORCH_H

#include "io/format/pickle.h"
#include "io/layout.h"

/* A file of torch.save as it was before 1.6, or with _use_new_zipfile_serialization=False. */
bool crd__io_torch_is_legacy(const unsigned char *bytes, size_t length);

/* Storages are named by persistent ids: ('storage', torch.FloatStorage, '0', 'cpu', 12). */
typedef struct {
  const char *key; /* in the pickle, not terminated */
  size_t key_length;
  size_t element; /* bytes of one element */
  size_t bytes;   /* of all elements */
} crd__io_torch_storage;

/* What a call of torch._utils._rebuild_tensor_v2 and its like says. */
typedef struct {
  crd__io_torch_storage storage;
  crd__io_layout layout;
  bool brain;                    /* elements are bfloat16; layout.dtype is F32 */
  size_t element;                /* bytes of one element in the storage */
  size_t offset;                 /* of the first element, in elements */
  size_t strides[CRD__RANK_MAX]; /* in elements */
} crd__io_torch_tensor;

/* Is the node a call that makes a tensor, or a parameter? */
bool crd__io_torch_is_tensor(const crd__io_pickle *pickle, const crd__io_py_node *node);
/* Does the node name a storage? *out is what can be said of it; its element type may be unknown
 * (element is 0 then). */
bool crd__io_torch_is_storage(const crd__io_pickle *pickle, const crd__io_py_node *node,
                              crd__io_torch_storage *out);
/* All of it is checked: every element lies within the storage's bytes. */
crd_status crd__io_torch_describe(crd_context *ctx, const crd__io_pickle *pickle,
                                  const crd__io_py_node *node, crd__io_torch_tensor *out);
/* The entry is loaded: in place where the elements lie in C order and have a type of ours, else
 * copied into memory of the entry's own. */
crd_status crd__io_torch_fill(crd_context *ctx, const crd__io_bundle *bundle,
                              const crd__io_torch_tensor *tensor, const unsigned char *storage,
                              crd__io_entry *entry);

/* Every tensor that the pickle's top-level object holds becomes an entry, whose place is its node:
 * a tensor alone as "scores"; those of a dict by their keys, also of dicts in it, as "val/logits";
 * those of a list or tuple as arr_0, arr_1, ..., as NumPy's savez calls arrays without names. So do
 * lists of numbers and of text, and what cannot be read, which is refused when it is loaded. */
crd_status crd__io_torch_list(crd_context *ctx, crd__io_bundle *bundle,
                              const crd__io_pickle *pickle);
/* Load an entry that is a list of numbers, of equally long lists of numbers, or of text. */
bool crd__io_torch_is_plain(const crd__io_pickle *pickle, const crd__io_py_node *node);
crd_status crd__io_torch_fill_plain(crd_context *ctx, const crd__io_bundle *bundle,
                                    const crd__io_pickle *pickle, const crd__io_py_node *node,
                                    crd__io_entry *entry);

#endif
