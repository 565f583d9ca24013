/*
 * part.h -- parts of a graph: the nodes that compute some of its values, from its inputs or from
 * another value.
 */
#ifndef CRD_ONNX_PART_H
#define CRD_ONNX_PART_H

#include "onnx/update.h"

enum { CRD__ONNX_PART_OUTPUTS_MAX = 4 };
#define CRD__ONNX_ROWS "rows" /* stands for a first dimension without a name */

typedef struct {
  const crd__onnx_file *file;
  crd__words names;    /* of all edges, in their order */
  bool *nodes, *edges; /* which of them belong to the part */
  int input;           /* the value that becomes its only input; NONE: inputs of the graph stay */
  bool *follows;       /* nodes that need the number of rows only: they read `input` instead */
  size_t output_count;
  int outputs[CRD__ONNX_PART_OUTPUTS_MAX];
  const crd_port *ports[CRD__ONNX_PART_OUTPUTS_MAX]; /* declarations of outputs that the file does
                                                        not declare as such; NULL: the name only */
  const crd_port *port;                              /* the declaration of `input` */
  crd__onnx_metadata_edit metadata;
} crd__onnx_part;

/* Finds a value that depends on the graph's inputs. CRD_EUSAGE, with the nearest name, if there is
 * none of this name, and if it is a constant. */
crd_status crd__onnx_part_find(crd_context *ctx, const crd__onnx_file *file, const char *name,
                               int *out);

/* Choose the nodes that compute these outputs, at most CRD__ONNX_PART_OUTPUTS_MAX. CRD_EINPUT if
 * one of them has a graph inside. Call clear also after a failure. */
crd_status crd__onnx_part_before(crd_context *ctx, const crd__onnx_file *file, const int *outputs,
                                 size_t count, crd__onnx_part *out);
/* Choose the nodes that compute the first output of the graph from a value. `rows` is the name of
 * its first dimension: nodes that read no more of an input than its first dimension of the same
 * name will read that of the value; NULL: it is not the rows. CRD_EUSAGE if none do, or if the
 * output depends on inputs around it. */
crd_status crd__onnx_part_after(crd_context *ctx, const crd__onnx_file *file, int input,
                                const char *rows, crd__onnx_part *out);
void crd__onnx_part_clear(const crd_allocator *alloc, crd__onnx_part *part);

/* Writes the part as a model. */
crd_status crd__onnx_part_write(crd_context *ctx, const crd__onnx_part *part, crd__text *out);

/* For edits of a part (join.c): the functions of its own edit. */
crd_status crd__onnx_part_field(const crd__onnx_part *part, crd__onnx_writer *writer,
                                crd__onnx_kind outer, const crd__onnx_field *field, bool *done);
crd_status crd__onnx_part_end(const crd__onnx_part *part, crd__onnx_writer *writer,
                              crd__onnx_kind outer);

/* ---- For all edits of graphs. */

/* Adds the names of all edges, in their order. */
crd_status crd__onnx_names_of(crd_context *ctx, const crd__onnx_file *file, crd__words *out);
/* Returns the edge whose name is in this field of a message; of several the last one counts that is
 * not empty. NONE: the graph has none of the name. */
int crd__onnx_names_edge(const crd__words *names, crd__onnx_span message, unsigned field);
/* Marks the edges that depend on a marked one. */
void crd__onnx_spread(const crd__onnx_file *file, bool *edges);
/* Writes a node that reads other values. */
typedef struct {
  const char *from, *to;
} crd__onnx_renaming;
crd_status crd__onnx_writer_node(crd__onnx_writer *writer, crd__onnx_span node,
                                 const crd__onnx_renaming *names, size_t count);
/* Writes the declaration of an input or output; `port` NULL: the name only. */
crd_status crd__onnx_writer_port(crd__onnx_writer *writer, unsigned field, const char *name,
                                 const crd_port *port);

#endif
