/*
 * order.c -- nodes after those whose outputs they read.
 *
 * A depth-first search from each node in the file's order writes a node down once everything before
 * it is written: an order that is right already stays as it is, and the time is linear in the
 * nodes and their inputs. The way to the node at hand is kept in an array, so that a long chain
 * needs no stack; a node that is on it twice waits for itself. What graphs inside of attributes
 * read from outside is not looked at: such nodes stay where the file's order puts them.
 */
#include "onnx/reader.h"

#include <string.h>

enum { NEW, WAITING, WRITTEN };

typedef struct {
  const crd__onnx_reader *r;
  crd__onnx_file *file;
  unsigned char *states; /* of each node */
  size_t *next;          /* of each node: the input to look at next */
  int *way;              /* nodes that wait, each for the one behind it */
  int *places;           /* of each node: its new number */
  size_t depth;
  int written;
} search;

/* The next node that `at` needs and that is not written; NONE: it can be written itself. */
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
  s->way[0] = root;
  s->depth = 1;
  s->states[root] = WAITING;
  while (s->depth) {
    const int at = s->way[s->depth - 1], needed = next_needed(s, at);
    if (needed == CRD__ONNX_NONE) {
      s->states[at] = WRITTEN;
      s->places[at] = s->written++;
      s->depth--;
    } else if (s->states[needed] == WAITING)
      return crd__onnx_reader_fail(s->r,
                                   "node '%.60s' (%.60s) waits for itself: it reads '%.60s', which "
                                   "is made from its own output",
                                   s->file->nodes[at].name, s->file->nodes[at].op,
                                   s->file->edges[s->file->nodes[at].inputs[s->next[at] - 1]].name);
    else {
      s->states[needed] = WAITING;
      s->way[s->depth++] = needed;
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
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *s.way, &s.way));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *s.places, &s.places));
  bool sorted = true;
  for (size_t i = 0; i < count; i++) {
    if (s.states[i] == NEW) CRD_TRY(visit(&s, (int)i));
    sorted = sorted && s.places[i] == (int)i;
  }
  if (sorted) return CRD_OK;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *nodes, &nodes));
  for (size_t i = 0; i < count; i++) nodes[s.places[i]] = file->nodes[i];
  file->nodes = nodes;
  for (size_t i = 0; i < file->edge_count; i++)
    if (file->edges[i].producer != CRD__ONNX_NONE)
      file->edges[i].producer = s.places[file->edges[i].producer];
  return CRD_OK;
}
