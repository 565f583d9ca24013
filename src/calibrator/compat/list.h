/* Whose fits can be had: one line each; the file of that name defines crd__compat_<name>. */
COMPAT(gpleiss)
COMPAT(netcal)
COMPAT(neural_clamping)
COMPAT(kull2019)
