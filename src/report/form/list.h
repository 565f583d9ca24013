/* list.h -- the output forms of a result; FORM(x) is implemented in x.c. */
FORM(text)
FORM(json)
FORM(csv)
FORM(markdown)
FORM(latex)
