/* page_test.c -- names of runs without folders. */
#include "report/page/page.h"
#include "report/sample_test.h"

#include <string.h>

static void expect_name(const char *path, const char *name) {
  char out[CRD__PAGE_NAME_SIZE];
  assert_string_equal(crd__page_name_brief(path, out), name);
}

static void folders_are_left_out(void **state) {
  (void)state;
  expect_name("a.npz", "a.npz");
  expect_name("/long/way/to/a.npz@5000:", "a.npz@5000:");
  expect_name("x/a.npz,y/b.npz", "a.npz,b.npz");
  expect_name("cifar10:/data/cifar10#test@0:5", "cifar10#test@0:5");
  expect_name("folder/", "folder/");
  expect_name("/", "/");
  expect_name("", "");
}

/* A name that does not fit is cut, without half a character. */
static void long_names_are_cut(void **state) {
  (void)state;
  char path[2000] = "x/", out[CRD__PAGE_NAME_SIZE];
  for (size_t i = 0; i < 900; i++) strcat(path, "\xc3\xa4");
  crd__page_name_brief(path, out);
  assert_true(strlen(out) < CRD__PAGE_NAME_SIZE);
  assert_true(strlen(out) > CRD__PAGE_NAME_SIZE - 4);
  assert_string_equal(out + strlen(out) - 2, "\xc3\xa4");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(folders_are_left_out),
                                      cmocka_unit_test(long_names_are_cut) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
