/* list.h -- the augmentations; <name>.c defines crd__augmentation_<name>. */
AUGMENT(crop)
AUGMENT(flip)
AUGMENT(flip_vertical)
AUGMENT(rotate90)
AUGMENT(cutout)
