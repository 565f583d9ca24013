/* list.h -- the optimisers; <name>.c defines crd__train_optimiser_<name>. */
OPTIMISER(adamw)
OPTIMISER(adam)
OPTIMISER(sgd)
