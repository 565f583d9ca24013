/*
 * rewrite.h -- copy a model, field by field: with all weights embedded, and with other fields where
 * an edit (update.h, part.h, join.h) asks for them.
 */
#ifndef CRD_ONNX_REWRITE_H
#define CRD_ONNX_REWRITE_H

#include "base/text.h"
#include "onnx/reader.h"

/* Kinds of messages, as far as they are walked through. */
typedef enum {
  CRD__ONNX_PLAIN, /* copied as bytes */
  CRD__ONNX_MODEL,
  CRD__ONNX_GRAPH,
  CRD__ONNX_NODE,
  CRD__ONNX_ATTRIBUTE,
  CRD__ONNX_SPARSE,
  CRD__ONNX_FUNCTION,
  CRD__ONNX_TRAINING,
  CRD__ONNX_VALUE,
  CRD__ONNX_TENSOR
} crd__onnx_kind;

typedef struct crd__onnx_writer crd__onnx_writer;

/* Changes on the way. Both functions may be called several times for the same field, since messages
 * are measured before they are written: they must write the same each time. NULL: no changes. */
typedef struct {
  /* Writes other fields in place of this one, or none, and sets *done; or leaves both alone. */
  crd_status (*field)(void *self, crd__onnx_writer *writer, crd__onnx_kind outer,
                      const crd__onnx_field *field, bool *done);
  /* Appends fields to a message. */
  crd_status (*end)(void *self, crd__onnx_writer *writer, crd__onnx_kind outer);
  void *self;
} crd__onnx_edit;

struct crd__onnx_writer {
  const crd__onnx_reader *r;
  const crd__onnx_edit *edit; /* NULL: none */
  crd_output *output;         /* where bytes go: here, ... */
  crd__text *text;            /* ... there, or nowhere: they are only counted */
  size_t bytes;
  bool changed; /* something differs from the original */
  bool strict;  /* it will be written: data that cannot be embedded is an error */
  unsigned depth;
};

/* Returns whether a message of this kind is the model's own graph, not one inside a node. */
static inline bool crd__onnx_writer_in_graph(const crd__onnx_writer *w, crd__onnx_kind outer) {
  return outer == CRD__ONNX_GRAPH && w->depth == 2;
}

/* Returns whether bytes are only counted; crd__onnx_writer_put then takes NULL. */
static inline bool crd__onnx_writer_counts(const crd__onnx_writer *w) {
  return !w->output && !w->text;
}

/* Write a message, or a field of a message of this kind, with the writer's edit. */
crd_status crd__onnx_writer_message(crd__onnx_writer *writer, crd__onnx_kind what,
                                    crd__onnx_span span);
crd_status crd__onnx_writer_field(crd__onnx_writer *writer, crd__onnx_kind outer,
                                  const crd__onnx_field *field);
/* For edits: write bytes; write and clear a text, with its failure. */
crd_status crd__onnx_writer_put(crd__onnx_writer *writer, const void *bytes, size_t count);
crd_status crd__onnx_writer_put_text(crd__onnx_writer *writer, crd__text *text);
/* For edits: write key and length of `count` bytes that follow. */
crd_status crd__onnx_writer_head(crd__onnx_writer *writer, uint64_t field, size_t count);

/* Computes the size of the model with all weights embedded, and checks that they are present. */
crd_status crd__onnx_reader_measure(const crd__onnx_reader *reader, crd__onnx_span model,
                                    size_t *bytes);
/* Writes an opened model, with changes, to memory. CRD_EINPUT if it is too large for one file. */
crd_status crd__onnx_file_rewrite(crd_context *ctx, const crd__onnx_file *file,
                                  const crd__onnx_edit *edit, crd__text *out);

#endif
