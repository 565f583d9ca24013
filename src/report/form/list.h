/* list.h -- the forms in which a result can be written; FORM(x) stands for x.c. */
FORM(text)
FORM(json)
FORM(csv)
FORM(markdown)
FORM(latex)
