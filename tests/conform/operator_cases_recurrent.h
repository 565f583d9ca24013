/* operator_cases_recurrent.h -- cases of LSTM, GRU and RNN; part of the list in
 * operator_cases.h. */
#define LSTM "f32 4x2x3; f32 1x20x3; f32 1x20x5"
#define LSTM_TWO "f32 4x2x3; f32 2x20x3; f32 2x20x5"
#define GRU "f32 4x2x3; f32 1x15x3; f32 1x15x5"
#define GRU_TWO "f32 4x2x3; f32 2x15x3; f32 2x15x5"
#define RNN "f32 4x2x3; f32 1x5x3; f32 1x5x5"
#define RNN_TWO "f32 4x2x3; f32 2x5x3; f32 2x5x5"
#define LENGTHS "; $ i32 2 = 2 4"
{ "LSTM", 7, LSTM, "hidden_size=5", 1 }, { "LSTM", 14, LSTM, "", 2 }, { "LSTM", 22, LSTM, "", 3 },
    { "LSTM", 26, LSTM "; f32 1x40", "hidden_size=5", 3 },
    { "LSTM", 14, LSTM "; f32 1x40; -; f32 1x2x5; f32 1x2x5", "", 3 },
    { "LSTM", 14, LSTM "; -; -; -; f32 1x2x5", "direction=reverse", 3 },
    { "LSTM", 14, LSTM "; f32 1x40; -; f32 1x2x5; f32 1x2x5; f32 1x15", "", 3 },
    { "LSTM", 14, LSTM_TWO "; f32 2x40" LENGTHS "; f32 2x2x5; f32 2x2x5; f32 2x15",
      "direction=bidirectional", 3 },
    { "LSTM", 14, LSTM_TWO "; f32 2x40; i32 2 = 0 3; f32 2x2x5; f32 2x2x5",
      "direction=bidirectional", 3 },
    { "LSTM", 14, LSTM "; f32 1x40" LENGTHS, "direction=reverse", 3 },
    { "LSTM", 14, LSTM "; f32 1x40; -; f32 1x2x5; f32 1x2x5; f32 1x15", "input_forget=1", 3 },
    { "LSTM", 14, LSTM "; f32 1x40; -; f32 1x2x5; f32 1x2x5; f32 1x15", "clip=0.75", 3 },
    { "LSTM", 14, "f32 2x4x3; f32 2x20x3; f32 2x20x5; f32 2x40" LENGTHS "; f32 2x2x5; f32 2x2x5",
      "direction=bidirectional layout=1", 3 },
    { "LSTM", 14, "f32 2x4x3; f32 1x20x3; f32 1x20x5; -; -; f32 2x1x5", "layout=1", 3 },
    { "LSTM", 14, LSTM, "activations={HardSigmoid,Softsign,Softplus}", 3 },
    { "LSTM", 14, LSTM_TWO,
      "direction=bidirectional activations={Sigmoid,Elu,LeakyRelu,HardSigmoid,ScaledTanh,Affine} "
      "activation_alpha=[0.5,0.25,0.125,1.5,0.75] activation_beta=[0.25,0.5,-0.125]",
      3 },
    { "LSTM", 14, "f32 3x9x7; f32 1x80x7; f32 1x80x20; f32 1x160", "", 3 },
    { "LSTM", 14, "f64 4x2x3; f64 2x20x3; f64 2x20x5; f64 2x40; -; f64 2x2x5; f64 2x2x5; f64 2x15",
      "direction=bidirectional", 3 },
    { "LSTM", 14, "f16 4x2x3; f16 1x20x3; f16 1x20x5; f16 1x40; -; f16 1x2x5; f16 1x2x5; f16 1x15",
      "direction=reverse clip=1.5", 3 },
    { "GRU", 7, GRU, "hidden_size=5", 1 }, { "GRU", 14, GRU "; f32 1x30", "", 2 },
    { "GRU", 22, GRU "; f32 1x30; -; f32 1x2x5", "linear_before_reset=1", 2 },
    { "GRU", 14, GRU, "linear_before_reset=1 direction=reverse", 2 },
    { "GRU", 14, GRU_TWO "; f32 2x30" LENGTHS "; f32 2x2x5", "direction=bidirectional", 2 },
    { "GRU", 14, GRU_TWO "; f32 2x30" LENGTHS "; f32 2x2x5",
      "direction=bidirectional linear_before_reset=1", 2 },
    { "GRU", 14, "f32 2x4x3; f32 2x15x3; f32 2x15x5; f32 2x30; i32 2 = 3 0; f32 2x2x5",
      "direction=bidirectional layout=1", 2 },
    { "GRU", 14, "f32 2x4x3; f32 1x15x3; f32 1x15x5; -; -; f32 2x1x5",
      "layout=1 linear_before_reset=1", 2 },
    { "GRU", 14, GRU "; f32 1x30; -; f32 1x2x5", "clip=0.5 linear_before_reset=1", 2 },
    { "GRU", 14, GRU "; f32 1x30; -; f32 1x2x5", "clip=0.5", 2 },
    { "GRU", 14, GRU "; f32 1x30", "activations={HardSigmoid,Relu} activation_alpha=[0.25]", 2 },
    { "GRU", 14, "f32 3x9x7; f32 1x60x7; f32 1x60x20; f32 1x120", "", 2 },
    { "GRU", 14, "f64 4x2x3; f64 2x15x3; f64 2x15x5; f64 2x30; -; f64 2x2x5",
      "direction=bidirectional linear_before_reset=1", 2 },
    { "GRU", 14, "f16 4x2x3; f16 1x15x3; f16 1x15x5; f16 1x30; -; f16 1x2x5", "", 2 },
    { "RNN", 7, RNN, "hidden_size=5", 1 }, { "RNN", 14, RNN "; f32 1x10; -; f32 1x2x5", "", 2 },
    { "RNN", 22, RNN_TWO "; f32 2x10" LENGTHS "; f32 2x2x5", "direction=bidirectional", 2 },
    { "RNN", 14, "f32 2x4x3; f32 2x5x3; f32 2x5x5; f32 2x10; i32 2 = 4 1; f32 2x2x5",
      "direction=bidirectional layout=1", 2 },
    { "RNN", 14, RNN, "activations={Tanh,Tanh}", 2 },
    { "RNN", 14, RNN, "activations={Relu} direction=reverse", 2 },
    { "RNN", 14, RNN, "activations={Affine} activation_alpha=[0.5] activation_beta=[0.25]", 2 },
    { "RNN", 14, RNN, "activations={LeakyRelu}", 2 },
    { "RNN", 14, RNN, "activations={ThresholdedRelu} activation_alpha=[0.5]", 2 },
    { "RNN", 14, RNN, "activations={ThresholdedRelu}", 2 },
    { "RNN", 14, RNN, "activations={ScaledTanh} activation_alpha=[1.5] activation_beta=[0.5]", 2 },
    { "RNN", 14, RNN, "activations={HardSigmoid}", 2 },
    { "RNN", 14, RNN, "activations={Elu} activation_alpha=[0.5]", 2 },
    { "RNN", 14, RNN, "activations={Softsign} clip=0.5", 2 },
    { "RNN", 14, RNN, "activations={Softplus}", 2 },
    { "RNN", 14, RNN, "activations={Sigmoid} clip=1.0", 2 },
    { "RNN", 14, "f64 4x2x3; f64 1x5x3; f64 1x5x5", "activations={ThresholdedRelu}", 2 },
    { "RNN", 14, "f64 4x2x3; f64 1x5x3; f64 1x5x5; f64 1x10",
      "activations={ScaledTanh} activation_alpha=[1.5] activation_beta=[0.5] clip=1.0", 2 },
    { "RNN", 14, "f16 4x2x3; f16 1x5x3; f16 1x5x5; f16 1x10", "", 2 },
    /* Empty sequences, batches and inputs. */
    { "LSTM", 14, "f32 0x2x3; f32 1x20x3; f32 1x20x5; -; -; f32 1x2x5", "", 3 },
    { "GRU", 14, "f32 4x0x3; f32 1x15x3; f32 1x15x5", "", 2 },
    { "RNN", 14, "f32 4x2x0; f32 1x5x0; f32 1x5x5; f32 1x10", "", 2 },
#undef LSTM
#undef LSTM_TWO
#undef GRU
#undef GRU_TWO
#undef RNN
#undef RNN_TWO
#undef LENGTHS
