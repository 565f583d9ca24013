/* list.h -- the types of the module, one file each. */
TYPE(predictions)
TYPE(result)
TYPE(evidence)
TYPE(calibrator)
TYPE(loss)
TYPE(clamp)
