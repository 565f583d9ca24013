#!/usr/bin/python3
"""The peers of the benchmarks: other implementations, each with its best settings.

One line on standard input is a request, one line on standard output the answer:

    hello                          ok
    peers WORKLOAD                 the names of the implementations that can run here
    load WORKLOAD FOLDER           ok; the .npy files of FOLDER are in memory
    reference WORKLOAD             the answers, in float64
    run WORKLOAD NAME REPEATS      CPU seconds of the fastest repeat, and the answers

An answer that starts with `error` gives the reason of a failure. A workload is an entry of WORKLOADS.
The first argument is the number of threads; for more than one, seconds are wall-clock time.
"""
import copy
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import time

THREADS = int(sys.argv[1]) if len(sys.argv) > 1 else 1
BINS = 15
PENALTY = 1  # lambda and mu

# The installed libraries do not detect the instructions of newer processors.
with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpu:
    if " avx512f" in cpu.read():
        os.environ.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")
        os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx512")
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(THREADS)

import numpy as np  # noqa: E402

sys.dont_write_bytecode = True
import peers_clamp  # noqa: E402
import peers_train  # noqa: E402


def installed(name):
    """The module, or None, which skips the peers that need it."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        print(f"bench: peers that need {name} are skipped: {missing}", file=sys.stderr)
        return None


optimize, special, isotonic, torch = map(
    installed, ("scipy.optimize", "scipy.special", "sklearn.isotonic", "torch"))
if torch:
    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)


def load_arrays(folder):
    """The arrays of a folder by name, and the same memory as torch tensors."""
    arrays = {name[:-4]: np.load(os.path.join(folder, name))
              for name in os.listdir(folder) if name.endswith(".npy")}
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()} if torch else {}
    return arrays, tensors


# ---- ece: accuracy, mean confidence, 15-bin ECE with bins (low, high]


def binned(confidence, hit):
    """ECE from float64 confidences."""
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


# ---- temperature: T and the mean negative log-likelihood


def margins(arrays, dtype):
    """Logits minus the largest of their row, and those of the true classes."""
    z = arrays["logits"].astype(dtype)
    z -= z.max(1, keepdims=True)
    return z, np.take_along_axis(z, arrays["labels"][:, None], 1)[:, 0]


def temperature_reference(arrays, _):
    """Newton's method in b = 1 / T."""
    z, own = margins(arrays, np.float64)
    b = 1.0
    for _ in range(50):
        p = np.exp(b * z)
        mass = p.sum(1)
        mean = np.einsum("ij,ij->i", p, z) / mass
        second = np.einsum("ij,ij,ij->i", p, z, z) / mass - mean ** 2
        step = (mean - own).mean() / second.mean()
        b -= step
        if abs(step) < 1e-12:
            break
    return 1 / b, np.mean(np.log(np.exp(b * z).sum(1)) - b * own)


def temperature_scipy(arrays, _):
    """minimize_scalar, without temporary arrays, in the precision of the data."""
    z, own = margins(arrays, np.float32)
    room, mean = np.empty_like(z), own.mean(dtype=np.float64)

    def loss(t):
        np.exp(np.multiply(z, np.float32(1 / t), out=room), out=room)
        return np.log(room.sum(1)).mean(dtype=np.float64) - mean / t

    found = optimize.minimize_scalar(loss, bounds=(0.05, 20), method="bounded")
    return found.x, found.fun


def temperature_logsumexp(arrays, _):
    """The same, as one call of SciPy."""
    z, rows = arrays["logits"], np.arange(len(arrays["labels"]))

    def loss(t):
        s = z / np.float32(t)
        return np.mean(special.logsumexp(s, 1) - s[rows, arrays["labels"]], dtype=np.float64)

    found = optimize.minimize_scalar(loss, bounds=(0.05, 20), method="bounded")
    return found.x, found.fun


# ---- intervals: ECE and classwise error, with the quantiles of 200 bootstrap resamples


def classwise(arrays, dtype):
    """Softmax, and functions that compute ECE and classwise error from row weights."""
    z, labels = arrays["logits"].astype(dtype), arrays["labels"]
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    rows, classes = p.shape
    bins = np.clip(np.ceil(p * BINS).astype(np.int64) - 1, 0, BINS - 1)
    cell = (bins + BINS * np.arange(classes)).ravel()
    gap = p.copy()
    gap[np.arange(rows), labels] -= 1
    top, confidence = p.argmax(1), p.max(1)
    top_cell = bins[np.arange(rows), top]
    top_gap = confidence - (top == labels)

    def errors(weights):
        total = weights.sum()
        ece = np.abs(np.bincount(top_cell, weights * top_gap, BINS)).sum() / total
        cells = np.bincount(cell, (weights[:, None] * gap).ravel(), BINS * classes)
        return ece, np.abs(cells).sum() / total / classes
    return errors, rows


def intervals_reference(arrays, _):
    errors, rows = classwise(arrays, np.float64)
    return errors(np.ones(rows))


def intervals_numpy(arrays, _):
    """Poisson weights, each resample by bincount, in the precision of the data."""
    errors, rows = classwise(arrays, np.float32)
    generator = np.random.default_rng(0)
    drawn = [errors(generator.poisson(1, rows).astype(np.float64)) for _ in range(200)]
    np.quantile(drawn, (0.025, 0.975), axis=0)
    return errors(np.ones(rows))


# ---- temperature_ece: the best of 0.01, 0.02 .. 10 by ECE, and that ECE


def grid_errors(z, hit, temperatures):
    return [binned(1 / np.exp(z / z.dtype.type(t)).sum(1, dtype=np.float64), hit)
            for t in temperatures]


def temperature_ece_reference(arrays, _):
    """All temperatures in float32, the best candidates again in float64."""
    grid = np.arange(1, 1001) / 100
    hit = arrays["logits"].argmax(1) == arrays["labels"]
    best = np.sort(np.argsort(grid_errors(margins(arrays, np.float32)[0], hit, grid))[:50])
    errors = grid_errors(margins(arrays, np.float64)[0], hit, grid[best])
    return grid[best[np.argmin(errors)]], min(errors)


def temperature_ece_torch(_, tensors):
    """A loop over temperatures, each of them vectorised; bins are scattered into."""
    logits, edges, zeros = tensors["logits"], torch.linspace(0, 1, BINS + 1), torch.zeros(BINS)
    hit = logits.argmax(1).eq(tensors["labels"]).to(logits.dtype)
    errors = []
    for i in range(1, 1001):
        confidence = torch.softmax(logits * (100 / i), 1).amax(1)
        index = torch.bucketize(confidence, edges) - 1
        errors.append(zeros.scatter_add(0, index, confidence - hit).abs().sum())
    best = torch.stack(errors).argmin().item()
    return (best + 1) / 100, errors[best].item() / len(logits)


# ---- vector, matrix_odir, dirichlet_odir: the objective and its largest derivative


def log_probabilities(z):
    z = z - z.max(1, keepdims=True)
    return z - np.log(np.exp(z).sum(1, keepdims=True))


def softmax_reference(diagonal, log_p):
    """Newton's method with conjugate gradients, preconditioned by the Hessian's diagonal."""
    def solve(arrays, _):
        x = arrays["logits"].astype(np.float64)
        x = log_probabilities(x) if log_p else x
        rows, classes = x.shape
        onehot = np.eye(classes)[arrays["labels"]]
        one = np.ones(classes) if diagonal else np.eye(classes)
        off, bias = (0, 0) if diagonal else (PENALTY / (classes * (classes - 1)), PENALTY / classes)
        weight = 0 if diagonal else 2 * off * (1 - one)

        def gather(s):
            return (s * x).sum(0) / rows if diagonal else s.T @ x / rows, s.sum(0) / rows

        def spread(w, b):
            return (x * w if diagonal else x @ w.T) + b

        def look(w, b):
            u = spread(w, b)
            log_p = log_probabilities(u)
            p = np.exp(log_p)
            gw, gb = gather(p - onehot)
            value = -(log_p * onehot).sum() / rows + np.sum(weight * w * w) / 2 + bias * b @ b
            return value, gw + weight * w, gb + 2 * bias * b, p

        w, b = one.copy(), np.zeros(classes)
        value, gw, gb, p = look(w, b)
        for _ in range(100):
            slope = max(abs(gw).max(), abs(gb).max())
            if slope < 1e-9:
                break
            q = p * (1 - p)
            cw = ((q * x * x).sum(0) if diagonal else q.T @ (x * x)) / rows + weight + 1e-12
            cb = q.sum(0) / rows + 2 * bias + 1e-12
            dw, db, rw, rb = 0 * w, 0 * b, -gw, -gb
            zw, zb = rw / cw, rb / cb
            size = start = np.sum(rw * zw) + rb @ zb
            vw, vb = zw, zb
            while size > min(0.01, slope) * start:
                u = spread(vw, vb)
                hw, hb = gather(p * (u - (p * u).sum(1, keepdims=True)))
                hw, hb = hw + weight * vw, hb + 2 * bias * vb
                length = size / (np.sum(vw * hw) + vb @ hb)
                dw, db = dw + length * vw, db + length * vb
                rw, rb = rw - length * hw, rb - length * hb
                zw, zb = rw / cw, rb / cb
                before, size = size, np.sum(rw * zw) + rb @ zb
                vw, vb = zw + size / before * vw, zb + size / before * vb
            step, fall = 1.0, np.sum(gw * dw) + gb @ db
            while step > 1e-6:
                new = look(w + step * dw, b + step * db)
                if new[0] <= value + 1e-4 * step * fall + 1e-14:
                    break
                step /= 2
            w, b, (value, gw, gb, p) = w + step * dw, b + step * db, new
        return value, 0
    return solve


def softmax_torch(diagonal, log_p):
    """L-BFGS with a strong Wolfe line search in float64, until the largest derivative is at most our
    solver's, or 400 steps bring no progress."""
    def solve(arrays, tensors):
        x, y = tensors["logits"].double(), tensors["labels"]
        x = torch.log_softmax(x, 1) if log_p else x
        classes = x.shape[1]
        w = (torch.ones(classes) if diagonal else torch.eye(classes)).double().requires_grad_()
        b = torch.zeros(classes).double().requires_grad_()
        off = 0 if diagonal else (1 - torch.eye(classes).double()) * PENALTY / (classes * (classes - 1))
        bias, goal = 0 if diagonal else PENALTY / classes, float(arrays["gradient"][0])
        solver = torch.optim.LBFGS([w, b], max_iter=50, max_eval=1000, tolerance_grad=goal,
                                   tolerance_change=0, history_size=50,
                                   line_search_fn="strong_wolfe")

        def closure():
            solver.zero_grad()
            with torch.enable_grad():
                u = x * w + b if diagonal else torch.addmm(b, x, w.T)
                loss = torch.nn.functional.cross_entropy(u, y)
                if not diagonal:
                    loss = loss + (off * w * w).sum() + bias * (b * b).sum()
                loss.backward()
            return loss

        least, patience, slope, fruitful = float("inf"), 8, float("inf"), time.process_time()
        while slope > goal and patience:
            solver.step(closure)
            value = closure().item()
            slope = max(w.grad.abs().max().item(), b.grad.abs().max().item())
            patience = 8 if slope < 0.9 * least else patience - 1
            if slope < least:
                least, fruitful = slope, time.process_time()
        state = solver.state[w]
        print(f"bench: torch L-BFGS {'converged' if slope <= goal else 'gave up'}: derivative {slope:.2g}, "
              f"ours {goal:.2g}, {state['n_iter']} steps, {state['func_evals']} evaluations",
              file=sys.stderr)
        def answers():
            return value, slope
        answers.fruitless = time.process_time() - fruitful  # after its best point
        return answers
    return solve


# ---- isotonic: the mean squared error, and the curve at 1/2


def isotonic_reference(arrays, _):
    """Pool adjacent violators one by one, in integers."""
    order = np.argsort(arrays["confidence"], kind="stable")
    blocks = []  # rows, hits
    for hit in arrays["correct"][order].tolist():
        rows, hits = 1, hit
        while blocks and blocks[-1][1] * rows >= hits * blocks[-1][0]:
            rows, hits = rows + blocks[-1][0], hits + blocks[-1][1]
            blocks.pop()
        blocks.append((rows, hits))
    rows, hits = np.array(blocks).T
    at = np.searchsorted(arrays["confidence"][order], 0.5, "right") - 1
    return (np.sum(hits * (1 - hits / rows)) / rows.sum(),
            (hits / rows)[np.searchsorted(np.cumsum(rows), at, "right")])


def isotonic_sklearn(arrays, _):
    x, y = arrays["confidence"], arrays["correct"]
    fitted = isotonic.IsotonicRegression(out_of_bounds="clip").fit(x, y)

    def answers():
        at = np.searchsorted(fitted.X_thresholds_, 0.5, "right") - 1
        return np.mean((fitted.predict(x) - y) ** 2), fitted.y_thresholds_[at]
    return answers


# ---- loss: value and gradient of a training loss, as one writes it in PyTorch


def softmax_of(z, t):
    """Confidence, and whether the prediction is correct."""
    confidence, top = torch.softmax(z, 1).max(1)
    return confidence, top.eq(t["labels"]).to(z.dtype)


def label_log(z, t):
    return torch.log_softmax(z, 1).gather(1, t["labels"][:, None])[:, 0]


def onehot_of(z, t):
    return torch.nn.functional.one_hot(t["labels"], z.shape[1]).to(z.dtype)


def weighted_ce(z, t):
    return torch.nn.functional.cross_entropy(z, t["labels"], (1 / t["counts"]).to(z.dtype))


def entropy_term(z, _):
    log_p = torch.log_softmax(z, 1)
    return (log_p.exp() * log_p).sum(1).mean()


def focal(gamma):
    def loss(z, t):
        log_p = label_log(z, t)
        p = log_p.exp()
        return -((1 - p) ** (gamma(p) if callable(gamma) else gamma) * log_p).mean()
    return loss


def inverse_focal(z, t):
    log_p = label_log(z, t)
    return -((1 + log_p.exp()) ** 2 * log_p).mean()


def dca(z, t):
    confidence, hit = softmax_of(z, t)
    return (confidence.mean() - hit.mean()).abs()


def mdca(z, t):
    return (torch.softmax(z, 1).mean(0) - onehot_of(z, t).mean(0)).abs().mean()


def brier(z, t):
    return ((torch.softmax(z, 1) - onehot_of(z, t)) ** 2).sum(1).mean()


def mmce(weighted):
    def loss(z, t):
        confidence, hit = softmax_of(z, t)
        kernel = torch.exp(-(confidence[:, None] - confidence).abs() / 0.4)
        if weighted:
            weight = torch.where(hit > 0, 1 / hit.sum(), 1 / (1 - hit).sum())
        else:
            weight = 1 / len(hit)
        gap = weight * (hit - confidence)
        return torch.sqrt((gap[:, None] * gap * kernel).sum() + 1e-12)
    return loss


def soft_ece(z, t):
    confidence, hit = softmax_of(z, t)
    middle = (torch.arange(BINS, dtype=z.dtype) + 0.5) / BINS
    member = torch.softmax(-(confidence[:, None] - middle) ** 2 / 0.01, 1)
    mass, gap = member.sum(0), (member * (confidence - hit)[:, None]).sum(0)
    return torch.sqrt((gap ** 2 / mass.clamp(min=1e-5)).sum() / len(hit))


def avuc(z, t):
    p = torch.softmax(z, 1)
    confidence, top = p.max(1)
    hit, entropy = top.eq(t["labels"]), -(p * torch.log_softmax(z, 1)).sum(1)
    certain = entropy <= 1
    sure = torch.tanh(entropy)
    part = torch.where(hit, confidence, 1 - confidence) * torch.where(certain, 1 - sure, sure)
    good = hit == certain
    return torch.log(1 + part[~good].sum() / part[good].sum())


def dual_focal(z, t):
    log_p = torch.log_softmax(z, 1)
    p, own = log_p.exp(), log_p.gather(1, t["labels"][:, None])[:, 0]
    below = torch.where(p < own.exp()[:, None], p, torch.zeros_like(p)).max(1)[0]
    return -((1 - own.exp() + below) ** 5 * own).mean()


def crl(z, t):
    confidence, _ = softmax_of(z, t)
    rank = (t["history"] / 10).to(z.dtype)
    apart, gap = rank - rank.roll(-1), confidence - confidence.roll(-1)
    miss = (apart.abs() - apart.sign() * gap).clamp(min=0)
    return torch.where(apart != 0, miss, torch.zeros_like(miss)).mean()


LOSSES = {
    "ce": lambda z, t: torch.nn.functional.cross_entropy(z, t["labels"]),
    "weighted-ce": weighted_ce,
    "label-smoothing":
        lambda z, t: torch.nn.functional.cross_entropy(z, t["labels"], label_smoothing=0.1),
    "entropy": entropy_term,
    "focal": focal(3),
    "focal-sd": focal(lambda p: torch.where(p.detach() < 0.2, 5.0, 3.0)),
    "inverse-focal": inverse_focal,
    "lp-norm": lambda z, _: z.abs().sum(1).mean(),
    "dca": dca,
    "mdca": mdca,
    "brier": brier,
    "mmce": mmce(False),
    "mmce-weighted": mmce(True),
    "soft-ece": soft_ece,
    "avuc": avuc,
    "dual-focal": dual_focal,
    "crl": crl,
}


def loss_torch(dtype):
    def run(arrays, tensors):
        name = bytes(arrays["name"].tolist()).decode()
        z = tensors["logits"].detach().to(dtype or tensors["logits"].dtype)
        z.requires_grad_()
        with torch.enable_grad():
            value = LOSSES[name](z, tensors)
            value.backward()
        return lambda: (value.item(), z.grad.double().norm().item())
    return run


# ---- network: logits of a batch of images; some of the first and last row over their root mean square


def load_script(path):
    """Load a script without a suffix as a module."""
    loader = importlib.machinery.SourceFileLoader("script", path)
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
    loader.exec_module(script)
    return script


def make_networks():
    return load_script(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools/make-networks"))


def network_prepare(arrays, tensors):
    """The same network in both layouts, warmed up, with images in the layout of each."""
    networks = make_networks()
    name = bytes(arrays["name"].tolist()).decode()
    pixels = networks.FULL[name][1]
    model, images = networks.full_network(name), tensors["images"].reshape(-1, 3, pixels, pixels)
    model.requires_grad_(arrays["mode"].item() == TRAINING)
    for layer in model.modules():  # no dropout, or answers could not be compared
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.train(arrays["mode"].item() == TRAINING)
    for layout in (torch.contiguous_format, torch.channels_last):
        tensors[layout] = (copy.deepcopy(model).to(memory_format=layout),
                           images.contiguous(memory_format=layout))
        network_torch(layout)(arrays, tensors)


def network_answers(logits):
    z = logits.double()
    return lambda: (torch.cat([z[0, :4], z[-1, :4]]) / z.square().mean().sqrt()).tolist()


def network_reference(_, tensors):
    model, images = tensors[torch.contiguous_format]
    with torch.no_grad():
        return network_answers(copy.deepcopy(model).double()(images.double()))


FROZEN, TRAINING = 1, 2


def network_gradients(mode, model, images, tensors):
    """Gradients with respect to all parameters, or to a shift of all images."""
    shift = torch.zeros_like(images[:1], requires_grad=mode == FROZEN)
    with torch.enable_grad():
        logits = model(images + shift if mode == FROZEN else images)
        logits.backward(tensors["gradient"].reshape(logits.shape))
    model.zero_grad()
    return logits.detach()


def network_torch(layout):
    def run(arrays, tensors):
        model, images = tensors[layout]
        mode = arrays["mode"].item()
        if mode:
            return network_answers(network_gradients(mode, model, images, tensors))
        with torch.inference_mode():
            return network_answers(model(images))
    return run


WORKLOADS = {
    "ece": {
        "reference": ece_reference,
        "peers": {"numpy": (np, ece_numpy), "torchmetrics-style": (torch, ece_torchmetrics),
                  "focal-style": (torch, ece_focal)},
    },
    "intervals": {
        "reference": intervals_reference,
        "peers": {"numpy": (np, intervals_numpy)},
    },
    "temperature": {
        "reference": temperature_reference,
        "peers": {"scipy-tuned": (optimize, temperature_scipy),
                  "scipy": (optimize and special, temperature_logsumexp)},
    },
    "temperature_ece": {
        "reference": temperature_ece_reference,
        "peers": {"torch-loop": (torch, temperature_ece_torch)},
    },
    "vector": {
        "reference": softmax_reference(True, False),
        "peers": {"torch-lbfgs": (torch, softmax_torch(True, False))},
    },
    "matrix_odir": {
        "reference": softmax_reference(False, False),
        "peers": {"torch-lbfgs": (torch, softmax_torch(False, False))},
    },
    "dirichlet_odir": {
        "reference": softmax_reference(False, True),
        "peers": {"torch-lbfgs": (torch, softmax_torch(False, True))},
    },
    "isotonic": {
        "reference": isotonic_reference,
        "peers": {"scikit-learn": (isotonic, isotonic_sklearn)},
    },
    "loss": {
        "reference": loss_torch(torch and torch.float64),
        "peers": {"torch": (torch, loss_torch(None))},
    },
    "network": {
        "prepare": network_prepare,
        "reference": network_reference,
        "peers": {"torch-nchw": (torch, network_torch(torch and torch.contiguous_format)),
                  "torch-channels-last": (torch, network_torch(torch and torch.channels_last))},
    },
    "train": {
        "prepare": peers_train.prepare(torch, make_networks),
        "reference": lambda *_: (1.0,),
        "peers": peers_train.peers(torch),
    },
    "clamp": {
        "prepare": peers_clamp.prepare(torch, make_networks),
        "reference": peers_clamp.reference(torch),
        "peers": peers_clamp.peers(torch),
    },
}


def numbers(values):
    """Numbers as text; a function computes them after the timing has stopped."""
    values = values() if callable(values) else values
    return " ".join(repr(float(value)) for value in values)


class Server:
    """Answers requests about the data that was loaded last."""

    def __init__(self):
        self.data = {}, {}

    def hello(self):
        return "ok"

    def load(self, workload, folder):
        self.data = {}, {}
        self.data = load_arrays(folder)
        WORKLOADS[workload].get("prepare", lambda *_: None)(*self.data)
        return "ok"

    def peers(self, workload):
        return " ".join(self.implementations(workload))

    def reference(self, workload):
        return numbers(WORKLOADS[workload]["reference"](*self.data))

    def run(self, workload, name, repeats):
        function, fastest = self.implementations(workload)[name], float("inf")
        clock = time.process_time if THREADS == 1 else time.perf_counter
        for _ in range(int(repeats)):
            start = clock()
            answers = function(*self.data)
            spent = clock() - start - getattr(answers, "fruitless", 0)
            fastest = min(fastest, spent)
        return f"{fastest!r} {numbers(answers)}"

    @staticmethod
    def implementations(workload):
        return {name: function for name, (module, function) in WORKLOADS[workload]["peers"].items()
                if module}


def main():
    server = Server()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output that libraries print goes to standard error
    for line in sys.stdin:
        word, *arguments = line.split()
        try:
            answer = getattr(server, word)(*arguments)
        except Exception as error:  # credence-bench decides what a failure means
            answer = f"error {type(error).__name__}: {error}".replace("\n", " ")
        print(answer, file=answers)


main()
