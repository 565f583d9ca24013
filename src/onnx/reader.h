/* reader.h -- shared by the parts of the ONNX reader. */
#ifndef CRD_ONNX_READER_H
#define CRD_ONNX_READER_H

#include "base/file.h"
#include "base/words.h"
#include "onnx/arena.h"
#include "onnx/file.h"
#include "onnx/model.h"

/* A file of external data, mapped once. */
typedef struct crd__onnx_external crd__onnx_external;
struct crd__onnx_external {
  crd__onnx_external *next;
  const char *location; /* its name in the model */
  crd__blob blob;
};

/* Resources that a file owns. */
typedef struct {
  crd__onnx_arena arena;
  crd__blob blob; /* of a file that was opened by path */
  crd__onnx_external *externals;
  crd__onnx_model model;
  size_t saved; /* size in bytes as one file */
} crd__onnx_resources;

typedef struct {
  crd_context *ctx;
  const char *path;
  const char *node; /* whose attributes are read; NULL: none */
  crd__onnx_arena *arena;
  crd__onnx_external **externals; /* NULL: external data is not allowed */
  const crd__blob *blob; /* of the model, if its pages are to be dropped (crd__blob_drop_behind) */
} crd__onnx_reader;

/* Fails with CRD_EINPUT and "path: node 'name': ...". Formats truncate names at 60 bytes; control
 * characters are replaced here. */
crd_status crd__onnx_reader_fail(const crd__onnx_reader *reader, const char *format, ...)
    CRD_PRINTF(2, 3);
/* Copies a name, which must be UTF-8 without NUL; `what` is for the error message: "a node". */
crd_status crd__onnx_reader_name(const crd__onnx_reader *reader, crd__onnx_span span,
                                 const char *what, const char **out);
/* The same for a string that is not a name: "a value". */
crd_status crd__onnx_reader_string(const crd__onnx_reader *reader, crd__onnx_span span,
                                   const char *what, const char **out);
/* Fails unless a field is bytes, or a varint; `what` is for the error message. */
crd_status crd__onnx_reader_expect(const crd__onnx_reader *reader, const crd__onnx_field *field,
                                   bool bytes, const char *what);

/* Converts ONNX's element type; false if it has no crd_dtype. */
bool crd__onnx_dtype(int64_t type, crd_dtype *out);
/* Returns ONNX's element type of a type that crd__onnx_dtype yields; 0 for others. */
int crd__onnx_type_of(crd_dtype dtype);
/* Reads the strings of a tensor, as their indices. */
crd_status crd__onnx_reader_strings(const crd__onnx_reader *reader, crd__onnx_span span,
                                    crd__onnx_tensor *out);
crd_status crd__onnx_reader_tensor(const crd__onnx_reader *reader, crd__onnx_span span,
                                   crd__onnx_tensor *out);
/* Sets *out to the `need` bytes of a tensor with external data. */
crd_status crd__onnx_reader_external(const crd__onnx_reader *reader, crd__onnx_span tensor,
                                     const char *name, size_t need, const unsigned char **out);
/* Parses a node, except its edges. */
crd_status crd__onnx_reader_node(const crd__onnx_reader *reader, crd__onnx_span span,
                                 crd__onnx_node *out);
/* Parses a ValueInfoProto, the declaration of an edge. */
crd_status crd__onnx_reader_port(const crd__onnx_reader *reader, crd__onnx_span span,
                                 crd__onnx_edge *edge);
/* Parses the graph into edges and nodes. */
crd_status crd__onnx_reader_graph(const crd__onnx_reader *reader, crd__onnx_span span,
                                  crd__onnx_file *file);
/* Parses the metadata of the model. */
crd_status crd__onnx_reader_metadata(const crd__onnx_reader *reader, crd__onnx_span model,
                                     crd__onnx_file *file);
/* Parses the versions of the operator sets. */
crd_status crd__onnx_reader_domains(const crd__onnx_reader *reader, crd__onnx_span model,
                                    crd__onnx_file *file);
/* Sorts the nodes topologically. CRD_EINPUT names a cycle. */
crd_status crd__onnx_reader_sort(const crd__onnx_reader *reader, crd__onnx_file *file);

#endif
