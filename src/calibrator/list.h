/* Every method: one line each; the file of that name defines crd_method_<name>. */
METHOD(identity)
METHOD(temperature)
METHOD(temperature_fixed)
METHOD(temperature_focal)
METHOD(temperature_ece)
METHOD(platt)
