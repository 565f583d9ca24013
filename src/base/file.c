/*
 * file.c -- mapped input files, atomically written output files.
 *
 * Output goes to a temporary file in the same folder (so that rename stays within one file system);
 * then fsync, rename, fsync of the folder. A reader sees the old file or the new one, never a part;
 * a full disk leaves the old one.
 */
#define _DEFAULT_SOURCE /* for madvise */
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REST_EVERY = 4 << 20 }; /* bytes walked between drops of pages */

static int system_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

static void *system_map(int fd, size_t length) {
  void *const memory = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

const crd__file_ops crd__system_files = {
  .open = system_open,
  .read = read,
  .write = write,
  .map = system_map,
  .sync = fsync,
  .close = close,
  .rename = rename,
};

bool crd__file_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

bool crd__file_is_regular(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool crd__folder_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Stats the folder of a path: "a/b" is in "a/.", "b" in ".". */
static bool find_folder(const char *path, struct stat *info) {
  char folder[4096];
  const char *const slash = strrchr(path, '/');
  const int length = slash ? (int)(slash - path) + 1 : 0;
  const int made = snprintf(folder, sizeof folder, "%.*s.", length, path);
  return made > 0 && (size_t)made < sizeof folder && stat(folder, info) == 0;
}

bool crd__same_folder(const char *path, const char *other) {
  struct stat a, b;
  return find_folder(path, &a) && find_folder(other, &b) && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/* ---- Input. */

/* Reads all of a pipe, whose length is unknown. */
static crd_status read_all(crd_context *ctx, const char *path, int fd, crd__blob *out) {
  unsigned char *bytes = NULL;
  size_t length = 0, capacity = 0;
  crd_status status = CRD_OK;
  while (status == CRD_OK) {
    if (length == capacity) {
      const size_t bigger = capacity ? capacity * 2 : 65536;
      unsigned char *const moved = crd__resize(&ctx->alloc, bytes, bigger, 1);
      if (!moved) {
        status = crd__fail(ctx, CRD_ENOMEM, "%s: no memory for %zu bytes", path, bigger);
        break;
      }
      bytes = moved;
      capacity = bigger;
    }
    const ssize_t got = ctx->files->read(fd, bytes + length, capacity - length);
    if (got == 0) break;
    if (got > 0) length += (size_t)got;
    else if (errno != EINTR) status = crd__fail_errno(ctx, path, "cannot read");
    if (status == CRD_OK) status = crd__check_interrupt(ctx);
  }
  if (status != CRD_OK) crd__free(&ctx->alloc, bytes);
  else *out = (crd__blob){ .bytes = bytes, .length = length };
  return status;
}

static const unsigned char no_bytes[1];

static crd_status take(crd_context *ctx, const char *path, int fd, crd__blob *out) {
  struct stat info;
  if (fstat(fd, &info) != 0) return crd__fail_errno(ctx, path, "cannot examine");
  if (S_ISDIR(info.st_mode))
    return crd__fail(ctx, CRD_EINPUT, "%s: is a directory, expected a file", path);
  if (!S_ISREG(info.st_mode)) return read_all(ctx, path, fd, out);
  if (info.st_size == 0) {
    *out = (crd__blob){ .bytes = no_bytes, .mapped = true };
    return CRD_OK;
  }
  const void *const bytes = ctx->files->map(fd, (size_t)info.st_size);
  if (!bytes) return read_all(ctx, path, fd, out);
  *out = (crd__blob){ .bytes = bytes, .length = (size_t)info.st_size, .mapped = true };
  return CRD_OK;
}

crd_status crd__blob_open(crd_context *ctx, const char *path, crd__blob *out) {
  *out = (crd__blob){ 0 };
  if (strcmp(path, "-") == 0) return take(ctx, "standard input", STDIN_FILENO, out);
  int fd;
  do fd = ctx->files->open(path, O_RDONLY | O_CLOEXEC, 0);
  while (fd < 0 && errno == EINTR && !crd__interrupted(ctx));
  if (fd < 0) {
    CRD_TRY(crd__check_interrupt(ctx));
    return crd__fail_errno(ctx, path, "cannot open");
  }
  const crd_status status = take(ctx, path, fd, out);
  ctx->files->close(fd); /* a mapping outlives its descriptor; nothing was written */
  return status;
}

void crd__blob_close(const crd_allocator *alloc, crd__blob *blob) {
  if (blob->mapped && blob->length) munmap((void *)(uintptr_t)blob->bytes, blob->length);
  else if (!blob->mapped) crd__free(alloc, (void *)(uintptr_t)blob->bytes);
  *blob = (crd__blob){ 0 };
}

/* The advice is optional: its failure does not matter. */
void crd__blob_drop_pages(const crd__blob *blob) {
  if (blob->mapped && blob->length)
    (void)madvise((void *)(uintptr_t)blob->bytes, blob->length, MADV_DONTNEED);
}

void crd__blob_drop_behind(const crd__blob *blob, const unsigned char *part, size_t length) {
  if (!blob) return;
  const size_t begin = (size_t)(part - blob->bytes);
  if (begin / REST_EVERY != (begin + length) / REST_EVERY) crd__blob_drop_pages(blob);
}

/* ---- Output. */

struct crd_output {
  crd_allocator alloc;
  const crd__file_ops *files;
  int fd;
  bool standard;     /* "-": nothing to rename or remove */
  char *path, *part; /* the final name; the temporary name */
  bool in_memory;    /* bytes are kept in `memory`; there is no file */
  char *memory;
  size_t length, room; /* bytes written; allocated */
  crd_context *ctx;
  _Atomic(crd_output *) next; /* of the context's open outputs */
};

/* A signal handler may walk through the list at any moment, so it is changed by single stores. */
static void enlist(crd_output *output) {
  atomic_store(&output->next, atomic_load(&output->ctx->outputs));
  atomic_store(&output->ctx->outputs, output);
}

static void delist(const crd_output *output) {
  _Atomic(crd_output *) *at = &output->ctx->outputs;
  for (crd_output *o = atomic_load(at); o; at = &o->next, o = atomic_load(at))
    if (o == output) {
      atomic_store(at, atomic_load(&o->next));
      return;
    }
}

void crd_context_abandon(crd_context *ctx) {
  for (const crd_output *o = atomic_load(&ctx->outputs); o; o = atomic_load(&o->next))
    if (o->part) unlink(o->part);
}

static void release(crd_output *output) {
  const crd_allocator alloc = output->alloc;
  delist(output);
  crd__free(&alloc, output->path);
  crd__free(&alloc, output->part);
  crd__free(&alloc, output->memory);
  crd__free(&alloc, output);
}

/* A device or pipe cannot be replaced by renaming: it is written to directly. */
static bool is_special(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* A failure to write is the system's, never the input's. */
static crd_status cannot_write(crd_context *ctx, const crd_output *output) {
  const char *const name = output->standard ? "standard output" : output->path;
  const crd_status status = crd__fail_errno(ctx, name, "cannot write");
  return status == CRD_EINPUT ? CRD_ESYSTEM : status;
}

static crd_status open_part(crd_context *ctx, crd_output *output) {
  const size_t room = strlen(output->path) + 32;
  output->part = crd__resize(&ctx->alloc, NULL, room, 1);
  if (!output->part) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    snprintf(output->part, room, "%s.part-%ld-%u", output->path, (long)getpid(), attempt);
    output->fd = ctx->files->open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->fd >= 0) return CRD_OK;
    if (errno != EEXIST) break;
  }
  return cannot_write(ctx, output);
}

static crd_status new_output(crd_context *ctx, crd_output **out) {
  *out = NULL;
  crd_output *output;
  CRD_TRY(crd__new(ctx, 1, sizeof *output, "an output file", &output));
  output->alloc = ctx->alloc;
  output->files = ctx->files;
  output->ctx = ctx;
  output->fd = -1;
  *out = output;
  return CRD_OK;
}

crd_status crd_output_open_memory(crd_context *ctx, crd_output **out) {
  CRD_TRY(new_output(ctx, out));
  (*out)->in_memory = true;
  enlist(*out);
  return CRD_OK;
}

crd_status crd_output_open(crd_context *ctx, const char *path, crd_output **out) {
  crd_output *output;
  *out = NULL;
  CRD_TRY(new_output(ctx, &output));
  output->path = crd__strdup(&ctx->alloc, path);
  crd_status status = CRD_OK;
  if (!output->path) status = crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  else if (strcmp(path, "-") == 0) {
    output->standard = true;
    output->fd = STDOUT_FILENO;
  } else if (is_special(path)) {
    output->fd = ctx->files->open(path, O_WRONLY | O_CLOEXEC, 0);
    if (output->fd < 0) status = cannot_write(ctx, output);
  } else status = open_part(ctx, output);
  if (status != CRD_OK) {
    crd__free(&ctx->alloc, output->part);
    output->part = NULL; /* it was not created: nothing to remove */
    release(output);
  } else {
    enlist(output);
    *out = output;
  }
  return status;
}

const char *crd__output_path(const crd_output *output) {
  return output->standard ? NULL : output->path;
}

const void *crd_output_bytes(const crd_output *output, size_t *length) {
  *length = output->length;
  if (!output->in_memory) return NULL;
  return output->memory ? output->memory : "";
}

/* Keeps bytes in memory that at least doubles, so that many small writes cost little. */
static crd_status keep(crd_context *ctx, crd_output *output, const void *bytes, size_t count) {
  if (count > output->room - output->length) {
    size_t room = 2 * output->room;
    if (room < output->length + count) room = output->length + count;
    char *const memory = crd__resize(&output->alloc, output->memory, room, 1);
    if (!memory) return crd__fail(ctx, CRD_ENOMEM, "no memory for an output of %zu bytes", room);
    output->memory = memory;
    output->room = room;
  }
  if (count) memcpy(output->memory + output->length, bytes, count);
  output->length += count;
  return CRD_OK;
}

crd_status crd_output_write(crd_context *ctx, crd_output *output, const void *bytes, size_t count) {
  const char *at = bytes;
  if (output->in_memory) return keep(ctx, output, bytes, count);
  while (count > 0) {
    const ssize_t put = output->files->write(output->fd, at, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return cannot_write(ctx, output);
    at += put;
    count -= (size_t)put;
  }
  return CRD_OK;
}

/* The rename is durable only when the folder's entry is on disk too. */
static void sync_folder(const crd_output *output) {
  char *const slash = strrchr(output->part, '/');
  if (slash) slash[slash == output->part] = '\0';
  const int fd = open(slash ? output->part : ".", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

static crd_status finish(crd_context *ctx, crd_output *output) {
  const int fd = output->fd;
  if (output->in_memory) return CRD_OK;
  if (output->part && output->files->sync(fd) != 0) return cannot_write(ctx, output);
  output->fd = -1; /* closed, even if close fails */
  if (!output->standard && output->files->close(fd) != 0) return cannot_write(ctx, output);
  return CRD_OK;
}

static crd_status rename_part(crd_context *ctx, crd_output *output) {
  if (!output->part) return CRD_OK;
  if (output->files->rename(output->part, output->path) != 0) return cannot_write(ctx, output);
  sync_folder(output);
  return CRD_OK;
}

crd_status crd_output_commit(crd_context *ctx, crd_output *output) {
  crd_status status = finish(ctx, output);
  if (status == CRD_OK) status = rename_part(ctx, output);
  if (status == CRD_OK) release(output);
  else crd_output_discard(output);
  return status;
}

crd_status crd_output_commit_both(crd_context *ctx, crd_output *output, crd_output *other) {
  crd_status status = finish(ctx, output);
  if (status == CRD_OK) status = finish(ctx, other);
  const bool fresh = output->part && !crd__file_exists(output->path);
  if (status == CRD_OK) status = rename_part(ctx, output);
  if (status != CRD_OK) {
    crd_output_discard(output);
    crd_output_discard(other);
    return status;
  }
  status = rename_part(ctx, other);
  if (status != CRD_OK && fresh) unlink(output->path);
  release(output);
  if (status == CRD_OK) release(other);
  else crd_output_discard(other);
  return status;
}

crd_status crd_output_finish(crd_context *ctx, crd_output *output, crd_status status) {
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status;
}

void crd_output_discard(crd_output *output) {
  if (!output) return;
  if (output->fd >= 0 && !output->standard) output->files->close(output->fd);
  if (output->part) unlink(output->part);
  release(output);
}
