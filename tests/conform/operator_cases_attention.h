/* operator_cases_attention.h -- cases of Attention and RotaryEmbedding; part of the list in
 * operator_cases.h. Blocks have 32 queries. */
#define QKV4 "f32 2x4x5x6; f32 2x4x7x6; f32 2x4x7x3"
#define QKV3 "f32 2x5x24; f32 2x7x12; f32 2x7x6"
#define PAST4 "f32 2x4x3x6; f32 2x4x3x3"
{ "Attention", 23, QKV4, "", 0 },
    { "Attention", 23, "f32 2x2x37x16; f32 2x2x37x16; f32 2x2x37x16", "is_causal=1", 0 },
    { "Attention", 23, "f32 1x2x70x4; f32 1x2x300x4; f32 1x2x300x4", "", 0 },
    { "Attention", 23, QKV3, "q_num_heads=4 kv_num_heads=2", 0 },
    { "Attention", 23, "f32 2x5x24; f32 2x7x6; f32 2x7x9; f32 5x7",
      "q_num_heads=4 kv_num_heads=1 scale=0.7", 0 },
    { "Attention", 23, "f32 2x6x5x4; f32 2x3x5x4; f32 2x3x5x4", "scale=1.5", 0 },
    /* Masks of every rank, of bool and float32, and shorter than the keys. */
    { "Attention", 23, QKV4 "; f32 7", "", 0 }, { "Attention", 23, QKV4 "; bool 5x7", "", 0 },
    { "Attention", 23, QKV4 "; f32 4x5x7", "is_causal=1", 0 },
    { "Attention", 23, QKV4 "; f32 2x1x5x7", "", 0 },
    { "Attention", 23, QKV4 "; bool 2x4x1x7", "is_causal=1", 0 },
    { "Attention", 23, QKV4 "; f32 1x4x5x5", "", 0 },
    { "Attention", 23, "f32 1x1x2x3; f32 1x1x3x3; f32 1x1x3x2; bool 2x3 = 0 0 0 1 0 1", "", 4 },
    { "Attention", 23, "f32 1x1x2x3; f32 1x1x2x3; f32 1x1x2x2; f32 2x2 = -inf -inf 0 -inf",
      "qk_matmul_output_mode=3", 4 },
    /* The optional results; soft caps. */
    { "Attention", 23, QKV4 "; f32 5x7", "softcap=0.5", 4 },
    { "Attention", 23, QKV4 "; f32 5x7", "softcap=2.0 qk_matmul_output_mode=1", 4 },
    { "Attention", 23, QKV4 "; f32 5x7", "softcap=2.0 qk_matmul_output_mode=2", 4 },
    { "Attention", 23, QKV4 "; f32 5x7", "softcap=2.0 qk_matmul_output_mode=3", 4 },
    /* Keys and values of earlier calls, and padded ones. */
    { "Attention", 23, QKV4 "; -; " PAST4, "is_causal=1", 3 },
    { "Attention", 23, QKV3 "; f32 5x10; f32 2x2x3x6; f32 2x2x3x3", "q_num_heads=4 kv_num_heads=2",
      3 },
    { "Attention", 24, QKV4 "; -; -; -; i64 2 = 4 7", "", 0 },
    { "Attention", 24, QKV4 "; -; -; -; i64 2 = 3 6", "is_causal=1", 0 },
    { "Attention", 24, QKV4 "; bool 5x6; -; -; i64 2 = 3 6", "", 0 },
    { "Attention", 25, QKV4, "left_window_size=1 right_window_size=2", 0 },
    { "Attention", 25, QKV4 "; -; " PAST4, "left_window_size=0 is_causal=1", 0 },
    { "Attention", 23, "f16 1x2x3x4; f16 1x2x5x4; f16 1x2x5x4", "softmax_precision=1", 0 },
    { "Attention", 23, "f64 1x2x3x4; f64 1x2x5x4; f64 1x2x5x4; f64 3x5", "", 0 },
    { "Attention", 23, "f32 1x2x0x4; f32 1x2x5x4; f32 1x2x5x4", "", 0 },
    { "Attention", 23, "f32 1x2x3x4; f32 1x2x0x4; f32 1x2x0x4", "", 0 },

    { "RotaryEmbedding", 23, "f32 2x3x5x8; $ f32 2x5x4; $ f32 2x5x4", "", 0 },
    { "RotaryEmbedding", 23, "f32 2x3x5x8; $ f32 2x5x4; $ f32 2x5x4", "interleaved=1", 0 },
    { "RotaryEmbedding", 23, "f32 2x3x5x8; $ f32 9x2; $ f32 9x2; i64 2x5 = 0 8 1 7 2 6 3 5 4 4",
      "rotary_embedding_dim=4", 0 },
    { "RotaryEmbedding", 23, "f32 2x5x24; $ f32 2x5x3; $ f32 2x5x3",
      "num_heads=3 rotary_embedding_dim=6 interleaved=1", 0 },
    { "RotaryEmbedding", 23, "f32 1x1x2x600; $ f32 1x2x300; $ f32 1x2x300", "", 0 },
    { "RotaryEmbedding", 23, "f16 1x2x3x4; f16 1x3x2; f16 1x3x2", "", 0 },
