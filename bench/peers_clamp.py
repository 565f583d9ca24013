"""The peers of the workload `clamp`: a short fit of Neural Clamping in PyTorch.

The network is frozen and in evaluation mode; only the perturbation and the temperature require gradients.
Every layout is a peer of its own, with batch norms as they are and folded into the convolutions before them, so
that the fastest is found. Images are normalised and in that layout before the clock starts.
"""
import copy

BATCH, STEPS, SHOWN = 128, 2, 6
RATE, MOMENTUM, WEIGHT = 0.1, 0.9, 1


def folded(model):
    """The same network without batch norms."""
    from torch.fx.experimental import optimization
    return optimization.fuse(copy.deepcopy(model))


def prepare(torch, networks):
    def run(_, tensors):
        model = networks().full_network("resnet20-cifar").eval().requires_grad_(False)
        images = tensors["images"].reshape(-1, 3, 32, 32).double()
        images = (images - tensors["mean"].reshape(3, 1, 1)) / tensors["deviation"].reshape(3, 1, 1)
        tensors["double"] = copy.deepcopy(model).double(), images
        for fold in (False, True):
            for layout in (torch.contiguous_format, torch.channels_last):
                own = folded(model) if fold else copy.deepcopy(model)
                own = own.requires_grad_(False).to(memory_format=layout)
                tensors[fold, layout] = own, images.float().contiguous(memory_format=layout)
                fit(torch, own, tensors[fold, layout][1][:BATCH], tensors["labels"][:BATCH])
    return run


def logits(torch, model, images, delta):
    with torch.inference_mode():
        return torch.cat([model(batch + delta) for batch in images.split(BATCH)])


def fit(torch, model, images, labels):
    """Logits of all images, steps on all of them, logits again. Gradients add up over the batches."""
    delta = torch.zeros(1, 3, 32, 32, dtype=images.dtype, requires_grad=True)
    temperature = torch.ones((), dtype=images.dtype, requires_grad=True)
    optimiser = torch.optim.SGD([delta, temperature], lr=RATE, momentum=MOMENTUM)
    labels = labels.flatten().long()
    logits(torch, model, images, 0)
    for _ in range(STEPS):
        optimiser.zero_grad()
        with torch.enable_grad():
            for x, y in zip(images.split(BATCH), labels.split(BATCH)):
                z = model(x + delta) / temperature
                (torch.nn.functional.cross_entropy(z, y, reduction="sum") / len(images)).backward()
            (WEIGHT * delta.square().sum()).backward()
        optimiser.step()
    logits(torch, model, images, delta.detach())

    def answers():
        found = delta.detach().double().flatten()
        return temperature.item(), found.norm().item(), *(found[:SHOWN] / found.norm()).tolist()
    return answers


def reference(torch):
    return lambda _, tensors: fit(torch, *tensors["double"], tensors["labels"])


def peers(torch):
    """{name: (torch, function)}: layouts, with and without batch norms."""
    def peer(fold, layout):
        return lambda _, tensors: fit(torch, *tensors[fold, layout], tensors["labels"])
    layouts = {"nchw": "contiguous_format", "nhwc": "channels_last"}
    return {f"torch-{short}{'-folded' * fold}": (torch, torch and peer(fold, getattr(torch, name)))
            for short, name in layouts.items() for fold in (False, True)}
