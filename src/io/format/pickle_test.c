/* pickle_test.c -- opcodes as graphs of nodes, and malicious pickles. */
#include "io/testing.h"

#include "io/format/pickle.h"

#define READ(ctx, text, pickle)                                                                    \
  crd__io_pickle_read(ctx, (const unsigned char *)(text), sizeof(text) - 1, pickle)

static const crd__io_py_node *root(const crd__io_pickle *p) { return &p->nodes[p->root]; }

static void reads_values(void **state) {
  static const struct {
    const char *text;
    size_t length;
    double value;
  } cases[] = {
#define CASE(text, value) { text, sizeof(text) - 1, value }
    CASE("\x80\2K\xff.", 255),
    CASE("\x80\2M\1\2.", 513),
    CASE("\x80\2J\xfe\xff\xff\xff.", -2),
    CASE("\x80\2J\1\0\0\x7f.", 2130706433),
    CASE("\x80\2\x8a\0.", 0),
    CASE("\x80\2\x8a\1\xff.", -1),
    CASE("\x80\2\x8a\5\0\0\0\0\1.", 4294967296.0),
    CASE("\x80\2\x8b\2\0\0\0\0\x80.", -32768),
    CASE("\x80\2\x88.", 1),
    CASE("\x80\2\x89.", 0),
    CASE("\x80\2G\xbf\xe0\0\0\0\0\0\0.", -0.5),
    CASE("\x80\4\x95\2\0\0\0\0\0\0\0K\7.", 7),
#undef CASE
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_pickle p;
    double value;
    WORKS(*state,
          crd__io_pickle_read(*state, (const unsigned char *)cases[i].text, cases[i].length, &p));
    assert_true(crd__io_py_number(root(&p), &value) && value == cases[i].value);
    assert_int_equal(p.used, cases[i].length);
    crd__io_pickle_clear(&((crd_context *)*state)->alloc, &p);
  }
}

/* {'a': [1, 2, 3], 'b': (1, 2)} with a memo, followed by another pickle. */
static void reads_containers(void **state) {
  crd__io_pickle p;
  double value;
  WORKS(*state,
        READ(*state,
             "\x80\2}q\0(X\1\0\0\0aq\1]q\2(K\1K\2eK\3ah\1h\2u0}(X\1\0\0\0ah\2U\1bK\1K\2\x86u.\x80",
             &p));
  const crd__io_py_node *const dict = root(&p);
  assert_int_equal(dict->kind, CRD__PY_DICT);
  assert_int_equal(dict->count, 4);
  assert_true(crd__io_py_is_text(crd__io_py_child(&p, dict, 2), "b"));
  const crd__io_py_node *const list = crd__io_py_child(&p, dict, 1);
  assert_int_equal(list->kind, CRD__PY_LIST);
  assert_int_equal(list->count, 3);
  assert_true(crd__io_py_number(crd__io_py_child(&p, list, 2), &value) && value == 3);
  assert_int_equal(crd__io_py_child(&p, dict, 3)->kind, CRD__PY_TUPLE);
  assert_null(crd__io_py_child(&p, dict, 4));
  crd__io_pickle_clear(&((crd_context *)*state)->alloc, &p);
}

/* Calls are recorded, not executed; those of dict classes become dicts. */
static void records_calls(void **state) {
  char text[CRD__PY_DESCRIPTION];
  crd__io_pickle p;
  WORKS(*state, READ(*state, "\x80\2cos\nsystem\nX\2\0\0\0ls\x85R}b.", &p));
  assert_int_equal(root(&p)->kind, CRD__PY_CALL);
  assert_int_equal(root(&p)->count, 3);
  assert_true(crd__io_py_is_global(&p, crd__io_py_child(&p, root(&p), 0), "os", "system"));
  assert_string_equal(crd__io_py_describe(&p, root(&p), text), "a os.system");
  crd__io_pickle_clear(&((crd_context *)*state)->alloc, &p);
  WORKS(*state,
        READ(*state, "\x80\4\x8c\13collections\x94\x8c\13OrderedDict\x94\x93)R(K\1K\2u}b.", &p));
  assert_int_equal(root(&p)->kind, CRD__PY_DICT);
  assert_int_equal(root(&p)->count, 2);
  crd__io_pickle_clear(&((crd_context *)*state)->alloc, &p);
  /* Objects are described by their class, not by the function that creates them. */
  WORKS(*state, READ(*state, "\x80\2ccopyreg\n_reconstructor\nc__main__\nNet\n\x85R.", &p));
  assert_string_equal(crd__io_py_describe(&p, root(&p), text), "a __main__.Net");
  crd__io_pickle_clear(&((crd_context *)*state)->alloc, &p);
  WORKS(*state, READ(*state, "\x80\2(U\6modulec__main__\nNet\nU\1aU\1btQ)\x81.", &p));
  assert_string_equal(crd__io_py_describe(&p, root(&p), text), "a __main__.Net");
  crd__io_pickle_clear(&((crd_context *)*state)->alloc, &p);
}

static void refuses_damage(void **state) {
  static const struct {
    const char *text;
    size_t length;
    const char *words;
  } cases[] = {
#define CASE(text, words) { text, sizeof(text) - 1, words }
    CASE("", "it is truncated"),
    CASE("\x80", "it is truncated"),
    CASE("\x80\6N.", "pickle protocol 6, known are 2 to 5"),
    CASE("\x80\2", "it is truncated"),
    CASE("\x80\2.", "it pops more values than the stack holds"),
    CASE("\x80\2NN.", "values are left on the stack"),
    CASE("\x80\2(N.", "values are left on the stack"),
    CASE("\x80\2t.", "it pops a mark that was not set"),
    CASE("\x80\2N(0.", "it pops more values than the stack holds"),
    CASE("\x80\2X\xff\xff\xff\xffz.", "it is truncated"),
    CASE("\x80\2\x8e\xff\xff\xff\xff\xff\xff\xff\xffz.", "it is truncated"),
    CASE("\x80\2}(NNNu.", "a key has no value"),
    CASE("\x80\2(NNNd.", "a key has no value"),
    CASE("\x80\2N\x86.", "it pops more values than the stack holds"),
    CASE("\x80\2K\1K\2a.", "an object that is not a container"),
    CASE("\x80\2a.", "items to nothing"),
    CASE("\x80\2h\0.", "memo has no such entry"),
    CASE("\x80\2Nq\3h\1.", "memo has no such entry"),
    CASE("\x80\2Nr\xff\xff\xff\x7f.", "its memo is larger than the pickle"),
    CASE("\x80\2cos\nsystem", "the name of a global has no end"),
    CASE("\x80\4NN\x93.", "the name of a global is not text"),
    CASE("\x80\2cos\nsystem\nNR.", "the arguments of a call are not a tuple"),
    CASE("\x80\2)R.", "it pops more values than the stack holds"),
    CASE("\x80\2NQQb.", "it pops more values than the stack holds"),
    CASE("\x80\2Q.", "it pops more values than the stack holds"),
    CASE("\x80\2i.", "opcode 0x69 at byte 2"),
#undef CASE
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_pickle p;
    FAILS(*state, CRD_EINPUT,
          crd__io_pickle_read(*state, (const unsigned char *)cases[i].text, cases[i].length, &p),
          cases[i].words);
    crd__io_pickle_clear(&((crd_context *)*state)->alloc, &p);
  }
}

/* A list that contains itself, and lists nested a million deep: no recursion, and memory for the
 * opcodes only.
 */
static void survives_depth(void **state) {
  enum { DEEP = 1 << 20 };
  crd_context *const ctx = *state;
  crd__text text;
  crd__io_pickle p;
  WORKS(ctx, READ(ctx, "\x80\2]q\0h\0a.", &p));
  assert_ptr_equal(crd__io_py_child(&p, root(&p), 0), root(&p));
  crd__io_pickle_clear(&ctx->alloc, &p);
  crd__text_init(&text, &ctx->alloc);
  crd__text_add(&text, "\x80\2");
  for (int i = 0; i < DEEP; i++) crd__text_add(&text, "(");
  for (int i = 0; i < DEEP; i++) crd__text_add(&text, "t");
  crd__text_add(&text, ".");
  WORKS(ctx, crd__io_pickle_read(ctx, (const unsigned char *)text.bytes, text.length, &p));
  assert_int_equal(p.node_count, DEEP);
  crd__io_pickle_clear(&ctx->alloc, &p);
  crd__text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(reads_values),   TEST(reads_containers), TEST(records_calls),
    TEST(refuses_damage), TEST(survives_depth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
