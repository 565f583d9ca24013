"""rows.py -- models of other people's libraries, made small: random weights from a fixed seed, small inputs.

A row is either a torch module with its inputs (`Torch`), which both exporters of torch write, or a function that
writes a file itself (`Written`). Architectures keep their layers; where a layer is repeated with the same shapes, two
of them stay.
"""
import collections

import torch
from torch import nn

BATCH, CLASSES, PIXELS = 2, 10, 64

# family; make() -> (module, tuple of inputs); operator set, for rows that only the newer exporter writes
Torch = collections.namedtuple("Torch", "family make opset", defaults=(None,))
# family; exporter; write(path) -> {input: array}; the largest difference allowed; output: None is the first
Written = collections.namedtuple("Written", "family exporter write tolerance output", defaults=(1e-4, None))


# ---- Smaller, and with parameters as after training


def shape_of(module):
    return type(module), [(name, tuple(value.shape)) for name, value in module.state_dict().items()]


def thinned(model, kept=2):
    """Remove repeated layers: of neighbours with equal shapes, `kept` stay."""
    for parent in list(model.modules()):
        if type(parent) not in (nn.Sequential, nn.ModuleList) or len(parent) <= kept:
            continue
        layers = list(parent.named_children())
        left = [layer for i, layer in enumerate(layers)
                if i < kept or not layer[1].state_dict()
                or any(shape_of(layer[1]) != shape_of(before) for _, before in layers[i - kept:i])]
        for name, _ in layers:
            delattr(parent, name)
        for i, (name, layer) in enumerate(left):
            parent.add_module(str(i) if name.isdigit() else name, layer)
    return model


def widened(x, copies=8):
    """More rows, similar to these."""
    rows = x.repeat(copies, *[1] * (x.dim() - 1))
    return rows + 0.5 * rows.std() * torch.randn_like(rows) if rows.is_floating_point() else rows


def livened(model, args):
    """Give constant parameters values of their own, and batch norms the statistics of a batch."""
    with torch.no_grad():
        for parameter in model.parameters():
            if not parameter.is_floating_point() or parameter.numel() < 2 or parameter.std() > 1e-5:
                continue
            if parameter.flatten()[0] == 1:
                parameter += 0.2 * torch.randn_like(parameter)
            elif parameter.dim() > 1 and parameter.shape[-1] > 1:
                parameter += torch.randn_like(parameter) / parameter[0].numel() ** 0.5
            else:
                parameter += 0.2 * torch.randn_like(parameter)
        norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
        before = [norm.momentum for norm in norms]
        model.eval()
        for norm in norms:
            norm.momentum = 1
            norm.train()
        if norms:
            model(*(widened(x) for x in args))
        for norm, momentum in zip(norms, before):
            norm.momentum = momentum
            if norm.running_var is not None:
                norm.running_var.clamp_(min=0.01)
    return model.eval()


def images(pixels=PIXELS, channels=3):
    clouds = nn.functional.interpolate(torch.randn(BATCH, channels, 5, 5), pixels, mode="bilinear")
    return (clouds + 0.5 * torch.randn(BATCH, channels, pixels, pixels),)


def row(family, construct, pixels=PIXELS, kept=2, thin=True):
    """A network for images."""
    def make():
        args, model = images(pixels), construct()
        return livened(thinned(model, kept) if thin else model, args), args
    return Torch(family, make)


# ---- torchvision


def vision(name, pixels=PIXELS, thin=True, **settings):
    def construct():
        import torchvision
        return getattr(torchvision.models, name)(weights=None, num_classes=CLASSES, **settings)
    return row("torchvision", construct, pixels, thin=thin)


def vision_of(name, pixels=PIXELS, **settings):
    """By the class, with settings of one's own."""
    def construct():
        import torchvision
        return getattr(torchvision.models, name)(num_classes=CLASSES, **settings)
    return row("torchvision", construct, pixels)


def convnext():
    from torchvision.models import convnext as c
    return c.ConvNeXt([c.CNBlockConfig(16, 32, 2), c.CNBlockConfig(32, 64, 2), c.CNBlockConfig(64, None, 2)],
                      num_classes=CLASSES)


def swin(version):
    def construct():
        from torchvision.models import swin_transformer as s
        extra = {"block": s.SwinTransformerBlockV2, "downsample_layer": s.PatchMergingV2} if version == 2 else {}
        return s.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=CLASSES, **extra)
    return construct


def maxvit():
    from torchvision.models import MaxVit
    return MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 8, 0.1, num_classes=CLASSES)


VISION = {
    "alexnet": row("torchvision", lambda: small_alexnet()),
    "vgg11_bn": row("torchvision", lambda: small_vgg()),
    "resnet18": vision("resnet18"),
    "resnext50_32x4d": vision("resnext50_32x4d", 32),
    "densenet121": vision("densenet121", 32),
    "googlenet": vision("googlenet", aux_logits=False, init_weights=False),
    "inception_v3": vision("inception_v3", 96, aux_logits=False, init_weights=False),
    "squeezenet1_1": vision("squeezenet1_1"),
    "mnasnet0_5": vision("mnasnet0_5"),
    "mobilenet_v2": vision("mobilenet_v2"),
    "mobilenet_v3_small": vision("mobilenet_v3_small"),
    "shufflenet_v2_x0_5": vision("shufflenet_v2_x0_5"),
    "regnet_y_400mf": vision("regnet_y_400mf"),
    "efficientnet_b0": vision("efficientnet_b0"),
    "efficientnet_v2_s": vision("efficientnet_v2_s"),
    "convnext": row("torchvision", convnext),
    "vit": vision_of("VisionTransformer", image_size=64, patch_size=16, num_layers=2, num_heads=2, hidden_dim=32,
                     mlp_dim=64),
    "swin": row("torchvision", swin(1)),
    "swin_v2": row("torchvision", swin(2)),
    "maxvit": row("torchvision", maxvit),
}


def small_head(model):
    """A classifier for feature maps of one pixel."""
    model.avgpool = nn.AdaptiveAvgPool2d(1)
    layers = [i for i, layer in enumerate(model.classifier) if isinstance(layer, nn.Linear)]
    width = [m for m in model.features if isinstance(m, nn.Conv2d)][-1].out_channels
    for i, outward in zip(layers, (64, 64, CLASSES)):
        model.classifier[i] = nn.Linear(width, outward)
        width = outward
    return model


def small_alexnet():
    import torchvision
    return small_head(torchvision.models.alexnet(num_classes=CLASSES))


def small_vgg():
    import torchvision
    return small_head(torchvision.models.vgg11_bn(num_classes=CLASSES))


# ---- timm


def timm_row(name, pixels=PIXELS, thin=True, fused=True, **settings):
    """fused: attention as one function, which torch cannot export for every layout."""
    def construct():
        import timm
        timm.layers.set_fused_attn(fused)
        return timm.create_model(name, num_classes=CLASSES, **settings)
    return row("timm", construct, pixels, thin=thin)


TIMM = {
    "convnextv2_atto": timm_row("convnextv2_atto"),
    "swin_tiny": timm_row("swin_tiny_patch4_window7_224", img_size=64, window_size=4, embed_dim=24,
                          num_heads=(1, 2, 4, 8)),
    "swinv2_tiny": timm_row("swinv2_tiny_window8_256", img_size=64, window_size=4, embed_dim=24,
                            num_heads=(1, 2, 4, 8)),
    "vit_tiny": timm_row("vit_tiny_patch16_224", img_size=64, depth=2),
    "vit_relpos": timm_row("vit_relpos_small_patch16_224", fused=False, img_size=64, depth=2, embed_dim=64,
                           num_heads=2),
    "eva02_tiny": timm_row("eva02_tiny_patch14_224", 56, fused=False, img_size=56, depth=2),
    "deit_distilled": timm_row("deit_tiny_distilled_patch16_224", img_size=64, depth=2),
    "levit_128s": timm_row("levit_128s", img_size=64),
    "mobilevit_xxs": timm_row("mobilevit_xxs"),
    "mobilevitv2_050": timm_row("mobilevitv2_050"),
    "coatnet_nano": timm_row("coatnet_nano_rw_224", img_size=64, embed_dim=(16, 32, 64, 64), depths=(1, 1, 1, 1),
                             stem_width=(8, 16)),
    "maxvit": timm_row("maxvit_pico_rw_256", fused=False, img_size=64, embed_dim=(32, 32, 64, 64),
                       depths=(1, 1, 1, 1), stem_width=16),
    "mixer_s32": timm_row("mixer_s32_224", img_size=64),
    "resmlp_12": timm_row("resmlp_12_224", img_size=64),
    "gmlp_ti16": timm_row("gmlp_ti16_224", img_size=64),
    "poolformer_s12": timm_row("poolformer_s12"),
    "edgenext_xx_small": timm_row("edgenext_xx_small", thin=False),
    "nfnet": timm_row("nfnet_l0", depths=(1, 1, 1, 1)),
    "ghostnet_050": timm_row("ghostnet_050"),
    "hrnet_w18_small": timm_row("hrnet_w18_small", thin=False),
    "gcvit_xxtiny": timm_row("gcvit_xxtiny", img_size=64),
    "efficientformer_l1": timm_row("efficientformer_l1", 224),
    "repvgg_a0": timm_row("repvgg_a0"),
    "mobilenetv4": timm_row("mobilenetv4_conv_small"),
    "fastvit_t8": timm_row("fastvit_t8"),
    "xcit_nano": timm_row("xcit_nano_12_p16_224", img_size=64, depth=2),
    "cait_xxs24": timm_row("cait_xxs24_224", img_size=64, depth=2, embed_dim=64, num_heads=2),
    "pvt_v2_b0": timm_row("pvt_v2_b0"),
    "focalnet_tiny": timm_row("focalnet_tiny_srf"),
    "sequencer2d_s": timm_row("sequencer2d_s", 56, img_size=56, layers=(1, 1, 1, 1)),
    "resnest14d": timm_row("resnest14d"),
    "eca_botnext": timm_row("eca_botnext26ts_256", 64, img_size=64),
    "tf_efficientnet_lite0": timm_row("tf_efficientnet_lite0"),
}
