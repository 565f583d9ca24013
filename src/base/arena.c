/* arena.c -- results: an object and all that it points to, in memory that is freed at once. */
#include "base/arena.h"
#include "base/memory.h"

#include <stddef.h>
#include <string.h>

/* The header of every allocation: a list, the last one first. */
typedef union piece piece;
union piece {
  struct {
    piece *next, **link; /* the pointer that points here */
    const void *part;    /* destroyed with the piece; NULL: none */
    void (*destroy)(const void *part);
  } is;
  max_align_t align;
};

/* The header of the object. */
typedef union {
  struct {
    crd_allocator from; /* the context's */
    crd_allocator own;  /* allocates pieces */
    piece *pieces;
  } is;
  max_align_t align;
} head;

static head *head_of(const void *object) { return (head *)(uintptr_t)object - 1; }

/* Grows, shrinks, frees as a crd_allocator does. */
static void *resize(void *self, void *memory, size_t bytes) {
  head *const h = self;
  piece *const before = memory ? (piece *)memory - 1 : NULL;
  size_t all;
  if (bytes == 0) {
    *before->is.link = before->is.next;
    if (before->is.next) before->is.next->is.link = before->is.link;
    crd__free(&h->is.from, before);
    return NULL;
  }
  if (!crd__size_add(bytes, sizeof(piece), &all)) return NULL;
  piece *const p = crd__resize(&h->is.from, before, all, 1);
  if (!p) return NULL;
  if (!before) *p = (piece){ .is.next = h->is.pieces, .is.link = &h->is.pieces };
  *p->is.link = p; /* it may have moved */
  if (p->is.next) p->is.next->is.link = &p->is.next;
  return p + 1;
}

crd_status crd__arena_new(crd_context *ctx, size_t size, const char *what, void *out) {
  head *h;
  memset(out, 0, sizeof(void *));
  CRD_TRY(crd__new(ctx, sizeof *h + size, 1, what, &h));
  h->is.from = ctx->alloc;
  h->is.own = (crd_allocator){ resize, h };
  void *const object = h + 1;
  memcpy(out, &object, sizeof object);
  return CRD_OK;
}

crd_status crd__arena_add(crd_context *ctx, const void *object, size_t count, size_t size,
                          const char *what, void *out) {
  void *const memory = crd__calloc(crd__arena_allocator(object), count, size);
  memcpy(out, &memory, sizeof memory);
  if (memory) return CRD_OK;
  return crd__fail(ctx, CRD_ENOMEM, "no memory for %s (%zu x %zu bytes)", what, count, size);
}

crd_status crd__arena_text(crd_context *ctx, const void *object, const char *text,
                           const char **out) {
  *out = text ? crd__strdup(crd__arena_allocator(object), text) : NULL;
  return *out || !text ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a text");
}

const crd_allocator *crd__arena_allocator(const void *object) { return &head_of(object)->is.own; }

crd_status crd__arena_keep(crd_context *ctx, const void *object, const void *part,
                           void (*destroy)(const void *part)) {
  void *memory;
  if (!part) return CRD_OK;
  const crd_status status = crd__arena_add(ctx, object, 0, 1, "a part of a result", &memory);
  if (status != CRD_OK) {
    destroy(part);
    return status;
  }
  piece *const p = (piece *)memory - 1;
  p->is.part = part;
  p->is.destroy = destroy;
  return CRD_OK;
}

void crd__arena_free(const void *object) {
  if (!object) return;
  head *const h = head_of(object);
  const crd_allocator from = h->is.from;
  for (piece *p = h->is.pieces, *next; p; p = next) {
    next = p->is.next;
    if (p->is.part) p->is.destroy(p->is.part);
    crd__free(&from, p);
  }
  crd__free(&from, h);
}
