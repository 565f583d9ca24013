/* list.h -- the commands of the program; COMMAND(x) stands for cmd_x.c. */
COMMAND(evaluate)
COMMAND(doctor)
COMMAND(fit)
COMMAND(apply)
COMMAND(export)
COMMAND(merge)
COMMAND(list)
COMMAND(help)
