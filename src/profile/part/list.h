/* list.h -- the parts of a profile; PART(x) is implemented in x.c. */
PART(bins)
PART(curves)
PART(densities)
PART(by_bins)
PART(smooth)
PART(classes)
PART(temperatures)
PART(groups)
