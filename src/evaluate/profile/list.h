/* Every part of a profile: one line each; the file of that name defines its row. */
PART(bins)
PART(classes)
