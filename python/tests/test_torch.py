"""PyTorch: losses with gradients, calibrated models, metrics."""
from __future__ import annotations

import copy
import io
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

import credence

torch = pytest.importorskip("torch", minversion="2.0")
import credence.torch  # noqa: E402

LOSSES = sorted(credence.losses())
ROWS, CLASSES = 24, 4


def batch(seed: int = 0, dtype: Any = torch.float64, rows: int = ROWS, classes: int = CLASSES) -> tuple[Any, Any]:
    random = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(rows, classes, generator=random, dtype=torch.float64)
    return logits.to(dtype).requires_grad_(), torch.randint(0, classes, (rows,), generator=random)


def history_of(name: str) -> dict[str, Any]:
    if not credence.losses()[name]["history"]:
        return {}
    return {"history": torch.arange(ROWS) % 5, "epochs": 5}


# ---- Losses.

@pytest.mark.parametrize("name", LOSSES)
def test_gradcheck(name: str) -> None:
    """In double precision, at random points. Losses with corners (dca and mdca at equal means, crl and the confidence
    of all others at equal logits) have them on sets of measure 0, and none lies within gradcheck's step of these
    points; no loss of the table is cut into bins: soft-ece has soft ones."""
    logits, labels = batch()
    loss = credence.torch.Loss(name, class_counts=[10, 20, 30, 40])
    weights = torch.rand(ROWS, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    given = history_of(name)
    assert torch.autograd.gradcheck(lambda z: loss(z, labels, **given), (logits,), atol=1e-6)
    assert torch.autograd.gradcheck(lambda z: 3 * loss(z, labels, weights, **given).square(), (logits,), atol=1e-6)
    if credence.losses()[name]["soft_targets"]:
        shares = torch.softmax(torch.randn(ROWS, CLASSES, dtype=torch.float64), dim=1)
        assert torch.autograd.gradcheck(lambda z: loss(z, shares, **given), (logits,), atol=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_same_bits_as_numpy(name: str) -> None:
    for dtype in (torch.float32, torch.float64):
        logits, labels = batch(2, dtype)
        given = history_of(name)
        loss = credence.torch.Loss(name, class_counts=[1, 2, 3, 4])
        value = loss(logits, labels, **given)
        value.backward()
        plain = credence.Loss(name, class_counts=[1, 2, 3, 4])(
            logits.detach().numpy(), labels.numpy(), **{k: np.asarray(v) for k, v in given.items()})
        assert value.dtype == dtype and value.dim() == 0
        assert value.item() == torch.tensor(plain.value, dtype=dtype).item()
        assert (logits.grad.numpy() == plain.gradient).all()
        assert loss.terms(logits, labels, **given) == plain.terms


def test_like_cross_entropy() -> None:
    """Values and gradients of PyTorch's own loss: ignored rows, class weights, images, single rows, sums."""
    ours, theirs = credence.torch.Loss("ce"), torch.nn.CrossEntropyLoss()
    random = torch.Generator().manual_seed(3)
    pictures = torch.randn(2, CLASSES, 3, 5, generator=random, dtype=torch.float64, requires_grad=True)
    marks = torch.randint(0, CLASSES, (2, 3, 5), generator=random)
    marks[0, 1] = -100
    logits, labels = batch(4)
    shares = torch.softmax(torch.randn(2, CLASSES, 3, 5, generator=random, dtype=torch.float64), dim=1)
    summed = credence.torch.Loss("ce", reduction="sum"), torch.nn.CrossEntropyLoss(reduction="sum")
    smooth = credence.torch.Loss("label-smoothing(epsilon=0.1)"), torch.nn.CrossEntropyLoss(label_smoothing=0.1)
    for (mine, other), z, y in [((ours, theirs), logits, labels), ((ours, theirs), pictures, marks), (summed, logits, labels),
                                ((ours, theirs), pictures, shares), ((ours, theirs), logits[0], labels[0]),
                                ((ours, theirs), logits[0], shares[0, :, 0, 0]), (smooth, logits, labels)]:
        found, wanted = mine(z, y), other(z, y)
        assert found.item() == pytest.approx(wanted.item(), rel=1e-12)
        gradients = [torch.autograd.grad(value, z)[0] for value in (found, wanted)]
        assert torch.allclose(*gradients, rtol=1e-10, atol=1e-14)


def test_layouts_without_copy() -> None:
    """Any strides are read in place; the tensors stay as they are."""
    logits, labels = batch()
    loss = credence.torch.Loss("focal")
    wide = logits.detach().repeat(1, 2)
    before = wide.clone()
    for view in (wide[:, :CLASSES], wide.t().contiguous().t()[:, CLASSES:], logits.detach().flip(0).flip(0),
                 torch._neg_view(-logits.detach())):
        assert loss(view, labels).item() == loss(logits, labels).item()
    assert loss(logits, labels.repeat_interleave(3)[::3].to(torch.int32)).item() == loss(logits, labels).item()
    assert torch.equal(wide, before)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype: Any) -> None:
    logits, labels = batch(5, dtype)
    value = credence.torch.Loss("ce + dca")(logits, labels)
    value.backward()
    wide = logits.detach().float().requires_grad_()
    wanted = credence.torch.Loss("ce + dca")(wide, labels)
    wanted.backward()
    assert value.dtype == torch.float32 and value.item() == wanted.item()
    assert logits.grad.dtype == dtype and torch.equal(logits.grad, wide.grad.to(dtype))


def test_autocast_and_scaler() -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(5, CLASSES)
    inputs, (_, labels) = torch.randn(ROWS, 5), batch()
    gradients = []
    for loss in (credence.torch.Loss("ce"), torch.nn.CrossEntropyLoss()):
        model.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            value = loss(model(inputs), labels)
        assert value.dtype == torch.float32
        (1024 * value).backward()
        gradients.append(model.weight.grad.clone())
    assert torch.allclose(*gradients, rtol=2e-2, atol=1.0)


def test_double_backward_is_refused() -> None:
    logits, labels = batch()
    value = credence.torch.Loss("ce")(logits, labels)
    slope, = torch.autograd.grad(value, logits, create_graph=True)
    with pytest.raises(credence.UnsupportedError, match="no second derivatives"):
        (slope.square().sum() + logits.sum()).backward()


def test_no_gradient_wanted() -> None:
    logits, labels = batch()
    loss = credence.torch.Loss("ce")
    with torch.no_grad():
        assert not loss(logits, labels).requires_grad
    assert not loss(logits.detach(), labels).requires_grad


def test_training() -> None:
    """The loss falls; a step with ce is PyTorch's own step with its cross-entropy."""
    torch.manual_seed(1)
    inputs = torch.randn(200, 6)
    labels = (inputs[:, 0] > 0).long() + (inputs[:, 1] > 0).long()
    model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    twin = copy.deepcopy(model)
    for net, loss in ((model, credence.torch.Loss("ce")), (twin, torch.nn.CrossEntropyLoss())):
        step = torch.optim.SGD(net.parameters(), lr=0.1)
        loss(net(inputs), labels).backward()
        step.step()
    for ours, theirs in zip(model.parameters(), twin.parameters()):
        assert torch.allclose(ours, theirs, rtol=0, atol=1e-6)
    loss = credence.torch.Loss("focal(gamma=1) + 0.5*mdca")
    step = torch.optim.Adam(model.parameters(), lr=0.01)
    values = []
    for _ in range(60):
        step.zero_grad()
        value = loss(model(inputs), labels)
        value.backward()
        step.step()
        values.append(value.item())
    assert values[-1] < 0.3 * values[0]


def test_module() -> None:
    loss = credence.torch.Loss("weighted-ce", class_counts=torch.tensor([1, 2, 3, 4]), ignore_index=3)
    assert repr(loss) == "Loss('weighted-ce', class_counts=(1.0, 2.0, 3.0, 4.0), ignore_index=3)"
    assert not loss.state_dict() and not list(loss.parameters()) and loss.expression == "weighted-ce"
    logits, labels = batch()
    stored = io.BytesIO()
    torch.save(loss, stored)
    stored.seek(0)
    for other in (pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss), torch.load(stored, weights_only=False)):
        assert other(logits, labels).item() == loss(logits, labels).item()
    assert all(f"- ``{name}``: " in (credence.torch.Loss.__doc__ or "") for name in LOSSES)


def test_weights_of_images() -> None:
    """Weights and histories have the shape of class indices, with or without a dimension of 1 for the classes."""
    random = torch.Generator().manual_seed(3)
    logits, marks = torch.randn(2, 3, 4, 5, generator=random), torch.randint(0, 3, (2, 4, 5), generator=random)
    weights = torch.rand(2, 4, 5, generator=random)
    loss, rows = credence.torch.Loss("ce"), logits.movedim(1, -1).reshape(-1, 3)
    wanted = loss(rows, marks.reshape(-1), weights.reshape(-1)).item()
    assert loss(logits, marks, weights).item() == loss(logits, marks, weights.unsqueeze(1)).item() == wanted
    assert loss(rows, marks.reshape(-1), weights.reshape(-1, 1)).item() == wanted
    one = loss(rows[0], marks[0, 0, 0])
    assert loss(rows[0], marks[0, 0, 0], torch.tensor(2.0)) == loss(rows[0], marks[0, 0, 0], torch.tensor([2.0])) == one
    for other in (weights.movedim(0, -1), weights.reshape(-1), weights.reshape(2, 20), torch.ones(())):
        with pytest.raises(credence.UsageError, match=r"shape of weights is \(.*\), expected \(2, 4, 5\)"):
            loss(logits, marks, other)
    with pytest.raises(credence.UsageError, match=r"shape of history is \(4, 5, 2\), expected \(2, 4, 5\)"):
        credence.torch.Loss("crl")(logits, marks, history=torch.ones(4, 5, 2), epochs=2)


def test_loss_refusals() -> None:
    logits, labels = batch()
    loss = credence.torch.Loss("ce")
    for arguments, message in [
        ((logits.to("meta"), labels), r"logits is on the device 'meta'.*pass logits\.cpu\(\)"),
        ((logits, labels.to("meta")), r"pass targets\.cpu\(\)"),
        ((logits, labels[:-1]), r"targets have the shape \(23,\), expected \(24,\) class indices or \(24, 4\)"),
        ((logits, labels[:, None]), r"targets have the shape \(24, 1\)"),
        ((logits.detach().numpy(), labels), "expected a tensor"),
        ((logits * float("inf"), labels), "row 0, class 0"),
        ((logits, labels + 4), "labels row 0"),
        ((logits, labels, torch.ones(3)), r"weights is \(3,\), expected \(24,\)"),
        ((logits.to_sparse(), labels), "logits"),
        ((logits.to(torch.complex64), labels), "logits"),
        ((logits[:0], labels[:0]), "0 x 4"),
        ((logits[:, :1], labels), r"pad\(logits, \(1, 0\)\) makes both"),
    ]:
        with pytest.raises(credence.Error, match=message):
            loss(*arguments)


# ---- Calibrated models.

def scores(kind: str, classes: int, rows: int = 400) -> tuple[Any, Any]:
    random = np.random.default_rng(classes)
    labels = random.integers(0, classes, rows)
    logits = random.normal(size=(rows, classes))
    logits[np.arange(rows), labels] += 1
    logits *= 2.5
    if kind == "logits":
        return logits, labels
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities = powers / powers.sum(axis=1, keepdims=True)
    if kind == "rounded":  # exact zeros, which are floored
        probabilities = np.round(probabilities, 2)
        probabilities[np.arange(rows), probabilities.argmax(axis=1)] += 1 - probabilities.sum(axis=1)
    return probabilities, labels


VARIANTS = [(method, settings) for method in credence.methods() if method != "density-ratio"
            for settings in [None, *({"scope": "top-1"} for s in credence.methods()[method]["settings"]
                                     if s["name"] == "scope")]]


@pytest.mark.parametrize("method, settings", VARIANTS)
def test_every_method(method: str, settings: Any) -> None:
    """Every method, on logits and probabilities of two and of four classes."""
    for kind in ("logits", "probabilities", "rounded"):
        for classes in (2, 4):
            given, labels = scores(kind, classes)
            calibrator = credence.fit(method, given, labels, settings=settings)
            model = credence.torch.CalibratedModel(torch.nn.Identity(), calibrator)
            found = model(torch.from_numpy(given))
            assert found.dtype == torch.float64
            assert np.abs(found.numpy() - calibrator(given)).max() <= 1e-12, (kind, classes)
            single = given.astype(np.float32)
            found = model(torch.from_numpy(single))
            assert found.dtype == torch.float32
            assert np.abs(found.numpy() - calibrator(single)).max() <= 1e-6, (kind, classes)
            wide = model(torch.from_numpy(given).reshape(4, -1, classes))
            assert torch.equal(wide.reshape(-1, classes), model(torch.from_numpy(given)))


@pytest.mark.parametrize("method, settings", VARIANTS)
@pytest.mark.parametrize("kind", ["logits", "probabilities", "rounded"])
def test_one_score(method: str, settings: Any, kind: str) -> None:
    """Networks with one output for two classes, as those trained with binary cross-entropy."""
    given, labels = scores(kind, 2)
    one = given[:, 1] - given[:, 0] if kind == "logits" else given[:, 1]
    calibrator = credence.fit(method, one, labels, settings=settings, input="logits" if kind == "logits" else "probabilities")
    model = credence.torch.CalibratedModel(torch.nn.Identity(), calibrator)
    for column in (one, one.astype(np.float32)):
        found = model(torch.from_numpy(column[:, None]))
        wanted = calibrator(column, input="logits" if kind == "logits" else "probabilities")
        assert found.shape == wanted.shape == (400, 2) and found.dtype == torch.from_numpy(column).dtype
        assert np.abs(found.numpy() - wanted).max() <= (1e-12 if column is one else 1e-6)
    with pytest.raises(credence.UsageError, match="the score of class 1"):
        model(torch.from_numpy(one))


@pytest.mark.parametrize("method", ["temperature", "platt", "beta", "isotonic", "histogram", "spline"])
def test_confidences(method: str) -> None:
    random = np.random.default_rng(0)
    confidence = random.uniform(0, 1, 500)
    confidence[:5] = 0, 1, 1e-17, 0.5, 1 - 1e-16
    calibrator = credence.fit(method, confidence, correct=random.uniform(size=500) < confidence**2, input="confidence")
    model = credence.torch.CalibratedModel(torch.nn.Identity(), calibrator)
    wanted = calibrator(confidence, input="confidence").reshape(-1)
    assert np.abs(model(torch.from_numpy(confidence)).numpy() - wanted).max() <= 1e-12
    inside = credence.fit(method, confidence[5:], correct=random.uniform(size=495) < 0.5, input="confidence")
    model = credence.torch.CalibratedModel(torch.nn.Identity(), inside).float()
    wanted = inside(confidence[:5], input="confidence").reshape(-1)
    assert np.abs(model(torch.from_numpy(confidence[:5])).numpy() - wanted).max() <= 1e-5


@pytest.mark.parametrize("method, settings", VARIANTS)
def test_gradients_of_maps(method: str, settings: Any) -> None:
    """Gradients are finite, also where two classes are equal or one is certain, and right where the map is smooth."""
    given, labels = scores("logits", 3)
    model = credence.torch.CalibratedModel(torch.nn.Identity(), credence.fit(method, given, labels, settings=settings))
    edges = torch.tensor([[0.0, 0, 0], [800, -800, 0], [5, 5, -5], [-3, 40, 1]], dtype=torch.float64, requires_grad=True)
    model(edges).square().sum().backward()
    assert torch.isfinite(edges.grad).all()
    between = 2 * torch.randn(6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(9))  # not on knots
    assert torch.autograd.gradcheck(model, (between.requires_grad_(),), eps=1e-7, atol=1e-5)


class Net(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, classes: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.Tanh(), torch.nn.Linear(16, classes))

    def forward(self, x: Any) -> Any:
        return self.layers(x)


class Exact(torch.nn.Module):  # type: ignore[misc]
    """Every runtime computes its scores with the same bits, so that steps of a map are met by none and all."""

    def forward(self, x: Any) -> Any:
        return x.flip(-1)


# The exporter of torch.export takes seconds: one method for each operation and kind of event.
SLOWLY = [(method, settings, True) for method, settings in [
    ("temperature", None), ("vector", None), ("matrix", None), ("ensemble-temperature", None),
    ("intra-order-preserving", None), ("platt", {"scope": "top-1"}), ("beta", None), ("isotonic-joint", None),
    ("imax", None), ("histogram", None), ("structured-matrix", None), ("scaling-binning", None)]]


def operations(method: str, settings: Any) -> set[str]:
    given, labels = scores("probabilities", 3)
    about = json.loads(credence.fit(method, given, labels, settings=settings)._core.export("json"))
    return {about["reach"], *(step["op"] for step in about["steps"])}


def test_every_operation_is_exported_slowly() -> None:
    found = [operations(method, settings) for method, settings in VARIANTS]
    slowly = [operations(method, settings) for method, settings, _ in SLOWLY]
    assert set().union(*found) == set().union(*slowly)


def run_onnx(model: Any, inputs: Any, dynamo: bool, path: str) -> Any:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript" if dynamo else "onnx")
    shapes: dict[str, Any] = {"dynamic_axes": {"x": {0: "n"}}} if not dynamo else {
        "dynamic_shapes": ({0: torch.export.Dim("n")},)}
    torch.onnx.export(model.eval(), (inputs[:7],), path, input_names=["x"], output_names=["p"], dynamo=dynamo, **shapes)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["p"], {"x": inputs.numpy()})[0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("method, settings, dynamo", [(*each, False) for each in VARIANTS] + SLOWLY)
def test_onnx(method: str, settings: Any, dynamo: bool, tmp_path: pathlib.Path) -> None:
    """Exported by both exporters, ONNX Runtime computes the same for rows in any number."""
    for kind, classes in (("probabilities", 3),) if dynamo else (("logits", 2), ("probabilities", 3)):
        given, labels = scores(kind, classes)
        calibrator = credence.fit(method, given, labels, settings=settings)
        inputs = 2 * torch.randn(300, classes, generator=torch.Generator().manual_seed(1))
        inputs = inputs if kind == "logits" else torch.softmax(inputs, dim=1)
        model = credence.torch.CalibratedModel(Exact(), calibrator)
        found = run_onnx(model, inputs, dynamo, str(tmp_path / f"{classes}.onnx"))
        assert np.abs(found - model(inputs).numpy()).max() <= 1e-6
        assert np.abs(found - calibrator(Exact()(inputs), input=kind)).max() <= 1e-6


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("dynamo", [False, True])
def test_onnx_of_a_network(dynamo: bool, tmp_path: pathlib.Path) -> None:
    given, labels = scores("logits", 3)
    model = credence.torch.CalibratedModel(Net(3), credence.fit("matrix", given, labels))
    inputs = torch.randn(50, 5)
    found = run_onnx(model, inputs, dynamo, str(tmp_path / "net.onnx"))
    assert np.abs(found - model(inputs).detach().numpy()).max() <= 1e-6


def test_calibrated_model() -> None:
    given, labels = scores("logits", 3)
    calibrator = credence.fit("temperature", given, labels)
    model = credence.torch.CalibratedModel(Net(3), calibrator)
    inputs = torch.randn(9, 5)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(other(inputs), model(inputs))
    fresh = credence.torch.CalibratedModel(Net(3), credence.fit("temperature", 2 * given, labels))
    fresh.load_state_dict(model.state_dict())
    assert torch.equal(fresh(inputs), model(inputs))
    assert model.float()(inputs).dtype == torch.float32
    assert torch.allclose(model(inputs), fresh(inputs), atol=1e-6)
    half = credence.torch.CalibratedModel(torch.nn.Identity(), calibrator)(torch.randn(2, 3).half())
    assert half.dtype == torch.float16 and "temperature" in repr(model)
    assert (model(inputs).sum().backward(), model.model.layers[0].weight.grad)[1] is not None

    class Named(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return type("Output", (), {"logits": x})()

    assert torch.equal(credence.torch.CalibratedModel(Named(), calibrator)(inputs[:, :3]).argmax(1),
                       inputs[:, :3].argmax(1))


@pytest.mark.parametrize("method, settings", VARIANTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_converted(method: str, settings: Any, dtype: Any) -> None:
    """The map of a converted model is computed in float32, and rounded to the type of its output. The rows are other
    than those of the fit, and half precision keeps them off round numbers: there maps have their steps. Exact zeros
    may be new to the calibrator."""
    for kind, other, classes in (("logits", "logits", 2), ("logits", "logits", 4), ("probabilities", "probabilities", 3),
                                 ("probabilities", "rounded", 3), ("rounded", "rounded", 3)):
        given, labels = scores(kind, classes)
        calibrator = credence.fit(method, given[:200], labels[:200], settings=settings)
        model = credence.torch.CalibratedModel(torch.nn.Identity(), calibrator).to(dtype)
        rows = torch.from_numpy(scores(other, classes)[0][200:]).half().to(dtype)
        found = model(rows)
        wanted = calibrator(rows.double().numpy(), input="logits" if kind == "logits" else "probabilities")
        assert found.dtype == dtype
        limit = max(2e-3, torch.finfo(dtype).eps / 2)  # half the last digit of bfloat16
        assert np.abs(found.double().numpy() - wanted).max() <= limit, (kind, other, classes)


def test_conversions() -> None:
    """Tables are converted from what they were, never by way of half precision, and move with the model."""
    given, labels = scores("logits", 3)
    calibrator = credence.fit("isotonic", given, labels)
    model = credence.torch.CalibratedModel(Net(3), calibrator)
    exact = {name: table.clone() for name, table in model.calibrate.state_dict().items()}

    def tables(dtype: Any) -> bool:
        return all(torch.equal(found, exact[name].to(dtype) if found.is_floating_point() else exact[name])
                   and found.dtype == (dtype if found.is_floating_point() else torch.int64)
                   for name, found in model.calibrate.state_dict().items())

    assert tables(torch.float64)
    for convert in ("float", "half", "bfloat16"):
        model = getattr(credence.torch.CalibratedModel(Net(3), calibrator), convert)()
        assert tables(torch.float32)
        assert model(torch.zeros(2, 5, dtype=model.model.layers[0].weight.dtype)).isfinite().all()
    assert {table.dtype for table in model.double().calibrate.state_dict().values()} == {torch.float64, torch.int64}
    model = credence.torch.CalibratedModel(Net(3), calibrator).type(torch.float16)
    assert tables(torch.float32)
    away = copy.deepcopy(model).to("meta", torch.bfloat16)
    assert all(table.is_meta for table in away.state_dict().values())
    assert {table.dtype for table in away.calibrate.state_dict().values()} == {torch.float32, torch.int64}
    assert away.to_empty(device="cpu").calibrate.floor.device.type == "cpu"
    fresh = credence.torch.CalibratedModel(Net(3), credence.fit("isotonic", given, labels)).half()
    fresh.load_state_dict(model.state_dict())
    inputs = torch.randn(9, 5).half()
    assert torch.equal(fresh(inputs), model(inputs)) and fresh(inputs).dtype == torch.float16


def test_integer_outputs() -> None:
    """Votes, or rounded logits: the probabilities are floating point."""
    given, labels = scores("logits", 3)
    calibrator = credence.fit("temperature", given, labels)
    model = credence.torch.CalibratedModel(torch.nn.Identity(), calibrator)
    votes = torch.from_numpy(given).round().int()
    assert model(votes).dtype == torch.get_default_dtype() == torch.float32
    assert np.abs(model(votes).numpy() - calibrator(votes.double().numpy(), input="logits")).max() <= 1e-6


@pytest.mark.parametrize("method, settings", VARIANTS)
def test_missing_scores(method: str, settings: Any) -> None:
    """A row with a NaN is NaN throughout, and the others are as without it."""
    for kind, classes in (("logits", 2), ("logits", 3), ("probabilities", 3)):
        given, labels = scores(kind, classes)
        model = credence.torch.CalibratedModel(torch.nn.Identity(), credence.fit(method, given, labels, settings=settings))
        rows = torch.from_numpy(given)
        wanted = model(rows)
        rows[0, 0] = rows[1, 1] = rows[2] = torch.nan
        found = model(rows)
        assert found[:3].isnan().all() and torch.equal(found[3:], wanted[3:]), (kind, classes)


def test_calibrated_model_refusals() -> None:
    given, labels = scores("logits", 3)
    calibrator = credence.fit("temperature", given, labels)
    with pytest.raises(credence.UsageError, match=r"shape \(2, 4\), and the calibrator 3 classes"):
        credence.torch.CalibratedModel(torch.nn.Identity(), calibrator)(torch.zeros(2, 4))
    with pytest.raises(credence.ArgumentError, match="expected a credence.Calibrator"):
        credence.torch.CalibratedModel(torch.nn.Identity(), "temperature")  # type: ignore[arg-type]
    with pytest.raises(credence.ArgumentError, match="of the type tuple"):
        credence.torch.CalibratedModel(torch.nn.LSTM(3, 3), calibrator)(torch.zeros(2, 3))
    unsaid = credence.fit("density-ratio", given, labels, features=given)
    with pytest.raises(credence.UsageError, match="density-ratio cannot be exported: it has no closed formula"):
        credence.torch.CalibratedModel(torch.nn.Identity(), unsaid)


# ---- Metrics.

def test_metric() -> None:
    """Batches in any order and split have the bits of one evaluation."""
    given, labels = scores("logits", 4)
    rows, targets = torch.from_numpy(given), torch.from_numpy(labels)
    wanted = credence.evaluate(given, labels, metrics="ece,nll", resamples=0)
    metric = credence.torch.Metric("ece")
    several = credence.torch.Metric(["ece", "nll"])
    for part in torch.randperm(400, generator=torch.Generator().manual_seed(0)).split(37):
        metric.update(rows[part], targets[part])
        one = metric(rows[:0], targets[:0]) if not len(part) else several(rows[part], targets[part])
        alone = credence.evaluate(given[part.numpy()], labels[part.numpy()], metrics="ece", resamples=0).ece
        assert one["ece"].item() == alone
    assert metric.compute().item() == wanted.ece and several.compute()["nll"].item() == wanted.nll
    assert metric.result().rows == 400
    metric.reset()
    assert torch.isnan(metric.compute()) and "0 rows" in repr(metric)


def test_metric_merge() -> None:
    given, labels = scores("probabilities", 3)
    rows, targets = torch.from_numpy(given).float(), torch.from_numpy(labels)
    parts = [credence.torch.Metric("ece", part=i, resamples=20) for i in range(3)]
    for metric, z, y in zip(parts, rows.split(150), targets.split(150)):
        metric.update(z, y)
    whole = pickle.loads(pickle.dumps(parts[0])).to("cpu")
    assert whole.merge_state(parts[1:]) is whole
    wanted = credence.evaluate(given.astype(np.float32), labels, metrics="ece", resamples=0)
    assert whole.compute().item() == wanted.ece and whole.result().rows == 400
    assert copy.deepcopy(whole).merge_state([]).compute().item() == wanted.ece
    other_way = copy.deepcopy(parts[2]).merge_state(parts[1]).merge_state(parts[0])
    assert other_way.result().to_json() == whole.result().to_json()
    with pytest.raises(credence.ArgumentError, match="expected credence.torch.Metric"):
        whole.merge_state([5])  # type: ignore[list-item]


def test_metric_of_processes(tmp_path: pathlib.Path) -> None:
    """Each process of torch.distributed has a part of the rows; all end with the value of the whole."""
    given, labels = scores("logits", 3)
    np.savez(tmp_path / "rows.npz", logits=given, labels=labels)
    script = textwrap.dedent("""
        import sys, numpy as np, torch, credence.torch
        from torch import distributed
        rank, folder = int(sys.argv[1]), sys.argv[2]
        distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
        rows = np.load(f"{folder}/rows.npz")
        metric = credence.torch.Metric("ece", part=rank)
        for z, y in zip(rows["logits"][rank::2].reshape(10, 20, -1), rows["labels"][rank::2].reshape(10, 20)):
            metric.update(torch.from_numpy(z), torch.from_numpy(y))
        gathered = [None, None]
        distributed.all_gather_object(gathered, metric)
        print(gathered[0].merge_state(gathered[1:]).compute().item())
        distributed.destroy_process_group()
    """)
    started = [subprocess.Popen([sys.executable, "-c", script, str(rank), str(tmp_path)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"})
               for rank in range(2)]
    wanted = credence.evaluate(given, labels, metrics="ece", resamples=0).ece
    for process in started:
        found, messages = process.communicate(timeout=120)
        assert process.returncode == 0, messages
        assert float(found) == wanted


def test_metric_inputs() -> None:
    given, labels = scores("logits", 3)
    rows, targets = torch.from_numpy(given), torch.from_numpy(labels)
    marked = targets.clone()
    marked[::5] = -100
    metric = credence.torch.Metric("accuracy")
    metric.update(rows.requires_grad_(), marked)
    kept = marked != -100
    assert metric.compute().item() == credence.evaluate(given[kept], labels[kept], metrics="accuracy", resamples=0).accuracy
    pictures = rows.detach().reshape(8, 50, 3).movedim(2, 1)
    metric.reset()
    metric.update(pictures.bfloat16(), targets.reshape(8, 50))
    assert metric.result().rows == 400
    binary = credence.torch.Metric("brier", input="probabilities", binary="pos")
    binary.update(torch.tensor([0.2, 0.9]), torch.tensor([0, 1]), torch.tensor([1.0, 2.0]))
    assert binary.compute().item() == pytest.approx(2 * (0.04 + 0.01 * 2) / 3)
    with pytest.raises(credence.ArgumentError, match="expected a tensor"):
        metric.update(given, labels)
    with pytest.raises(credence.UsageError):
        credence.torch.Metric("eec")


@pytest.mark.parametrize("preds, target", [
    ((6,), (6,)), ((6,), (6, 1)), ((6, 1), (6,)), ((6, 1), (6, 1)), ((6, 2), (6,)), ((6, 2), (6, 1)), ((1, 2), (1,)),
    ((2, 3, 4, 5), (2, 4, 5)), ((2, 3, 4, 5), (2, 1, 4, 5)), ((2, 3, 1), (2, 1)), ((6, 2, 1), (6, 1, 1)),
])
def test_metric_shapes(preds: Any, target: Any) -> None:
    random = torch.Generator().manual_seed(0)
    scores, labels = torch.rand(preds, generator=random), torch.randint(0, 2, target, generator=random)
    weights = torch.rand(target, generator=random)
    metric = credence.torch.Metric("nll", input="logits")
    rows = scores if len(preds) < 3 else scores.movedim(1, -1).reshape(-1, preds[1])
    assert metric(scores, labels, weights) == metric(rows, labels.reshape(-1), weights.reshape(-1))


@pytest.mark.parametrize("preds, wrong, right", [
    ((6, 2), (2, 3), (6,)), ((6, 2), (6, 2), (6,)), ((6, 2), (1, 6), (6,)), ((6, 2), (5,), (6,)), ((6,), (2, 3), (6,)),
    ((6,), (1, 6), (6,)), ((1, 2), (), (1,)), ((6, 1), (2, 3), (6,)), ((2, 3, 4, 5), (4, 5, 2), (2, 4, 5)),
    ((2, 3, 4, 5), (40,), (2, 4, 5)), ((2, 3, 4, 5), (2, 4, 5, 1), (2, 4, 5)),
])
def test_metric_refuses_shapes(preds: Any, wrong: Any, right: Any) -> None:
    """The same number of values in another shape is another order, or a mistake."""
    metric = credence.torch.Metric("accuracy")
    for name, target, weights in (("target", wrong, right), ("weights", right, wrong)):
        expected = re.escape(f"the shape of {name} is {wrong}, expected {right}")
        with pytest.raises(credence.UsageError, match=expected):
            metric(torch.rand(preds), torch.zeros(target, dtype=torch.int64), torch.ones(weights))
    assert torch.isnan(metric.compute())


def test_import_is_lazy() -> None:
    subprocess.run([sys.executable, "-c", "import credence, sys; assert 'torch' not in sys.modules"], check=True)


@pytest.mark.parametrize("missing", ["torch", "torch.func"])
def test_without_pytorch(missing: str) -> None:
    """Neither without PyTorch nor with one before 2.0, which lacks torch.func."""
    import subprocess
    import sys
    script = f"import sys; sys.modules[{missing!r}] = None\nimport credence.torch"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode and "ImportError: credence.torch needs PyTorch 2.0 or newer" in run.stderr


@pytest.mark.parametrize(("call", "error", "fragment"), [
    (lambda: credence.torch.Loss("ce")(None, torch.tensor([0])), credence.ArgumentError, "logits is None"),
    (lambda: credence.torch.Loss("ce")(torch.zeros(1, 2), [0] * 1000), credence.ArgumentError, "targets is"),
    (lambda: credence.torch.Metric(part="x"), credence.ArgumentError, "part is 'x'"),
    (lambda: credence.torch.Metric(part=-1), credence.UsageError, "part -1"),
    (lambda: credence.torch.Metric(ignore_index=2 ** 70), credence.UsageError, "ignore_index is"),
    (lambda: credence.torch.Metric().merge_state([1]), credence.ArgumentError, "others contains 1"),
    (lambda: credence.torch.Metric().merge_state(3), credence.ArgumentError, "others cannot be read"),
    (lambda: credence.torch.Metric()(torch.tensor(0.5), torch.tensor(1)), credence.UsageError, "no dimensions"),
    (lambda: credence.torch.Loss("ce")(torch.tensor(0.5), torch.tensor(1)), credence.UsageError, "no dimensions"),
    (lambda: credence.torch.ClampedModel(torch.nn.Identity(), 3), credence.ArgumentError, "clamp is 3"),
], ids=range(10))
def test_wrong_arguments(call: Any, error: type[Exception], fragment: str) -> None:
    with pytest.raises(error, match=fragment) as caught:
        call()
    assert len(str(caught.value)) < 300
