/* list.h -- implementations whose fits are reproduced; <name>.c defines crd__compat_<name>. */
COMPAT(gpleiss)
COMPAT(netcal)
COMPAT(neural_clamping)
COMPAT(kull2019)
