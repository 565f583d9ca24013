/* Every method: one line each; the file of that name defines crd_method_<name>. */
METHOD(identity)
METHOD(temperature)
METHOD(platt)
METHOD(beta)
METHOD(isotonic)
METHOD(histogram)
METHOD(bbq)
METHOD(spline)
