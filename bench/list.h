/* The workloads: WORKLOAD(name) stands for name.c and for name in peers.py. */
WORKLOAD(ece)
