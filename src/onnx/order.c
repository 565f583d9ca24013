/*
 * order.c -- topological sort of the nodes.
 *
 * A depth-first search from each node in the file's order emits a node after all that it depends
 * on: an order that is valid already stays, and the time is linear in nodes and inputs. The path to
 * the current node is kept in an array, so that a long chain does not overflow the stack; a node
 * that is on it twice is part of a cycle. Values that subgraphs in attributes read from outside are
 * not considered: such nodes keep the file's order.
 */
#include "onnx/reader.h"

#include <string.h>

enum { NEW, WAITING, WRITTEN };

typedef struct {
  const crd__onnx_reader *r;
  crd__onnx_file *file;
  unsigned char *states; /* of each node */
  size_t *next;          /* of each node: its next input to visit */
  int *path;             /* nodes that wait, each for the one after it */
  int *positions;        /* of each node: its new index */
  size_t depth;
  int written;
} search;

/* Returns the next node that `at` depends on and that is not emitted; NONE: `at` can be emitted. */
static int next_needed(search *s, int at) {
  const crd__onnx_node *const node = &s->file->nodes[at];
  while (s->next[at] < node->input_count) {
    const int edge = node->inputs[s->next[at]++];
    const int maker = edge == CRD__ONNX_NONE ? CRD__ONNX_NONE : s->file->edges[edge].producer;
    if (maker != CRD__ONNX_NONE && s->states[maker] != WRITTEN) return maker;
  }
  return CRD__ONNX_NONE;
}

static crd_status visit(search *s, int root) {
  s->path[0] = root;
  s->depth = 1;
  s->states[root] = WAITING;
  while (s->depth) {
    const int at = s->path[s->depth - 1], needed = next_needed(s, at);
    if (needed == CRD__ONNX_NONE) {
      s->states[at] = WRITTEN;
      s->positions[at] = s->written++;
      s->depth--;
    } else if (s->states[needed] == WAITING)
      return crd__onnx_reader_fail(
          s->r,
          "node '%.60s' (%.60s) is part of a cycle: it reads '%.60s', which "
          "depends on its output",
          s->file->nodes[at].name, s->file->nodes[at].op,
          s->file->edges[s->file->nodes[at].inputs[s->next[at] - 1]].name);
    else {
      s->states[needed] = WAITING;
      s->path[s->depth++] = needed;
    }
  }
  return CRD_OK;
}

crd_status crd__onnx_reader_sort(const crd__onnx_reader *r, crd__onnx_file *file) {
  const size_t count = file->node_count;
  search s = { .r = r, .file = file };
  crd__onnx_node *nodes;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *s.states, &s.states));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *s.next, &s.next));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *s.path, &s.path));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *s.positions, &s.positions));
  bool sorted = true;
  for (size_t i = 0; i < count; i++) {
    if (s.states[i] == NEW) CRD_TRY(visit(&s, (int)i));
    sorted = sorted && s.positions[i] == (int)i;
  }
  if (sorted) return CRD_OK;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *nodes, &nodes));
  for (size_t i = 0; i < count; i++) nodes[s.positions[i]] = file->nodes[i];
  file->nodes = nodes;
  for (size_t i = 0; i < file->edge_count; i++)
    if (file->edges[i].producer != CRD__ONNX_NONE)
      file->edges[i].producer = s.positions[file->edges[i].producer];
  return CRD_OK;
}
