/* The workloads: WORKLOAD(name) stands for name.c and for name in peers.py. */
WORKLOAD(ece)
WORKLOAD(temperature)
WORKLOAD(temperature_ece)
WORKLOAD(vector)
WORKLOAD(matrix_odir)
WORKLOAD(dirichlet_odir)
WORKLOAD(isotonic)
WORKLOAD(loss)
