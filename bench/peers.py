#!/usr/bin/python3
"""The other side of the benchmarks: what people use instead, each with its best settings.

One line on standard input is a question, one line on standard output the answer:

    hello                          ok
    peers WORKLOAD                 the names of the implementations that can run here
    load WORKLOAD FOLDER           ok; the .npy files of FOLDER are in memory
    reference WORKLOAD             the answers, in double precision
    run WORKLOAD NAME REPEATS      CPU seconds of the fastest repeat, and the answers

An answer that starts with `error` says why there is none. A workload is a row of WORKLOADS.
"""
import os
import sys
import time

THREADS = 1
BINS = 15

# As installed, the libraries do not see what newer processors can do.
with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpu:
    if " avx512f" in cpu.read():
        os.environ.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")
        os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx512")
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(THREADS)

import numpy as np  # noqa: E402

try:
    import torch

    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)
except ImportError as missing:
    torch = None
    print(f"bench: peers that need torch are left out: {missing}", file=sys.stderr)


def load_arrays(folder):
    """The arrays of a folder by name, and the same memory as torch tensors."""
    arrays = {name[:-4]: np.load(os.path.join(folder, name))
              for name in os.listdir(folder) if name.endswith(".npy")}
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()} if torch else {}
    return arrays, tensors


# ---- ece: accuracy, mean confidence, 15-bin ECE with bins (low, high]


def binned(confidence, hit):
    """ECE from double-precision confidences."""
    index = np.clip(np.ceil(confidence * BINS).astype(np.int64) - 1, 0, BINS - 1)
    gap = np.bincount(index, confidence - hit, BINS)
    return np.abs(gap).sum() / len(confidence)


def ece_reference(arrays, _):
    confidence, hit = [], []
    for start in range(0, len(arrays["labels"]), 10000):
        z = arrays["logits"][start:start + 10000].astype(np.float64)
        confidence.append(1 / np.exp(z - z.max(1, keepdims=True)).sum(1))
        hit.append(z.argmax(1) == arrays["labels"][start:start + 10000])
    confidence, hit = np.concatenate(confidence), np.concatenate(hit)
    return hit.mean(), confidence.mean(), binned(confidence, hit)


def ece_numpy(arrays, _):
    """Vectorised, in the precision of the data."""
    z = arrays["logits"]
    top = z.argmax(1)
    largest = np.take_along_axis(z, top[:, None], 1)
    confidence = 1 / np.exp(z - largest).sum(1)
    hit = top == arrays["labels"]
    return hit.mean(), confidence.mean(dtype=np.float64), binned(confidence, hit)


def ece_torchmetrics(_, tensors):
    """As torchmetrics does it: bucketize, then scatter into the bins."""
    confidence, top = torch.softmax(tensors["logits"], 1).max(1)
    hit = top.eq(tensors["labels"]).to(confidence.dtype)
    edges = torch.linspace(0, 1, BINS + 1)
    index = torch.bucketize(confidence, edges) - 1
    zeros = torch.zeros(BINS)
    count = zeros.scatter_add(0, index, torch.ones_like(confidence))
    mean_confidence = torch.nan_to_num(zeros.scatter_add(0, index, confidence) / count)
    mean_hit = torch.nan_to_num(zeros.scatter_add(0, index, hit) / count)
    ece = ((mean_hit - mean_confidence).abs() * count / count.sum()).sum()
    return hit.mean().item(), confidence.mean().item(), ece.item()


def ece_focal(_, tensors):
    """As the code of Mukhoti et al. (2020) does it: a loop over the bins with masks."""
    confidence, top = torch.nn.functional.softmax(tensors["logits"], dim=1).max(1)
    hit = top.eq(tensors["labels"])
    edges = torch.linspace(0, 1, BINS + 1)
    ece = torch.zeros(1)
    for low, high in zip(edges[:-1], edges[1:]):
        inside = confidence.gt(low.item()) * confidence.le(high.item())
        share = inside.float().mean()
        if share.item() > 0:
            gap = confidence[inside].mean() - hit[inside].float().mean()
            ece += torch.abs(gap) * share
    return hit.float().mean().item(), confidence.mean().item(), ece.item()


WORKLOADS = {
    "ece": {
        "reference": ece_reference,
        "peers": {"numpy": ece_numpy},
        "torch": {"torchmetrics-style": ece_torchmetrics, "focal-style": ece_focal},
    },
}


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


class Server:
    """Answers questions about the data that was loaded last."""

    def __init__(self):
        self.data = {}, {}

    def hello(self):
        return "ok"

    def load(self, _, folder):
        self.data = {}, {}
        self.data = load_arrays(folder)
        return "ok"

    def peers(self, workload):
        return " ".join(self.implementations(workload))

    def reference(self, workload):
        return numbers(WORKLOADS[workload]["reference"](*self.data))

    def run(self, workload, name, repeats):
        function, fastest = self.implementations(workload)[name], float("inf")
        for _ in range(int(repeats)):
            start = time.process_time()
            answers = function(*self.data)
            fastest = min(fastest, time.process_time() - start)
        return f"{fastest!r} {numbers(answers)}"

    @staticmethod
    def implementations(workload):
        row = WORKLOADS[workload]
        return {**row["peers"], **(row["torch"] if torch else {})}


def main():
    server = Server()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever a library prints is talk, not an answer
    for line in sys.stdin:
        word, *arguments = line.split()
        try:
            answer = getattr(server, word)(*arguments)
        except Exception as error:  # the other side decides what a failure means
            answer = f"error {type(error).__name__}: {error}".replace("\n", " ")
        print(answer, file=answers)


main()
