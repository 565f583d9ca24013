"""The peers of the workload `train`: PyTorch with its DataLoader, one epoch of training.

Every layout and number of loader processes is a peer of its own, so that the fastest is found. Images
are bytes in memory; each is converted, augmented and normalised by the data set, as tutorials do.
"""
import copy

BATCH = 128
RATE, DECAY = 1e-3, 1e-4


def lenet5(nn):
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                         nn.Linear(84, 10))


def mlp(nn):
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
                         nn.Linear(128, 10))


def build(torch, networks, name):
    """The network of a case, and the shape of an image."""
    if name == "resnet20":
        return networks.full_network("resnet20-cifar"), (3, 32, 32)
    return {"lenet5": lenet5, "mlp": mlp}[name](torch.nn), (1, 28, 28)


def images_of(torch):
    """The class of data sets; made here, since torch may be missing."""
    class Images(torch.utils.data.Dataset):
        def __init__(self, images, labels, augment):
            self.images, self.labels, self.augment = images, labels, augment

        def __len__(self):
            return len(self.images)

        def __getitem__(self, index):
            image = self.images[index].to(torch.float32).div_(255)
            if self.augment:
                down, right, flip = torch.randint(0, 9, (3,)).tolist()
                image = torch.nn.functional.pad(image, (4, 4, 4, 4))[:, down:down + 32, right:right + 32]
                image = image.flip(2) if flip > 4 else image
            return image.sub_(0.5).div_(0.25) if not self.augment else (image - 0.5) / 0.25, self.labels[index]
    return Images


def prepare(torch, networks):
    def run(arrays, tensors):
        name = bytes(arrays["name"].tolist()).decode()
        model, shape = build(torch, networks(), name)
        model.requires_grad_().train()
        data = images_of(torch)(tensors["images"].reshape(-1, *shape), tensors["labels"].flatten().long(),
                                name == "resnet20")
        for layout in (torch.contiguous_format, torch.channels_last):
            own = copy.deepcopy(model).to(memory_format=layout)
            steps = torch.optim.AdamW(own.parameters(), lr=RATE, weight_decay=DECAY)
            tensors[layout] = own, steps, data
    return run


def epoch(torch, layout, workers):
    """One epoch; the loader's processes are started for it, as in every epoch of a real run."""
    def run(_, tensors):
        model, steps, data = tensors[layout]
        loader = torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True, drop_last=True,
                                             num_workers=workers)
        with torch.enable_grad():
            for images, labels in loader:
                steps.zero_grad(set_to_none=True)
                logits = model(images.contiguous(memory_format=layout))
                loss = torch.nn.functional.cross_entropy(logits, labels)
                loss.backward()
                steps.step()
        return (float(loss.item() < float("inf")),)
    return run


def peers(torch):
    """{name: (torch, function)}: layouts times numbers of loader processes."""
    layouts = {"nchw": "contiguous_format", "nhwc": "channels_last"}
    return {f"torch-{short}-w{workers}": (torch, torch and epoch(torch, getattr(torch, name), workers))
            for short, name in layouts.items() for workers in (0, 1, 2)}
