/* Every part of a profile: one line each; the file of that name defines its row. */
PART(bins)
PART(curves)
PART(densities)
PART(by_bins)
PART(smooth)
PART(classes)
PART(temperatures)
PART(groups)
