/*
 * convert.c -- pickles, joblib dumps, Parquet and Arrow files: recognised by their first bytes, but
 * not supported; the error message has two lines of Python that convert them.
 *
 * A pickle can run any code when Python loads it. Here its top-level object is only inspected
 * (pickle.h) to choose the lines: a dict keeps its names, a pair becomes logits and labels.
 */
#include "io/convert.h"

#include "base/memory.h"
#include "io/format/torch.h"

#include <stdio.h>
#include <string.h>

/* ---- Templates. */

/* Appends 'text' as a Python literal; bytes beyond ASCII are unchanged. */
static void add_literal(crd__text *out, const char *text, size_t length, const char *extension) {
  crd__text_add(out, "'");
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c < ' ' || c == 0x7f) crd__text_addf(out, "\\x%02x", c);
    else if (c == '\'' || c == '\\') crd__text_addf(out, "\\%c", c);
    else crd__text_add_bytes(out, &text[i], 1);
  }
  crd__text_addf(out, "%s'", extension);
}

/* The length of a file's name without its extension. */
static size_t stem_length(const char *name) {
  const char *const slash = strrchr(name, '/'), *const base = slash ? slash + 1 : name;
  const char *const dot = strrchr(base, '.');
  return dot && dot > base ? (size_t)(dot - name) : strlen(name);
}

static bool from_pipe(const crd__io_bundle *bundle) {
  return !bundle->on_disk && strcmp(bundle->name, "standard input") == 0;
}

static void add_gzip(crd__text *out, const crd__io_bundle *bundle) {
  if (bundle->inflated) crd__text_add(out, "gzip, ");
}

static void add_file(crd__text *out, const crd__io_bundle *bundle) {
  const char *const name = from_pipe(bundle) ? "FILE" : bundle->name;
  if (bundle->inflated) crd__text_add(out, "gzip.open(");
  add_literal(out, name, strlen(name), "");
  if (bundle->inflated) crd__text_add(out, ")");
}

static void add_open(crd__text *out, const crd__io_bundle *bundle) {
  if (!bundle->inflated) crd__text_add(out, "open(");
  add_file(out, bundle);
  if (!bundle->inflated) crd__text_add(out, ", 'rb')");
}

/* The name of the output, never that of the file itself, whose extension may be wrong. */
static void add_output(crd__text *out, const crd__io_bundle *bundle, const char *extension) {
  const char *const stem = from_pipe(bundle) ? "predictions" : bundle->stem;
  const size_t length = stem_length(stem);
  char suffix[24];
  snprintf(suffix, sizeof suffix, "%s%s", strcmp(stem + length, extension) ? "" : "-converted",
           extension);
  add_literal(out, stem, length, suffix);
}

static void add_npz(crd__text *out, const crd__io_bundle *bundle) {
  add_output(out, bundle, ".npz");
}
static void add_npy(crd__text *out, const crd__io_bundle *bundle) {
  add_output(out, bundle, ".npy");
}
static void add_csv(crd__text *out, const crd__io_bundle *bundle) {
  add_output(out, bundle, ".csv");
}

static const struct {
  const char *name;
  void (*add)(crd__text *out, const crd__io_bundle *bundle);
} placeholders[] = {
  { "{gzip}", add_gzip }, { "{file}", add_file }, { "{open}", add_open },
  { "{npz}", add_npz },   { "{npy}", add_npy },   { "{csv}", add_csv },
};
enum { PLACEHOLDERS = sizeof placeholders / sizeof *placeholders };

static void add_line(crd__text *out, const crd__io_bundle *bundle, const char *line) {
  crd__text_add(out, "\n  ");
  while (*line) {
    size_t i = 0;
    while (i < PLACEHOLDERS &&
           strncmp(line, placeholders[i].name, strlen(placeholders[i].name)) != 0)
      i++;
    if (i < PLACEHOLDERS) placeholders[i].add(out, bundle);
    else crd__text_add_bytes(out, line, 1);
    line += i < PLACEHOLDERS ? strlen(placeholders[i].name) : 1;
  }
}

crd_status crd__io_convert_refuse(crd_context *ctx, crd__io_bundle *bundle,
                                  const crd__io_python *lines, const char *format, ...) {
  crd__text advice;
  va_list arguments;
  char message[512];
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  crd__text_init(&advice, &bundle->alloc);
  add_line(&advice, bundle, lines->load);
  add_line(&advice, bundle, lines->save);
  const crd_status status = crd__text_status(ctx, &advice);
  if (status != CRD_OK) {
    crd__text_clear(&advice);
    return status;
  }
  crd__free(&bundle->alloc, bundle->advice);
  bundle->advice = advice.bytes;
  return crd__fail(ctx, CRD_EINPUT, "%s in Python:", message);
}

/* ---- Pickles: the library that loads them, and the kind of the object. */

typedef enum { PICKLE, JOBLIB, TORCH } loader;

static const char *const loads[] = {
  [PICKLE] = "import {gzip}pickle, numpy; d = pickle.load({open})",
  [JOBLIB] = "import {gzip}joblib, numpy; d = joblib.load({file})",
  [TORCH] = ("import {gzip}torch, numpy; "
             "d = torch.load({file}, map_location='cpu', weights_only=False)"),
};

typedef enum { UNKNOWN, DICT, PAIR, LIST, ARRAY, FRAME, MODEL } object;

static const char *const saves[] = {
  [UNKNOWN] = ("numpy.savez({npz}, **d) if isinstance(d, dict) else "
               "numpy.savez({npz}, *(d if isinstance(d, (tuple, list)) else [d]))"),
  [DICT] = "numpy.savez({npz}, **d)",
  [PAIR] = "numpy.savez({npz}, logits=d[0], labels=d[1])",
  [LIST] = "numpy.save({npy}, numpy.asarray(d))",
  [ARRAY] = "numpy.save({npy}, d)",
  [FRAME] = "d.to_csv({csv}, index=False)",
};
/* A model must be run first. */
static const char *const model_saves[] = {
  [PICKLE] = "numpy.savez({npz}, probs=d.predict_proba(x), labels=y)",
  [JOBLIB] = "numpy.savez({npz}, probs=d.predict_proba(x), labels=y)",
  [TORCH] = "numpy.savez({npz}, logits=d(x).detach(), labels=y)",
};

/* Returns whether the node is an object of this package. */
static bool from_package(const crd__io_pickle *pickle, const crd__io_py_node *node,
                         const char *package) {
  char text[CRD__PY_DESCRIPTION];
  crd__io_py_describe(pickle, node, text);
  const size_t length = strlen(package);
  return strncmp(text, "a ", 2) == 0 && strncmp(text + 2, package, length) == 0 &&
         text[2 + length] == '.';
}

static object classify(const crd__io_pickle *pickle) {
  const crd__io_py_node *const root = &pickle->nodes[pickle->root];
  if (root->kind == CRD__PY_DICT) return DICT;
  if (root->kind == CRD__PY_TUPLE || root->kind == CRD__PY_LIST)
    return root->count == 2 ? PAIR : LIST;
  if (root->kind != CRD__PY_CALL) return UNKNOWN;
  if (from_package(pickle, root, "numpy")) return ARRAY;
  if (from_package(pickle, root, "pandas")) return FRAME;
  return MODEL;
}

static crd_status refuse_object(crd_context *ctx, crd__io_bundle *bundle, loader with, object is,
                                const char *message) {
  const crd__io_python lines = { loads[with], is == MODEL ? model_saves[with] : saves[is] };
  return crd__io_convert_refuse(ctx, bundle, &lines, "%s; %s", message,
                                is == MODEL ? "run the model and save its predictions,"
                                            : "convert it");
}

crd_status crd__io_convert_torch(crd_context *ctx, crd__io_bundle *bundle,
                                 const crd__io_pickle *pickle, const char *message) {
  return refuse_object(ctx, bundle, TORCH, pickle ? classify(pickle) : UNKNOWN, message);
}

/* ---- First bytes. */

static bool begins(const crd__io_bundle *bundle, const char *text, size_t length) {
  return bundle->length >= length && memcmp(bundle->bytes, text, length) == 0;
}

/* Returns whether the text is in bytes[from .. from+count). */
static bool contains(const crd__io_bundle *bundle, size_t from, size_t count, const char *text) {
  const size_t length = strlen(text);
  if (from > bundle->length) return false;
  if (count > bundle->length - from) count = bundle->length - from;
  const unsigned char *at = bundle->bytes + from, *const end = at + count;
  while ((size_t)(end - at) >= length && (at = memchr(at, text[0], (size_t)(end - at)))) {
    if ((size_t)(end - at) >= length && memcmp(at, text, length) == 0) return true;
    at++;
  }
  return false;
}

/* The length at the start of a safetensors file may look like one of the marks below. */
static bool is_safetensors(const crd__io_bundle *bundle) {
  return bundle->length > 8 && memcmp(bundle->bytes + 4, "\0\0\0\0{", 5) == 0;
}

static bool is_pickle(const crd__io_bundle *bundle) {
  return crd__io_pickle_recognise(bundle->bytes, bundle->length) &&
         !crd__io_torch_is_legacy(bundle->bytes, bundle->length);
}

/* Protocol 0 is text without a magic number: beginnings of a dict, a list and objects. */
static bool is_old_pickle(const crd__io_bundle *bundle) {
  static const char *const starts[] = { "(dp0\n", "(lp0\n", "ccopy_reg\n_reconstructor\n",
                                        "cnumpy.core.multiarray\n", "cnumpy._core.multiarray\n" };
  /* Protocol 1 is binary, also without a magic number. */
  if (begins(bundle, "}q\0", 3) || begins(bundle, "]q\0", 3)) return true;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (begins(bundle, starts[i], strlen(starts[i]))) return true;
  return false;
}

/* Returns whether the first bytes are not those of a text, which may begin with the same letters as
 * a binary format: a table whose first column is called PAR1. */
static bool is_binary(const crd__io_bundle *bundle) {
  const unsigned char *const bytes = bundle->bytes;
  for (size_t i = 1; i < bundle->length && i < 64; i++)
    if (bytes[i] < ' ' && !memchr("\t\r\n", bytes[i], 3)) return true;
  return false;
}

/* joblib compresses with zlib, whose header may look like text ("x^"), but not what follows. */
static bool is_zlib(const crd__io_bundle *bundle) {
  const unsigned char *const bytes = bundle->bytes;
  if (bundle->length < 8 || bytes[0] != 0x78 || (bytes[0] << 8 | bytes[1]) % 31 != 0) return false;
  return is_binary(bundle);
}

static bool is_parquet(const crd__io_bundle *bundle) {
  return begins(bundle, "PAR1", 4) && is_binary(bundle);
}
static bool is_feather(const crd__io_bundle *bundle) {
  return (begins(bundle, "FEA1", 4) && is_binary(bundle)) || begins(bundle, "ARROW1\0\0", 8);
}
/* A continuation marker, then the length of a schema, which is small. */
static bool is_arrow_stream(const crd__io_bundle *bundle) {
  return begins(bundle, "\xff\xff\xff\xff", 4) && bundle->length > 8 && bundle->bytes[7] == 0 &&
         bundle->bytes[4] % 8 == 0;
}

/* ---- Error messages. */

/* The kind of the object by the first opcode after the protocol and the frame: a dict, a global, or
 * unknown. */
static object classify_start(const crd__io_bundle *bundle) {
  static const struct {
    const char *module;
    object is;
  } modules[] = { { "joblib", UNKNOWN }, { "numpy", UNKNOWN }, { "pandas", FRAME }, { "", MODEL } };
  const unsigned char *const bytes = bundle->bytes;
  const size_t first = bytes[2] == 0x95 ? 11 : 2;
  if (bundle->length < first + 16) return UNKNOWN;
  if (bytes[first] == '}') return DICT;
  if (bytes[first] != 'c' && bytes[first] != 0x8c) return UNKNOWN;
  const char *const name = (const char *)bytes + first + (bytes[first] == 'c' ? 1 : 2);
  size_t i = 0;
  while (strncmp(name, modules[i].module, strlen(modules[i].module)) != 0) i++;
  return modules[i].is;
}

/* joblib puts raw arrays between the opcodes: only the start can be parsed. */
static crd_status refuse_pickle(crd_context *ctx, crd__io_bundle *bundle) {
  enum { LOOKED = 65536 };
  char text[CRD__PY_DESCRIPTION], message[CRD__PY_DESCRIPTION + 48];
  crd__io_pickle pickle;
  if (contains(bundle, 0, LOOKED, "joblib.numpy_pickle"))
    return refuse_object(ctx, bundle, JOBLIB, classify_start(bundle),
                         "a joblib dump, which is not supported");
  object is = classify_start(bundle);
  snprintf(message, sizeof message, "a Python pickle, which is not supported");
  const crd_status status = crd__io_pickle_read(ctx, bundle->bytes, bundle->length, &pickle);
  if (status == CRD_OK) {
    is = classify(&pickle);
    snprintf(message, sizeof message, "a Python pickle of %s, which is not supported",
             crd__io_py_describe(&pickle, &pickle.nodes[pickle.root], text));
  }
  crd__io_pickle_clear(&ctx->alloc, &pickle);
  if (status != CRD_OK && status != CRD_EINPUT) return status;
  return refuse_object(ctx, bundle, PICKLE, is, message);
}

static crd_status refuse_old_pickle(crd_context *ctx, crd__io_bundle *bundle) {
  const bool dict = bundle->bytes[0] == '}' || bundle->bytes[1] == 'd';
  return refuse_object(ctx, bundle, PICKLE, dict ? DICT : UNKNOWN,
                       "a Python pickle, which is not supported");
}

static crd_status refuse_zlib(crd_context *ctx, crd__io_bundle *bundle) {
  return refuse_object(ctx, bundle, JOBLIB, UNKNOWN,
                       "compressed by zlib, as joblib does, which is not supported");
}

/* Tables are converted to CSV, unless a column holds lists, which pandas mentions in the metadata
 * at either end of the file. */
static crd_status refuse_table(crd_context *ctx, crd__io_bundle *bundle, const char *load,
                               const char *what) {
  enum { METADATA = 1 << 20 };
  const size_t tail = bundle->length > METADATA ? bundle->length - METADATA : 0;
  const bool lists =
      contains(bundle, 0, METADATA, "list[") || contains(bundle, tail, METADATA, "list[");
  const crd__io_python lines = { load,
                                 lists ? "numpy.savez({npz}, **{k: numpy.stack(d[k]) for k in d})"
                                       : "d.to_csv({csv}, index=False)" };
  return crd__io_convert_refuse(ctx, bundle, &lines, "%s, which is not supported; convert it",
                                what);
}

static crd_status refuse_parquet(crd_context *ctx, crd__io_bundle *bundle) {
  return refuse_table(ctx, bundle, "import {gzip}pandas, numpy; d = pandas.read_parquet({file})",
                      "a Parquet file");
}
static crd_status refuse_feather(crd_context *ctx, crd__io_bundle *bundle) {
  return refuse_table(ctx, bundle, "import {gzip}pandas, numpy; d = pandas.read_feather({file})",
                      "an Arrow file (Feather)");
}
static crd_status refuse_stream(crd_context *ctx, crd__io_bundle *bundle) {
  return refuse_table(
      ctx, bundle,
      "import {gzip}pyarrow.ipc, numpy; d = pyarrow.ipc.open_stream({open}).read_pandas()",
      "an Arrow stream");
}

static const struct {
  bool (*is)(const crd__io_bundle *bundle);
  crd_status (*refuse)(crd_context *ctx, crd__io_bundle *bundle);
} kinds[] = {
  { is_pickle, refuse_pickle },   { is_old_pickle, refuse_old_pickle },
  { is_zlib, refuse_zlib },       { is_parquet, refuse_parquet },
  { is_feather, refuse_feather }, { is_arrow_stream, refuse_stream },
};

crd_status crd__io_convert_check(crd_context *ctx, crd__io_bundle *bundle) {
  if (is_safetensors(bundle)) return CRD_OK; /* the length of its header may look like anything */
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].is(bundle)) return kinds[i].refuse(ctx, bundle);
  return CRD_OK;
}
