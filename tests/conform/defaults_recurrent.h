/* defaults_recurrent.h -- defaults of LSTM, GRU and RNN; part of the list in defaults_test.c. */
#define LSTM "f32 3x2x3; f32 1x16x3; f32 1x16x4"
#define GRU "f32 3x2x3; f32 1x12x3; f32 1x12x4; f32 1x24"
#define RNN "f32 3x2x3; f32 1x4x3; f32 1x4x4"
/* A row of an attribute of functions, for the functions before it. */
#define FUNCTIONS(op, inputs, functions, attribute, standard, other)                               \
  {                                                                                                \
    attribute, { op, 14, inputs, "activations=" functions, 1 }, attribute "=" standard,            \
        attribute "=" other, 0, 0                                                                  \
  }
#define RECURRENT(op, inputs)                                                                      \
  VALUE(op, 14, inputs, "clip", "3.0e38", "0.25"),                                                 \
      VALUE(op, 14, inputs, "direction", "forward", "reverse"),                                    \
      VALUE(op, 14, inputs, "hidden_size", "4", "5"), VALUE(op, 14, inputs, "layout", "0", "1")
RECURRENT("LSTM", LSTM), RECURRENT("GRU", GRU), RECURRENT("RNN", RNN),
    VALUE("LSTM", 14, LSTM, "activations", "{Sigmoid,Tanh,Tanh}", "{Sigmoid,Tanh,Relu}"),
    VALUE("LSTM", 14, LSTM, "activations", "{Sigmoid,Tanh,Tanh}", "{Tanh,Tanh,Tanh}"),
    VALUE("LSTM", 14, LSTM, "activations", "{Sigmoid,Tanh,Tanh}", "{Sigmoid,Relu,Tanh}"),
    VALUE("GRU", 14, GRU, "activations", "{Sigmoid,Tanh}", "{Sigmoid,Relu}"),
    VALUE("GRU", 14, GRU, "activations", "{Sigmoid,Tanh}", "{Tanh,Tanh}"),
    VALUE("RNN", 14, RNN, "activations", "{Tanh,Tanh}", "{Sigmoid,Tanh}"),
    VALUE("LSTM", 14, LSTM, "input_forget", "0", "1"),
    VALUE("GRU", 14, GRU, "linear_before_reset", "0", "1"),
    FUNCTIONS("LSTM", LSTM, "{HardSigmoid,Tanh,LeakyRelu}", "activation_alpha", "[0.2,0.01]",
              "[0.2,0.02]"),
    FUNCTIONS("GRU", GRU, "{Sigmoid,Elu}", "activation_alpha", "[1.0]", "[0.5]"),
    FUNCTIONS("RNN", RNN, "{ThresholdedRelu}", "activation_alpha", "[1.0]", "[0.25]"),
    FUNCTIONS("LSTM", LSTM, "{HardSigmoid,Tanh,Tanh}", "activation_beta", "[0.5]", "[0.25]"),
    FUNCTIONS("GRU", GRU, "{HardSigmoid,Tanh}", "activation_beta", "[0.5]", "[0.25]"),
    FUNCTIONS("RNN", RNN, "{HardSigmoid}", "activation_beta", "[0.5]", "[0.25]"),
#undef LSTM
#undef GRU
#undef RNN
#undef FUNCTIONS
#undef RECURRENT
