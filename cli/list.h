/* list.h -- the commands of the program; COMMAND(x) stands for cmd_x.c. */
COMMAND(evaluate)
COMMAND(doctor)
COMMAND(compare)
COMMAND(fit)
COMMAND(apply)
COMMAND(merge)
COMMAND(list)
COMMAND(help)
