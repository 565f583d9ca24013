/* latex_test.c -- a result as LaTeX, byte for byte. */
#include "report/sample_test.h"

static void test_bytes(void **state) {
  (void)state;
  sample_expect(&crd__report_form_latex, &sample,
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "% auroc: all rows are \"right\", so there is nothing to tell apart\n"
                "% note: the scores look like \xc3\xa4 logits?\n"
                "% \\usepackage{booktabs}\n"
                "\\begin{tabular}{lr}\n"
                "\\toprule\n"
                "Metric & Value \\\\\n"
                "\\midrule\n"
                "accuracy $\\uparrow$ & $0.7500$ \\\\\n"
                "ece $\\downarrow$ & $0.1000$ \\\\\n"
                "a\\_b & $-1.250 \\cdot 10^{-7}$ \\\\\n"
                "auroc $\\uparrow$ & -- \\\\\n"
                "\\bottomrule\n"
                "\\end{tabular}\n");
}

static void test_intervals(void **state) {
  (void)state;
  sample_expect(&crd__report_form_latex, &sample_with_intervals,
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "% auroc: all rows are \"right\", so there is nothing to tell apart\n"
                "% \\usepackage{booktabs}\n"
                "\\begin{tabular}{lrrrr}\n"
                "\\toprule\n"
                "Metric & Value & \\multicolumn{2}{c}{95\\,\\%} & $p$ \\\\\n"
                "\\midrule\n"
                "accuracy $\\uparrow$ & $0.7500$ & $0.5000$ & $1.0000$ & -- \\\\\n"
                "ece $\\downarrow$ & $0.1000$ & $0.0000$ & $0.2500$ & $3.125 \\cdot 10^{-5}$ \\\\\n"
                "auroc $\\uparrow$ & -- & -- & -- & -- \\\\\n"
                "\\bottomrule\n"
                "\\end{tabular}\n");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes),
                                      cmocka_unit_test(test_intervals) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
