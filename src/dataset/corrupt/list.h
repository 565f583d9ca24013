/* list.h -- the corruptions; <name>.c defines crd__corruption_<name>. */
CORRUPT(gaussian_noise)
CORRUPT(shot_noise)
CORRUPT(impulse_noise)
CORRUPT(defocus_blur)
CORRUPT(motion_blur)
CORRUPT(contrast)
CORRUPT(brightness)
CORRUPT(jpeg)
