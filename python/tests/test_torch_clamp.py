"""Neural Clamping of functions and of modules: the C engine's result, interrupts, exceptions, files."""
from __future__ import annotations

import copy
import json
import os
import pathlib
import pickle
import signal
import subprocess
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence

try:
    import torch
    import credence.torch
except ImportError:
    torch = None  # type: ignore[assignment]

LOCATED = pathlib.Path(credence.__file__).resolve().parents[3] / "credence"
PROGRAM = os.environ.get("CREDENCE_PROGRAM") or str(LOCATED)
needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch 2.0 is not installed")

CENTRES = np.array([[1, 0], [-1, 1], [0, -1]], np.float32)
STEEPNESS, OFFSET = np.float32(8), np.array([0.4, -0.3], np.float32)


def sensor(rows: int = 1000) -> tuple[Any, Any]:
    """Return samples around the centres, with noise and the offset of a sensor, as in examples/clamp.c."""
    random = np.random.default_rng(0)
    labels = np.arange(rows) % 3
    return (CENTRES[labels] + OFFSET + 0.6 * random.normal(size=(rows, 2))).astype(np.float32), labels


def run(inputs: Any) -> Any:
    return STEEPNESS * (inputs @ CENTRES.T - (CENTRES**2).sum(axis=1) / 2)


def backward(gradient: Any) -> Any:
    return STEEPNESS * gradient @ CENTRES


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


# ---- Functions, without PyTorch.

def test_functions() -> None:
    inputs, labels = sensor()
    clamp = credence.clamp(run, backward, inputs, labels, batch=50)
    assert np.abs(clamp.delta + OFFSET).max() < 0.1 and 1.5 < clamp.temperature < 6 and clamp.helps
    assert clamp.delta.dtype == np.float32 and not clamp.interrupted
    about = clamp.summary
    assert about["after"]["nll"] < about["scaled"]["nll"] < about["before"]["nll"]
    probabilities = softmax(run(inputs + clamp.delta).astype(np.float64) / clamp.temperature)
    measured = credence.evaluate(probabilities, labels, metrics="nll,accuracy", resamples=0, input="probabilities")
    assert measured.nll == pytest.approx(about["after"]["nll"], abs=1e-5)
    assert measured.accuracy == about["after"]["accuracy"]
    assert clamp.verdict().startswith("delta helps") and len(about["candidates"]) > 1
    assert "temperature" in repr(clamp)


def test_every_batch_size_gives_nearly_the_same() -> None:
    """The last batch is padded with rows that do not count."""
    inputs, labels = sensor(300)
    whole = credence.clamp(run, backward, inputs, labels, batch=300, settings={"lambda": 0.1})
    for batch in (7, 128, 1000):
        other = credence.clamp(run, backward, inputs.tolist(), list(labels), batch=batch, settings="lambda=0.1")
        assert np.abs(other.delta - whole.delta).max() < 1e-4
        assert other.temperature == pytest.approx(whole.temperature, rel=1e-4)


def test_weights_and_groups() -> None:
    inputs, labels = sensor(300)
    twice = credence.clamp(run, backward, np.repeat(inputs, 2, axis=0), np.repeat(labels, 2), settings="lambda=0.1")
    weighted = credence.clamp(run, backward, inputs, labels, weights=np.full(300, 2.0), settings="lambda=0.1")
    assert weighted.temperature == pytest.approx(twice.temperature, rel=1e-4)
    grouped = credence.clamp(run, backward, inputs, labels, groups=np.arange(300) // 10)
    assert grouped.summary["candidates"] != credence.clamp(run, backward, inputs, labels).summary["candidates"]


def test_files(tmp_path: pathlib.Path, program: Callable[..., str]) -> None:
    inputs, labels = sensor(300)
    clamp = credence.clamp(run, backward, inputs, labels)
    path = tmp_path / "clamp.json"
    clamp.save(path)
    loaded, pickled = credence.Clamp.load(path), pickle.loads(pickle.dumps(clamp))
    for other in (loaded, pickled):
        assert (other.delta == clamp.delta).all() and other.temperature == clamp.temperature
        other.save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert pickled.summary["after"] == clamp.summary["after"]
    told = json.loads(path.read_text())
    assert told["credence"] == "clamp" and told["delta"] == pytest.approx(clamp.delta.tolist(), rel=1e-6)
    program("plot", "perturbation", path, "-o", tmp_path / "p.svg")
    drawn = credence.Perturbation(credence.Clamp.load(path), str(path))  # the clamp lives in it
    assert drawn.figure() == (tmp_path / "p.svg").read_text() and (drawn.delta == clamp.delta).all()
    path.write_text("{}")
    with pytest.raises(credence.InputError, match="clamp.json: not a Credence clamp"):
        credence.Clamp.load(path)


def test_exceptions_are_raised() -> None:
    inputs, labels = sensor(300)

    class Own(Exception):
        pass

    calls = []

    def failing(gradient: Any) -> Any:
        calls.append(1)
        raise Own("here")

    with pytest.raises(Own, match="here"):
        credence.clamp(run, failing, inputs, labels)
    assert len(calls) == 1


def test_arrays_outlive_the_fit() -> None:
    """What the functions keep stays readable: it is not the library's memory."""
    inputs, labels = sensor(300)
    kept: list[Any] = []

    def keeping(x: Any) -> Any:
        kept.append(x)
        return run(x)

    credence.clamp(keeping, backward, inputs, labels, settings="lambda=infinite")
    assert len(kept) > 2 and all(np.isfinite(x).all() for x in kept)


@pytest.mark.parametrize("where", ["run", "backward", "progress"])
def test_interrupt_keeps_the_best_so_far(where: str) -> None:
    """Ctrl-C, wherever Python happens to be: the fit ends early, nothing is raised, and the result is a clamp."""
    inputs, labels = sensor(3000)
    calls = {"run": 0, "sent": 0}

    def visit(name: str) -> None:
        calls["run"] += name == "run"
        if name == where and calls["run"] > 200 and not calls["sent"]:
            calls["sent"] += 1
            os.kill(os.getpid(), signal.SIGINT)

    def watched_run(x: Any) -> Any:
        visit("run")
        time.sleep(0.001)
        return run(x)

    def watched_backward(g: Any) -> Any:
        visit("backward")
        return backward(g)

    clamp = credence.clamp(watched_run, watched_backward, inputs, labels, batch=64, settings="lambda=0.01",
                           progress=lambda *_: visit("progress"))
    whole = credence.clamp(run, backward, inputs, labels, batch=64, settings="lambda=0.01")
    assert calls["sent"] == 1 and clamp.interrupted and not whole.interrupted
    assert clamp.summary["passes"] < whole.summary["passes"]
    assert clamp.summary["objective"] <= clamp.summary["temperature_objective"] + 1e-9
    assert "interrupted" in repr(clamp)


def test_interrupt_before_anything_is_known() -> None:
    def early(x: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return run(x)

    signals = []
    with pytest.raises(credence.Interrupted):
        credence.clamp(lambda x: early(x) if signals.append(1) or len(signals) == 2 else run(x), backward, *sensor(60),
                       batch=10)


def test_interrupt_twice_ends_the_call() -> None:
    inputs, labels = sensor(300)

    def stubborn(x: Any) -> Any:
        raise KeyboardInterrupt

    calls = []

    def later(x: Any) -> Any:
        calls.append(1)
        return run(x) if len(calls) < 4 else stubborn(x)

    with pytest.raises(KeyboardInterrupt):
        credence.clamp(later, backward, inputs, labels)


def test_threads_at_once() -> None:
    """The functions of several fits take turns with the interpreter's lock."""
    inputs, labels = sensor(300)
    alone = credence.clamp(run, backward, inputs, labels, settings="lambda=0.1")
    found: list[Any] = []
    workers = [threading.Thread(target=lambda: found.append(
        credence.clamp(run, backward, inputs, labels, settings="lambda=0.1"))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [(c.delta == alone.delta).all() and c.temperature == alone.temperature for c in found] == [True] * 3


INPUTS, LABELS = sensor(60)


@pytest.mark.parametrize("change, error, message", [
    ({"settings": "gama=1"}, credence.UsageError, "no setting 'gama'; it has gamma"),
    ({"recipe": "papr"}, credence.UsageError, "paper"),
    ({"select": "x"}, credence.UsageError, "held-out"),
    ({"batch": 0}, credence.UsageError, "batch is 0"),
    ({"labels": LABELS[:-1]}, credence.InputError, ""),
    ({"labels": LABELS + 3}, credence.InputError, "the data has 6 classes"),
    ({"labels": None}, credence.InputError, "no labels"),
    ({"inputs": INPUTS[:0]}, credence.UsageError, "at least one row"),
    ({"inputs": INPUTS[:, 0]}, credence.UsageError, "an array for each row"),
    ({"run": lambda x: run(x)[0]}, credence.UsageError, r"the logits of a batch of 60 rows have the shape \(3,\)"),
    ({"run": lambda x: run(x)[:-1]}, credence.UsageError, "have the shape"),
    ({"run": lambda x: run(x) * np.nan}, credence.NumericError, "not finite"),
    ({"run": lambda x: None}, credence.ArgumentError, "the array of logits is None"),
    ({"backward": lambda g: g}, credence.UsageError, r"gradient with respect to the inputs has the shape \(60, 3\)"),
    ({"backward": lambda g: None}, credence.ArgumentError, "with respect to the inputs is None"),
    ({"progress": 5}, credence.ArgumentError, "progress is 5"),
])
def test_refusals(change: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"run": run, "backward": backward, "inputs": INPUTS, "labels": LABELS, **change}
    with pytest.raises(error, match=message or None) as found:
        credence.clamp(given.pop("run"), given.pop("backward"), given.pop("inputs"), given.pop("labels"), **given)
    assert isinstance(found.value, credence.Error)


def test_outputs_after_a_softmax() -> None:
    def softmax(x: Any) -> Any:
        p = np.exp(run(x))
        return p / p.sum(axis=1, keepdims=True)

    with pytest.warns(credence.DataWarning, match="look like probabilities"):
        credence.clamp(softmax, lambda g: np.zeros(INPUTS[:len(g)].shape, np.float32), INPUTS, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        credence.clamp(run, backward, INPUTS, LABELS)


# ---- Modules.

def trained(shape: tuple[int, ...] = (4,), classes: int = 3, rows: int = 600) -> tuple[Any, Any, Any]:
    """Return an overconfident small network, and other data with an offset."""
    torch.manual_seed(0)
    labels = torch.arange(rows) % classes
    centres = torch.randn(classes, *shape)
    inputs = centres[labels] + 1.2 * torch.randn(rows, *shape)
    if len(shape) == 1:
        model = torch.nn.Sequential(torch.nn.Linear(shape[0], 32), torch.nn.ReLU(), torch.nn.Dropout(0.2),
                                    torch.nn.Linear(32, classes))
    else:
        model = torch.nn.Sequential(torch.nn.Conv2d(shape[0], 6, 3, padding=1), torch.nn.BatchNorm2d(6),
                                    torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(6 * shape[1] * shape[2], classes))
    step = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(120):
        step.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs), labels).backward()
        step.step()
    held = centres[labels] + 1.2 * torch.randn(rows, *shape) + 0.5
    return model, held, labels


@pytest.mark.skipif(not credence.operators(), reason="built without networks (oneDNN)")
def test_inside_its_network(tmp_path: pathlib.Path) -> None:
    inputs, labels = sensor()
    net = credence.Network.build("mlp(hidden=8)", classes=3, shape=(2,), mode="input-gradient", batch=100)
    clamp = credence.clamp(net, net.backward, inputs, labels, batch=100, settings={"lambda": 0.1})
    assert clamp.helps
    inside = clamp.into(net)
    logits = net(inputs + clamp.delta).astype(np.float64) / clamp.temperature
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = inside(inputs)
    assert np.allclose(found["probabilities"], expected, atol=1e-5)
    assert np.array_equal(found["predicted"], expected.argmax(axis=1))
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip(f"no program {PROGRAM} (CREDENCE_PROGRAM)")
    net.save(tmp_path / "net.onnx")
    clamp.save(tmp_path / "clamp.json")
    subprocess.run([PROGRAM, "export", tmp_path / "clamp.json", "--model", tmp_path / "net.onnx", "-o",
                    tmp_path / "both.onnx"], check=True, timeout=60)
    assert clamp.into(tmp_path / "net.onnx").to_bytes() == (tmp_path / "both.onnx").read_bytes()
    with pytest.raises(credence.UsageError, match="nowhere"):
        clamp.into(net, logits="nowhere")


@needs_torch
@pytest.mark.parametrize("shape", [(4,), (2, 5, 5)])
def test_like_the_program(shape: tuple[int, ...], tmp_path: pathlib.Path, program: Callable[..., str]) -> None:
    """The same fit as `credence clamp` on the exported network, up to the float32 of two engines."""
    pytest.importorskip("onnx")
    model, inputs, labels = trained(shape)
    model.eval()
    torch.onnx.export(model, (inputs[:2],), str(tmp_path / "m.onnx"), input_names=["x"], dynamo=False,
                      dynamic_axes={"x": {0: "n"}})
    np.savez(tmp_path / "d.npz", inputs=inputs.numpy(), labels=labels.numpy())
    for settings in ("lambda=0.1", "gamma=1,lambda=1"):
        told = json.loads(program("clamp", tmp_path / "m.onnx", tmp_path / "d.npz", "-o", tmp_path / "c.json", "-q",
                                  "--json", "--set", settings))
        clamped = credence.torch.clamp(model, (inputs, labels), settings=settings)
        about = clamped.summary
        assert about["settings"] == told["settings"]
        assert about["temperature"] == pytest.approx(told["temperature"], rel=2e-3)
        assert about["objective"] == pytest.approx(told["objective"], rel=1e-5)
        assert about["before"]["nll"] == pytest.approx(told["nll_before"], rel=1e-5)
        assert about["after"]["nll"] == pytest.approx(told["nll_after"], rel=1e-3)
        loaded = credence.torch.ClampedModel.load(model, tmp_path / "c.json")
        assert torch.allclose(loaded.delta, clamped.delta, atol=2e-2 * float(clamped.delta.abs().max()))
        assert torch.allclose(loaded(inputs), clamped(inputs), atol=5e-3)
        program("predict", tmp_path / "m.onnx", tmp_path / "d.npz", "--clamp", tmp_path / "c.json", "-q", "-o",
                tmp_path / "p.npz")
        with np.load(tmp_path / "p.npz") as found:
            key = "probabilities" if "probabilities" in found else "logits"
            given = found[key] if key == "probabilities" else softmax(found[key])
        assert np.abs(given - loaded(inputs).detach().numpy()).max() < 1e-5


@needs_torch
def test_modules_stay_as_they_are() -> None:
    model, inputs, labels = trained((2, 5, 5))
    model.train()
    model[1].eval()
    model[0].weight.requires_grad_(False)
    before = copy.deepcopy(model.state_dict())
    modes = [m.training for m in model.modules()], [p.requires_grad for p in model.parameters()]
    with torch.no_grad():
        clamped = credence.torch.clamp(model, torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(inputs, labels), batch_size=77), settings="lambda=0.1")
    assert modes == ([m.training for m in model.modules()], [p.requires_grad for p in model.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(before.values(), model.state_dict().values()))
    clamped.eval()
    wanted = torch.softmax(model(inputs + torch.from_numpy(clamped.clamp.delta)) / clamped.clamp.temperature, dim=1)
    assert torch.allclose(clamped(inputs), wanted, atol=1e-6)
    nll = torch.nn.functional.nll_loss(clamped(inputs).log(), labels).item()
    assert nll == pytest.approx(clamped.summary["after"]["nll"], rel=1e-4)
    assert clamped.summary["after"]["nll"] < clamped.summary["before"]["nll"]


@needs_torch
def test_clamped_model(tmp_path: pathlib.Path) -> None:
    model, inputs, labels = trained()
    clamped = credence.torch.clamp(model, [(inputs, labels, torch.ones(600))], settings="lambda=0.1").eval()
    clamped.save(tmp_path / "c.json")
    for other in (copy.deepcopy(clamped), pickle.loads(pickle.dumps(clamped)),
                  credence.torch.ClampedModel.load(model, tmp_path / "c.json").eval()):
        assert torch.equal(other(inputs), clamped(inputs)) and torch.equal(other.logits(inputs), clamped.logits(inputs))
    assert {"delta", "temperature"} < set(clamped.state_dict()) and "delta" in repr(clamped)
    double = credence.torch.clamp(copy.deepcopy(model).double(), (inputs, labels), settings="lambda=0.1").eval()
    assert double.clamp.temperature == pytest.approx(clamped.clamp.temperature, rel=1e-3)
    assert double(inputs.double()).dtype == torch.float64


@needs_torch
def test_integer_inputs() -> None:
    """Pixels of bytes: the perturbation keeps its fractions and its sign, as in the fit."""
    torch.manual_seed(2)
    pixels, labels = torch.randint(0, 4, (60, 4), dtype=torch.uint8), torch.arange(60) % 3
    clamped = credence.torch.clamp(torch.nn.Linear(4, 3), (pixels, labels), settings="lambda=0.1")
    assert clamped.delta.min() < 0 and clamped.delta.frac().any()
    for dtype in (torch.uint8, torch.int8, torch.int64):
        assert torch.equal(clamped(pixels.to(dtype)), clamped(pixels.float()))
    nll = torch.nn.functional.nll_loss(clamped(pixels).log(), labels).item()
    assert nll == pytest.approx(clamped.summary["after"]["nll"], rel=1e-4)


@needs_torch
def test_module_failures() -> None:
    model, inputs, labels = trained(rows=60)

    class Failing(torch.nn.Module):
        calls = 0

        def forward(self, x: Any) -> Any:
            Failing.calls += 1
            if Failing.calls > 3:
                raise RuntimeError("the module failed")
            return model(x)

    with pytest.raises(RuntimeError, match="the module failed"):
        credence.torch.clamp(Failing(), (inputs, labels))
    with pytest.raises(credence.UsageError, match="the loader has no batches"):
        credence.torch.clamp(model, [])
    with pytest.raises(credence.ArgumentError, match=r"shape \(4, 3\), expected class indices: .* labels.argmax"):
        credence.torch.clamp(torch.nn.Linear(2, 3), [(torch.zeros(4, 2), torch.eye(3)[[0, 1, 2, 0]])])
    with pytest.raises(credence.UsageError, match=r"\(4, 1\), expected those of all classes"):
        credence.torch.clamp(torch.nn.Linear(2, 1), [(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]))])
    with pytest.raises(credence.ArgumentError, match="a batch is of the type Tensor"):
        credence.torch.clamp(model, torch.utils.data.DataLoader(inputs))
    data = torch.utils.data.TensorDataset(inputs, labels)
    for single in (data, torch.utils.data.TensorDataset(inputs, labels[:, None]), list(data), list(zip(inputs, range(60))),
                   torch.utils.data.Subset(data, range(9)), torch.utils.data.DataLoader(data, batch_size=None)):
        with pytest.raises(credence.ArgumentError, match=r"single samples, expected batches: .*DataLoader\(dataset, batch_"):
            credence.torch.clamp(model, single)

    class Batches(torch.utils.data.IterableDataset[Any]):
        def __iter__(self) -> Any:
            return iter(torch.utils.data.DataLoader(data, batch_size=20))

    assert torch.equal(credence.torch.clamp(model, Batches()).delta, credence.torch.clamp(model, (inputs, labels)).delta)
    with pytest.raises(RuntimeError):
        credence.torch.clamp(model, (inputs[:, :2], labels))
    assert model.training and all(p.requires_grad for p in model.parameters())


@needs_torch
def test_interrupted_module() -> None:
    model, inputs, labels = trained()
    calls = []

    class Slow(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            calls.append(1)
            if len(calls) == 60:
                os.kill(os.getpid(), signal.SIGINT)
            return model(x)

    assert credence.torch.clamp(Slow(), (inputs, labels), settings="lambda=0.01").clamp.interrupted
