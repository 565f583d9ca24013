/* reader.h -- what the parts of the reader of ONNX files share. */
#ifndef CRD_ONNX_READER_H
#define CRD_ONNX_READER_H

#include "base/file.h"
#include "base/words.h"
#include "onnx/arena.h"
#include "onnx/file.h"
#include "onnx/model.h"

/* A file beside the model that has weights; mapped once. */
typedef struct crd__onnx_external crd__onnx_external;
struct crd__onnx_external {
  crd__onnx_external *next;
  const char *location; /* as the model calls it */
  crd__blob blob;
};

/* What a file owns. */
typedef struct {
  crd__onnx_arena arena;
  crd__blob blob; /* of a file that was opened here */
  crd__onnx_external *externals;
  crd__onnx_model model;
  size_t saved; /* bytes that it has as one file */
} crd__onnx_resources;

typedef struct {
  crd_context *ctx;
  const char *path;
  const char *node; /* whose attributes are read; NULL: none */
  crd__onnx_arena *arena;
  crd__onnx_external **externals; /* NULL: none are allowed */
  const crd__blob *blob; /* of the model, if it is to leave memory again (crd__blob_drop_behind) */
} crd__onnx_reader;

/* EINPUT: "path: node 'name': ...". Names are cut at 60 bytes by their formats, and made harmless
 * here. */
crd_status crd__onnx_reader_fail(const crd__onnx_reader *reader, const char *format, ...)
    CRD_PRINTF(2, 3);
/* A copy of a name, which must be UTF-8 without zeros; `what` for the sentence: "a node". */
crd_status crd__onnx_reader_name(const crd__onnx_reader *reader, crd__onnx_span span,
                                 const char *what, const char **out);
/* A field that must be bytes, or a varint: else a sentence about `what`. */
crd_status crd__onnx_reader_expect(const crd__onnx_reader *reader, const crd__onnx_field *field,
                                   bool bytes, const char *what);

/* The element type of ONNX's number; false: none of ours. */
bool crd__onnx_dtype(int64_t type, crd_dtype *out);
crd_status crd__onnx_reader_tensor(const crd__onnx_reader *reader, crd__onnx_span span,
                                   crd__onnx_tensor *out);
/* The `need` bytes of a tensor whose numbers are in another file. */
crd_status crd__onnx_reader_external(const crd__onnx_reader *reader, crd__onnx_span tensor,
                                     const char *name, size_t need, const unsigned char **out);
/* Everything of a node but its edges. */
crd_status crd__onnx_reader_node(const crd__onnx_reader *reader, crd__onnx_span span,
                                 crd__onnx_node *out);
/* What a ValueInfoProto says of an edge. */
crd_status crd__onnx_reader_port(const crd__onnx_reader *reader, crd__onnx_span span,
                                 crd__onnx_edge *edge);
/* The fields of the graph, as edges and nodes of the file. */
crd_status crd__onnx_reader_graph(const crd__onnx_reader *reader, crd__onnx_span span,
                                  crd__onnx_file *file);
/* Nodes after those whose outputs they read. */
crd_status crd__onnx_reader_sort(const crd__onnx_reader *reader, crd__onnx_file *file);

/* Write the model with all weights inside; NULL: only find out how many bytes that takes, and that
 * all weights are there. */
crd_status crd__onnx_reader_rewrite(const crd__onnx_reader *reader, crd__onnx_span model,
                                    crd_output *output, size_t *bytes);

#endif
