/* list.h -- the formats of image files; <name>.c defines crd__image_codec_<name>. */
CODEC(png)
CODEC(jpeg)
