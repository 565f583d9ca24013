"""modules.py -- torch's own layers, and Hugging Face's transformers from small configurations."""
import torch
from torch import nn

from .rows import BATCH, CLASSES, Torch, images, livened, thinned

WORDS, VOCABULARY = 12, 100


def tokens():
    return torch.randint(2, VOCABULARY, (BATCH, WORDS))


# ---- torch


class Recurrent(nn.Module):
    """Rows of float features, or tokens, through a recurrent layer; the last output is classified."""

    def __init__(self, layer, vocabulary=0, **settings):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 8) if vocabulary else nn.Identity()
        self.layer = layer(8, 12, batch_first=True, **settings)
        self.head = nn.Linear(24 if settings.get("bidirectional") else 12, CLASSES)

    def forward(self, x):
        return self.head(self.layer(self.embedding(x))[0][:, -1])


class Stacked(nn.Module):
    """Two layers in both directions, time first; the last states are classified."""

    def __init__(self, layer, **settings):
        super().__init__()
        self.layer = layer(8, 10, num_layers=2, bidirectional=True, **settings)
        self.head = nn.Linear(40, CLASSES)

    def forward(self, x):
        state = self.layer(x.transpose(0, 1))[1]
        state = state[0] if isinstance(state, tuple) else state
        return self.head(state.transpose(0, 1).flatten(1))


class States(nn.Module):
    """The outputs of all steps and both last states of an LSTM, with given initial states."""

    def __init__(self):
        super().__init__()
        self.layer, self.begin = nn.LSTM(8, 10, batch_first=True), nn.Linear(8, 10)
        self.head = nn.Linear(30, CLASSES)

    def forward(self, x):
        begin = torch.tanh(self.begin(x[:, 0])).unsqueeze(0)
        y, (h, c) = self.layer(x, (begin, 2 * begin))
        return self.head(torch.cat([y.mean(1), h[0], c[0]], 1))


class Packed(nn.Module):
    """Sequences of different lengths, packed; outputs are padded again, and averaged."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer(8, 10, batch_first=True, bidirectional=True)
        self.head = nn.Linear(20, CLASSES)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y = nn.utils.rnn.pad_packed_sequence(self.layer(packed)[0], batch_first=True, total_length=WORDS)[0]
        return self.head(y.mean(1))


class Normed(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), norm(16), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1), norm(32),
                                  nn.Mish(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, CLASSES))

    def forward(self, x):
        return self.body(x)


class UNet(nn.Module):
    """Downwards with strides, upwards with transposed convolutions and with interpolation."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(3, 8, 3, 1, 1), nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(16, 16, 3, 2, 1)
        self.up, self.d = nn.ConvTranspose2d(16, 16, 2, 2), nn.Conv2d(32, 8, 3, 1, 1)
        self.e = nn.Conv2d(16, CLASSES, 1)

    def forward(self, x):
        a = torch.relu(self.a(x))
        b = torch.relu(self.b(a))
        y = torch.relu(self.up(torch.relu(self.c(b))))
        y = torch.relu(self.d(torch.cat([y, b], 1)))
        y = nn.functional.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False)
        return self.e(torch.cat([y, a], 1))


class Encoder(nn.Module):
    """nn.TransformerEncoder over tokens or float features; padding is masked."""

    def __init__(self, words=True, first=False):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 16) if words else nn.Linear(8, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, 0.1, batch_first=True, norm_first=first, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head, self.words = nn.Linear(16, CLASSES), words

    def forward(self, x):
        mask = x == 0 if self.words else None
        return self.head(self.encoder(self.embedding(x), src_key_padding_mask=mask).mean(1))


class Decoder(nn.Module):
    """Causal attention by scaled_dot_product_attention, RMSNorm, and positions by cumulative sums."""

    def __init__(self):
        super().__init__()
        self.norm, self.project = nn.RMSNorm(16), nn.Linear(16, 48)
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x):
        q, k, v = self.project(self.norm(x)).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.head(x[:, -1] + y.transpose(1, 2).flatten(2)[:, -1])


class Grouped(nn.Module):
    """Query heads that share keys, with a learned bias for each head, by scaled_dot_product_attention."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(16, 32), nn.Linear(16, 16), nn.Linear(16, 16)
        self.bias, self.head = nn.Parameter(torch.randn(4, WORDS, WORDS)), nn.Linear(32, CLASSES)

    def forward(self, x):
        q, k, v = (layer(x).unflatten(-1, (-1, 8)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=self.bias, scale=0.5, enable_gqa=True)
        return self.head(y.transpose(1, 2).flatten(2).mean(1))


class Rotated(nn.Module):
    """Queries and keys with rotary embeddings of torch.onnx.ops, and its attention of rows of all heads."""

    def __init__(self):
        super().__init__()
        angles = torch.arange(WORDS)[:, None] / 100 ** (torch.arange(4) / 4)
        self.register_buffer("cosines", angles.cos().expand(BATCH, -1, -1).contiguous())
        self.register_buffer("sines", angles.sin().expand(BATCH, -1, -1).contiguous())
        self.project, self.head = nn.Linear(16, 48), nn.Linear(16, CLASSES)

    def forward(self, x):
        q, k, v = self.project(x).chunk(3, -1)
        q, k = (torch.onnx.ops.rotary_embedding(y, self.cosines, self.sines, num_heads=2) for y in (q, k))
        y = torch.onnx.ops.attention(q, k, v, q_num_heads=2, kv_num_heads=2, is_causal=True, softcap=2.0)[0]
        return self.head(y.mean(1))


def module(construct, inputs, opset=None):
    def make():
        args = inputs()
        return livened(construct(), args), args
    return Torch("torch", make, opset)


def perceptron():
    return nn.Sequential(nn.Flatten(), nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 64), nn.LeakyReLU(0.1),
                         nn.Linear(64, CLASSES))


def series():
    return (torch.randn(BATCH, WORDS, 8),)


def unequal_series():
    """And their lengths, the longest first."""
    return torch.randn(BATCH, WORDS, 8), torch.linspace(WORDS, WORDS // 2, BATCH).long()


def sentences():
    found = tokens()
    found[0, -3:] = 0
    return (found,)


TORCH = {
    "lstm": module(lambda: Recurrent(nn.LSTM), series),
    "lstm-tokens": module(lambda: Recurrent(nn.LSTM, VOCABULARY, num_layers=2, bidirectional=True), sentences),
    "gru": module(lambda: Recurrent(nn.GRU, bidirectional=True), series),
    "rnn": module(lambda: Recurrent(nn.RNN), series),
    "lstm-stacked": module(lambda: Stacked(nn.LSTM), series),
    "gru-stacked": module(lambda: Stacked(nn.GRU), series),
    "rnn-stacked": module(lambda: Stacked(nn.RNN, nonlinearity="relu"), series),
    "lstm-states": module(States, series),
    "lstm-packed": module(lambda: Packed(nn.LSTM), unequal_series),
    "gru-packed": module(lambda: Packed(nn.GRU), unequal_series),
    "group_norm": module(lambda: Normed(lambda n: nn.GroupNorm(4, n)), images),
    "instance_norm": module(lambda: Normed(lambda n: nn.InstanceNorm2d(n, affine=True)), images),
    "batch_norm": module(lambda: Normed(nn.BatchNorm2d), images),
    "u-net": module(UNet, lambda: images(32)),
    "transformer": module(lambda: Encoder(False), series),
    "transformer-tokens": module(Encoder, sentences),
    "transformer-pre-norm": module(lambda: Encoder(False, True), series),
    "causal-attention": module(Decoder, lambda: (torch.randn(BATCH, WORDS, 16),)),
    "perceptron": module(perceptron, series),
    "opset23/causal-attention": module(Decoder, lambda: (torch.randn(BATCH, WORDS, 16),), 23),
    "opset23/grouped-attention": module(Grouped, lambda: (torch.randn(BATCH, WORDS, 16),), 23),
    "opset23/transformer": module(lambda: Encoder(False), series, 23),
}


# ---- Hugging Face


class Logits(nn.Module):
    """The logits alone: outputs of transformers are dictionaries."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *args):
        return self.model(**dict(zip(self.names, args)), return_dict=False)[0]


SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
TEXT = {**SMALL, "vocab_size": VOCABULARY, "max_position_embeddings": 64, "pad_token_id": 1}


def hugging(name, inputs, head="ForSequenceClassification", thin=False, **settings):
    """NAMEConfig(**settings), then NAMEForSequenceClassification or another head."""
    def make():
        import transformers
        config = getattr(transformers, name + "Config")(num_labels=CLASSES, **settings)
        args = inputs()
        model = getattr(transformers, name + head)(config)
        if thin:
            model = thinned(model)
        return livened(Logits(model, NAMES[inputs]), args), args
    return Torch("Hugging Face", make)


def text():
    """Tokens and attention mask."""
    words = tokens()
    words[0, -3:] = 1
    return words, (words != 1).long()


def sound():
    return (torch.randn(BATCH, 2000),)


def pixels():
    return images()


NAMES = {text: ("input_ids", "attention_mask"), sound: ("input_values",), pixels: ("pixel_values",)}
IMAGE = "ForImageClassification"
HUGGING_FACE = {
    "bert": hugging("Bert", text, **TEXT),
    "distilbert": hugging("DistilBert", text, vocab_size=VOCABULARY, dim=32, n_layers=2, n_heads=2, hidden_dim=64,
                          max_position_embeddings=64),
    "roberta": hugging("Roberta", text, **TEXT),
    "albert": hugging("Albert", text, **TEXT, embedding_size=16),
    "electra": hugging("Electra", text, **TEXT, embedding_size=16),
    "deberta-v2": hugging("DebertaV2", text, **TEXT, relative_attention=True, position_buckets=8,
                          pos_att_type=["p2c", "c2p"], pooler_hidden_size=32),
    "mpnet": hugging("MPNet", text, **TEXT),
    "xlnet": hugging("XLNet", text, vocab_size=VOCABULARY, d_model=32, n_layer=2, n_head=2, d_inner=64),
    "gpt2": hugging("GPT2", text, vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=2, n_positions=64,
                    pad_token_id=1, use_cache=False),
    "llama": hugging("Llama", text, **TEXT, num_key_value_heads=1, use_cache=False),
    "qwen2": hugging("Qwen2", text, **TEXT, num_key_value_heads=1, use_cache=False),
    "modernbert": hugging("ModernBert", text, **TEXT, reference_compile=False, attn_implementation="sdpa",
                          cls_token_id=2, sep_token_id=3, bos_token_id=2, eos_token_id=3),
    "vit": hugging("ViT", pixels, IMAGE, **SMALL, image_size=64),
    "deit": hugging("DeiT", pixels, IMAGE, **SMALL, image_size=64),
    "beit": hugging("Beit", pixels, IMAGE, **SMALL, image_size=64, use_relative_position_bias=True,
                    attn_implementation="eager"),
    "dinov2": hugging("Dinov2", pixels, IMAGE, **{**SMALL, "mlp_ratio": 2}, image_size=64, patch_size=16),
    "swin": hugging("Swin", pixels, IMAGE, image_size=64, embed_dim=16, depths=[2, 2], num_heads=[2, 2],
                    window_size=4, attn_implementation="eager"),
    "convnextv2": hugging("ConvNextV2", pixels, IMAGE, hidden_sizes=[8, 16, 32, 32], depths=[1, 1, 1, 1]),
    "segformer": hugging("Segformer", pixels, IMAGE, hidden_sizes=[8, 16, 32, 32], depths=[1, 1, 1, 1]),
    "mobilevit": hugging("MobileViT", pixels, IMAGE, thin=True, image_size=64),
    "wav2vec2": hugging("Wav2Vec2", sound, **SMALL, conv_dim=[16, 16, 16], conv_stride=[5, 4, 2],
                        conv_kernel=[10, 8, 4], num_feat_extract_layers=3, num_conv_pos_embeddings=8,
                        num_conv_pos_embedding_groups=2, vocab_size=32),
}
