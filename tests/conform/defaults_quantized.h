/* defaults_quantized.h -- defaults of operators on quantised tensors; part of the list in
 * defaults_test.c. */
#define Q8 "u8 1x3x8x8 wide; f32 = 0.02; u8 = 120; "
#define R8 "f32 = 0.05; u8 = 100"
#define QCONV Q8 "i8 4x3x3x3 wide; f32 = 0.01; i8 = 0; " R8
#define ICONV "u8 1x3x8x8 wide; i8 4x3x3x3 wide"
#define QGEMM "u8 3x3 wide; f32 = 0.02; u8 = 120; i8 3x3 wide; f32 = 0.01; i8 = 0; i32 3; " R8
#define CONVOLUTION(op, inputs, grouped)                                                           \
  VALUE(op, 10, grouped, "group", "1", "2"),                                                       \
      VALUE(op, 10, inputs, "auto_pad", "NOTSET", "SAME_UPPER"),                                   \
      VALUE(op, 10, inputs, "dilations", "[1,1]", "[1,2]"),                                        \
      VALUE(op, 10, inputs, "kernel_shape", "[3,3]", "[3,2]"),                                     \
      VALUE(op, 10, inputs, "pads", "[0,0,0,0]", "[1,0,0,0]"),                                     \
      VALUE(op, 10, inputs, "strides", "[1,1]", "[1,2]")
#define POOLED(attribute, standard, other)                                                         \
  {                                                                                                \
    attribute, { "com.microsoft.QLinearAveragePool", 1, Q8 R8, "kernel_shape=[3,3]", 1 },          \
        attribute "=" standard, attribute "=" other, 0, 0                                          \
  }
CONVOLUTION("QLinearConv", QCONV,
            "u8 1x2x8x8 wide; f32 = 0.02; u8 = 120; i8 4x1x3x3 wide; f32 = 0.01; i8 = 0; " R8),
    CONVOLUTION("ConvInteger", ICONV, "u8 1x2x8x8 wide; i8 4x1x3x3 wide"),
    VALUE("QuantizeLinear", 13, "f32 3x3; f32 3 = 0.1 0.2 0.3", "axis", "1", "0"),
    VALUE("QuantizeLinear", 21, "f32 3x3; f32 3x3 positive", "block_size", "0", "1"),
    VALUE("QuantizeLinear", 21, "f32 3x3; f32 = 0.1", "output_dtype", "0", "3"),
    VALUE("QuantizeLinear", 23, "f16 3x30; f16 = 0.0101", "precision", "0", "1"),
    { "saturate",
      { "QuantizeLinear", 19, "f32 3x3; f32 = 0.1", "", 1 },
      "saturate=1",
      "saturate=0",
      0,
      1 },
    VALUE("DequantizeLinear", 13, "i8 3x3; f32 3 = 0.1 0.2 0.3", "axis", "1", "0"),
    VALUE("DequantizeLinear", 21, "i8 3x3; f32 3x3 positive", "block_size", "0", "1"),
    VALUE("com.microsoft.QGemm", 1, QGEMM, "alpha", "1.0", "0.5"),
    VALUE("com.microsoft.QGemm", 1, QGEMM, "transA", "0", "1"),
    VALUE("com.microsoft.QGemm", 1, QGEMM, "transB", "0", "1"),
    VALUE("com.microsoft.QLinearLeakyRelu", 1, Q8 R8, "alpha", "0.01", "0.5"),
    { "axis",    { "com.microsoft.QLinearSoftmax", 1, Q8 "f32 = 0.01; u8 = 0", "opset=13", 1 },
      "axis=-1", "axis=1",
      0,         0 },
    VALUE("com.microsoft.QLinearGlobalAveragePool", 1, Q8 R8, "channels_last", "0", "1"),
    POOLED("channels_last", "0", "1"), POOLED("auto_pad", "NOTSET", "SAME_UPPER"),
    POOLED("dilations", "[1,1]", "[2,2]"), POOLED("pads", "[0,0,0,0]", "[1,1,1,1]"),
    POOLED("strides", "[1,1]", "[2,1]"),
    { "ceil_mode",
      { "com.microsoft.QLinearAveragePool", 1, Q8 R8, "kernel_shape=[3,3] strides=[2,2]", 1 },
      "ceil_mode=0",
      "ceil_mode=1",
      0,
      0 },
    { "count_include_pad",
      { "com.microsoft.QLinearAveragePool", 1, Q8 R8, "kernel_shape=[3,3] pads=[1,1,1,1]", 1 },
      "count_include_pad=0",
      "count_include_pad=1",
      0,
      0 },
