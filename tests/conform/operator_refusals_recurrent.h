/* operator_refusals_recurrent.h -- invalid nodes of LSTM, GRU and RNN; part of the list in
 * operator_refusals_test.c. */
#define LSTM "f32 3x2x3; f32 1x16x3; f32 1x16x4"
#define RNN "f32 3x2x3; f32 1x4x3; f32 1x4x4"
{ "LSTM", 6, LSTM, "", 1 }, { "LSTM", 14, "f32 3x2x3; f32 1x16x3", "", 1 },
    { "LSTM", 14, "f32 3x6; f32 1x16x3; f32 1x16x4", "", 1 },
    { "LSTM", 14, "f32 3x2x3; f32 1x16x3; f32 16x4", "", 1 },
    { "LSTM", 14, "f32 3x2x3; f32 1x16x2; f32 1x16x4", "", 1 },
    { "LSTM", 14, "f32 3x2x3; f32 1x12x3; f32 1x16x4", "", 1 },
    { "LSTM", 14, "f32 3x2x3; f32 1x16x3; f32 1x12x4", "", 1 },
    { "LSTM", 14, "f32 3x2x3; f32 1x16; f32 1x16x4", "", 1 },
    { "LSTM", 14, LSTM, "direction=bidirectional", 1 }, { "LSTM", 14, LSTM, "direction=both", 1 },
    { "LSTM", 14, LSTM "; f32 1x16", "", 1 }, { "LSTM", 14, LSTM "; f64 1x32", "", 1 },
    { "LSTM", 14, LSTM "; -; i64 2", "", 1 }, { "LSTM", 14, LSTM "; -; i32 3", "", 1 },
    { "LSTM", 14, LSTM "; -; -; f32 2x1x4", "", 1 },
    { "LSTM", 14, LSTM "; -; -; f32 1x2x4", "layout=1", 1 },
    { "LSTM", 14, LSTM "; -; -; -; f32 2x4", "", 1 },
    { "LSTM", 14, LSTM "; -; -; -; -; f32 1x16", "", 1 },
    { "LSTM", 14, "i32 3x2x3; i32 1x16x3; i32 1x16x4", "", 1 },
    { "LSTM", 14, LSTM, "hidden_size=3", 1 }, { "LSTM", 14, LSTM, "layout=2", 1 },
    { "LSTM", 14, LSTM, "clip=-1.0", 1 }, { "LSTM", 14, LSTM, "linear_before_reset=1", 1 },
    { "LSTM", 14, LSTM, "activations={Sigmoid,Tanh}", 1 },
    { "LSTM", 14, LSTM, "activations={Sigmoid,Tanh,Gelu}", 1 }, { "RNN", 14, RNN, "", 3 },
    { "RNN", 14, RNN, "activations={tanh}", 1 }, { "RNN", 14, RNN, "activations={Affine}", 1 },
    { "RNN", 14, RNN, "activations={ScaledTanh} activation_alpha=[1.0]", 1 },
    { "RNN", 14, RNN, "activations={Tanh,Tanh,Tanh}", 1 },
    { "GRU", 14, "f32 3x2x3; f32 1x16x3; f32 1x16x4", "", 1 },
    { "RNN", 14, RNN "; -; $ i32 2 = 1 4", "", 1 }, { "RNN", 14, RNN "; -; $ i32 2 = -1 3", "", 1 },
#undef LSTM
#undef RNN
