/* list.h -- the commands of the program; COMMAND(x) stands for cmd_x.c. */
COMMAND(evaluate)
COMMAND(merge)
COMMAND(list)
COMMAND(help)
