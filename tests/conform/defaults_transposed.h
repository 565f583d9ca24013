/* defaults_transposed.h -- defaults of ConvTranspose; part of the list in defaults_test.c. */
#define ARRAYS "f32 1x2x4x4; f32 2x2x3x3"
#define UP "ConvTranspose", 11, ARRAYS, "", 1
{ "group", { UP }, "group=1", "group=2", 0, 0 },
    { "auto_pad", { UP }, "auto_pad=NOTSET", "auto_pad=SAME_UPPER", 0, 0 },
    { "dilations", { UP }, "dilations=[1,1]", "dilations=[1,2]", 0, 0 },
    { "kernel_shape", { UP }, "kernel_shape=[3,3]", "kernel_shape=[2,3]", 0, 0 },
    { "pads", { UP }, "pads=[0,0,0,0]", "pads=[1,0,0,0]", 0, 0 },
    { "strides", { UP }, "strides=[1,1]", "strides=[1,2]", 0, 0 },
    { "output_padding",
      { "ConvTranspose", 11, ARRAYS, "strides=[2,2]", 1 },
      "output_padding=[0,0]",
      "output_padding=[1,0]",
      0,
      0 },
    { "output_shape", { UP }, "output_shape=[6,6]", "output_shape=[5,6]", 0, 0 },
