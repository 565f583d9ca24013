"""Networks: runs, gradients, surveys and predictions, with the bits of the program."""
from __future__ import annotations

import concurrent.futures
import os
import pathlib
import pickle
import subprocess
import threading
from typing import Any

import numpy as np
import pytest

import credence

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "cli" / "data"
NETWORKS = ROOT / "tests" / "networks"
LOCATED = pathlib.Path(credence.__file__).resolve().parents[3] / "credence"
PROGRAM = os.environ.get("CREDENCE_PROGRAM") or str(LOCATED)
MIXTURE = "synthetic:mixture:train=400,val=400,test=400"

pytestmark = pytest.mark.skipif(not credence.operators(), reason="built without networks (oneDNN)")
needs_program = pytest.mark.skipif(not os.access(PROGRAM, os.X_OK), reason=f"no program {PROGRAM} (CREDENCE_PROGRAM)")

W = np.array([[-0.54, -0.05, 0.11], [-1.53, -0.48, -0.98]], np.float32)
B = np.array([-0.81, 1.06, -0.81], np.float32)


def program(*arguments: object) -> str:
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def linear(**options: Any) -> credence.Network:
    return credence.Network(DATA / "linear.onnx", threads=1, **options)


def rows(count: int, *shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=(count, *shape)).astype(np.float32)


# ---- Running.


def test_ports() -> None:
    net = linear()
    assert net.inputs == [credence.Port("x", "float32", (None, 2))]
    assert net.outputs == [credence.Port("scores", "float32", (None, 3))]
    assert repr(net) == "<Network x float32[?,2] -> scores float32[?,3]; inference>"
    named = credence.Network((DATA / "named.onnx").read_bytes())
    assert named.metadata and named.class_names


@pytest.mark.parametrize("count", [0, 1, 5, 127, 128, 129, 1000])
def test_any_number_of_rows(count: int) -> None:
    net, x = linear(), rows(count, 2)
    found = net(x)
    assert found.shape == (count, 3) and found.dtype == np.float32
    np.testing.assert_allclose(found, x @ W + B, rtol=1e-5, atol=1e-6)


def test_a_fixed_batch_is_padded() -> None:
    net, x = credence.Network(DATA / "both.onnx"), rows(11, 2)
    found = net(x)
    assert sorted(found) == ["logits", "probabilities"] and found["logits"].shape == (11, 3)
    np.testing.assert_allclose(found["probabilities"].sum(axis=1), 1, rtol=1e-6)
    one = np.concatenate([net(x[i:i + 1], output="logits") for i in range(11)])
    np.testing.assert_array_equal(net(x, output="logits"), one)
    with pytest.raises(credence.UsageError, match="no output is called 'logit'; the model has: logits probabilities"):
        net(x, output="logit")
    with pytest.raises(credence.UsageError, match="batch is 5, but the model takes batches of 4"):
        credence.Network(DATA / "both.onnx", batch=5)(x)


@needs_program
@pytest.mark.parametrize("name, count, options", [
    ("resnet20-opset11-dynamic", 9, {}),
    ("resnet20-opset11-dynamic", 9, {"batch": 4}),
    ("resnet20-opset11-dynamic", 3, {"winograd": True}),
    ("resnet18-opset11", 5, {}),
    ("tangle-opset17-dynamic", 200, {}),
])
def test_the_bits_of_net_run(tmp_path: pathlib.Path, name: str, count: int, options: dict[str, Any]) -> None:
    model, out = NETWORKS / f"{name}.onnx", tmp_path / "y.npz"
    x = np.load(NETWORKS / f"{name}.x.npy")
    x = np.concatenate([x] * (count // len(x) + 1))[:count]
    np.save(tmp_path / "x.npy", x)
    flags = [word for key, value in options.items() for word in ([f"--{key}"] if value is True else [f"--{key}", value])]
    program("net", "run", model, tmp_path / "x.npy", "-o", out, "-j", 1, *flags)
    net = credence.Network(model, threads=1, **options)
    with np.load(out) as told:
        found = net(x)
        for port in net.outputs:
            np.testing.assert_array_equal(found[port.name] if isinstance(found, dict) else found, told[port.name])


@needs_program
@pytest.mark.parametrize("dtype", ["float64", "float16", "uint8", "int64", "bool"])
def test_other_types_convert_as_in_the_program(tmp_path: pathlib.Path, dtype: str) -> None:
    x = (100 * rows(300, 2)).astype(dtype)
    np.save(tmp_path / "x.npy", x)
    program("net", "run", DATA / "linear.onnx", tmp_path / "x.npy", "-o", tmp_path / "y.npy", "-j", 1)
    np.testing.assert_array_equal(linear()(x), np.load(tmp_path / "y.npy"))


def test_arrays_of_any_layout() -> None:
    net, x = linear(), rows(40, 2)
    expected = net(x)
    wide = np.zeros((80, 4), np.float32)
    wide[::2, ::2] = x
    for given in (np.asfortranarray(x), wide[::2, ::2], x[::-1][::-1], x.astype(">f4"), x.tolist(), memoryview(x)):
        np.testing.assert_array_equal(net(given), expected)


def test_torch_without_a_copy() -> None:
    torch = pytest.importorskip("torch")
    from credence import _core
    net, x = linear(), rows(10, 2)
    tensor = torch.from_numpy(x.copy()).requires_grad_()
    np.testing.assert_array_equal(net(tensor), net(x))
    assert _core.borrow(tensor, "x").__array_interface__["data"][0] == tensor.data_ptr()
    np.testing.assert_array_equal(net(tensor[::2]), net(x[::2]))
    with pytest.raises(credence.ArgumentError, match=r"bfloat16: pass x\.float\(\)"):
        net(tensor.detach().bfloat16())
    assert torch.from_dlpack(net(tensor)).shape == (10, 3)


def test_frames_and_jax() -> None:
    pandas = pytest.importorskip("pandas")
    jax = pytest.importorskip("jax")
    net, x = linear(), rows(10, 2)
    np.testing.assert_array_equal(net(pandas.DataFrame(x, columns=["a", "b"])), net(x))
    np.testing.assert_array_equal(net(jax.numpy.asarray(x)), net(x))


def test_integers_that_are_tokens() -> None:
    net = credence.Network(DATA / "words.onnx")
    tokens = np.array([[1, 2, 0, 0], [3, 4, 1, 0]])
    np.testing.assert_array_equal(net(tokens), net(tokens.astype(np.uint8)))
    with pytest.raises(credence.InputError, match="input 'tokens' takes int64, found float32"):
        net(tokens.astype(np.float32))


def test_refusals() -> None:
    net, x = linear(), rows(5, 2)
    with pytest.raises(credence.ArgumentError, match=r"the model has 1 input \(x\), found 2"):
        net(x, x)
    with pytest.raises(credence.InputError, match="input 'x' is a number"):
        net(3.0)
    with pytest.raises(credence.UsageError, match="dimension 1 of the input 'x' must be 2, found 3"):
        net(rows(5, 3))
    with pytest.raises(credence.ArgumentError, match="x cannot be read as an array of numbers"):
        net([["a", "b"]])
    with pytest.raises(credence.UsageError, match="mode is 'train', allowed are: inference input-gradient training"):
        linear(mode="train")
    with pytest.raises(credence.InputError, match="absent.onnx"):
        credence.Network("absent.onnx")
    with pytest.raises(credence.InputError):
        credence.Network(b"not a model")
    with pytest.raises(credence.ArgumentError, match="model is 3"):
        credence.Network(3)  # type: ignore[arg-type]
    with pytest.raises(credence.InputError, match="Whiten"):
        credence.Network(DATA / "strange.onnx")(x)


@pytest.mark.parametrize("given", [None, 3, -1, 2.5, "x", b"x", [], ["a"], {"a": 1}, (), object(), np.zeros((2, 2)),
                                   np.array("a"), 10**30, "a\0b"])
def test_odd_arguments(given: Any) -> None:
    net, x = linear(), rows(3, 2)
    calls = [lambda: credence.Network(given), lambda: linear(batch=given)(x), lambda: net(given),
             lambda: net(x, output=given), lambda: net.gradient(x, given), lambda: net.with_weights(given),
             lambda: net.with_metadata(given), lambda: net.cut(given), lambda: net.info(shapes=given),
             lambda: net.predict(given), lambda: net.predict(x, mean=given),
             lambda: credence.Network.build("mlp", classes=2, shape=given)]
    for call in calls:
        try:
            call()
        except credence.Error:
            continue


def test_names_that_are_none() -> None:
    with pytest.raises(credence.ArgumentError, match="the name of a parameter is None"):
        linear().with_weights({None: rows(2, 3)})  # type: ignore[dict-item]
    with pytest.raises(credence.ArgumentError, match="a key of the metadata is None"):
        linear().with_metadata({None: "x"})  # type: ignore[dict-item]


def test_threads_share_a_network() -> None:
    net, batches = linear(batch=16), [rows(100 + i, 2, seed=i) for i in range(8)]
    alone = [net(batch) for batch in batches]
    gradients = [net.gradient(batch, rows(len(batch), 3)) for batch in batches]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            for one, other in zip(alone, pool.map(net, batches)):
                np.testing.assert_array_equal(one, other)
            found = pool.map(lambda batch: net.gradient(batch, rows(len(batch), 3)), batches)
            for one, other in zip(gradients, found):
                np.testing.assert_array_equal(one, other)


def test_other_threads_run_meanwhile() -> None:
    net = credence.Network(NETWORKS / "resnet20-opset11-dynamic.onnx", threads=1)
    x = np.concatenate([np.load(NETWORKS / "resnet20-opset11-dynamic.x.npy")] * 64)[:128]
    ticks, stop = [0], threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks[0] += 1
    thread = threading.Thread(target=tick)
    net(x)
    thread.start()
    before = ticks[0]
    net(x)
    during = ticks[0] - before
    stop.set()
    thread.join()
    assert during > 100


def test_saved_and_pickled(tmp_path: pathlib.Path) -> None:
    net, x = linear(), rows(10, 2)
    net.save(tmp_path / "m.onnx")
    copy = pickle.loads(pickle.dumps(net))
    assert copy.to_bytes() == net.to_bytes() == (tmp_path / "m.onnx").read_bytes()
    np.testing.assert_array_equal(copy(x), net(x))


def test_made_of_other_networks() -> None:
    net = credence.Network.build("mlp(hidden=8)", classes=3, shape=(2,), seed=3, threads=1)
    x = rows(20, 2)
    front, back = net.cut("penultimate"), net.cut("penultimate", "after")
    np.testing.assert_array_equal(back(front(x)), net(x))
    assert net.with_metadata({"a": "b"}).metadata == {**net.metadata, "a": "b"}
    doubled = linear().with_weights({"B": np.zeros(3)})
    np.testing.assert_allclose(doubled(x), x @ W, rtol=1e-5, atol=1e-6)
    with pytest.raises(credence.UsageError, match="'C'"):
        linear().with_weights({"C": np.zeros(3)})


# ---- Gradients.


@pytest.mark.parametrize("mode", ["inference", "input-gradient"])
@pytest.mark.parametrize("count", [1, 5, 300])
def test_gradient_of_the_input(mode: str, count: int) -> None:
    g = rows(count, 3, seed=1)
    np.testing.assert_allclose(linear(mode=mode).gradient(rows(count, 2), g), g @ W.T, rtol=1e-4, atol=1e-5)


def test_padding_changes_no_gradient() -> None:
    net, x, g = credence.Network(DATA / "both.onnx", threads=1), rows(11, 2), rows(11, 3, seed=1)
    each = np.concatenate([net.gradient(x[i:i + 1], g[i:i + 1]) for i in range(11)])
    np.testing.assert_allclose(net.gradient(x, output_gradient=g), each, rtol=1e-6)
    with pytest.raises(credence.InputError, match=r"output_gradient has the shape \(11, 2\), expected \(11, 3\)"):
        net.gradient(x, x)
    with pytest.raises(credence.ArgumentError, match="output_gradient is missing"):
        net.gradient(x)


def test_backward_of_a_run() -> None:
    net, x, g = linear(mode="input-gradient"), rows(9, 2), rows(9, 3, seed=1)
    net(x)
    np.testing.assert_allclose(net.backward(g), g @ W.T, rtol=1e-4, atol=1e-5)
    with pytest.raises(credence.UsageError, match="no run to differentiate"):
        net.backward(g)
    with pytest.raises(credence.UsageError, match="for inference"):
        linear().backward(g)


def test_parameters() -> None:
    net, x, g = linear(mode="training", batch=6), rows(6, 2), rows(6, 3, seed=1)
    found = net.parameters()
    assert sorted(found) == ["B", "W"]
    np.testing.assert_array_equal(found["W"].value, W)
    for times in (1, 2):
        net(x)
        np.testing.assert_allclose(net.backward(g), g @ W.T, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found["W"].gradient, times * (x.T @ g), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found["B"].gradient, times * g.sum(axis=0), rtol=1e-4, atol=1e-5)
    net.clear_gradients()
    assert not found["W"].gradient.any()
    found["W"].value[...] = 0
    np.testing.assert_array_equal(net(x), np.broadcast_to(B, (6, 3)))
    np.testing.assert_array_equal(credence.Network(net.to_bytes())(x), np.broadcast_to(B, (6, 3)))
    for given in (net, net.gradient):
        with pytest.raises(credence.UsageError, match="7 rows, but in training mode every batch has 6"):
            given(rows(7, 2), *[rows(7, 3)] * (given != net))
    free = linear(mode="training")
    free(x)
    with pytest.raises(credence.UsageError, match=r"\(7, 2\).* those of the first one: \[\(6, 2\)\]"):
        free(rows(7, 2))
    del net, given
    assert found["B"].value.shape == (3,)  # the arrays keep the network alive


def test_a_step_by_hand_learns() -> None:
    x = rows(64, 2)
    y = (x[:, 0] > x[:, 1]).astype(int)
    net = credence.Network.build("mlp(hidden=8)", classes=2, shape=(2,), mode="training", threads=1)
    losses = []
    for _ in range(200):
        logits = net(x)
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        losses.append(-np.log(p[np.arange(64), y]).mean())
        net.clear_gradients()
        net.backward((p - np.eye(2)[y]) / 64)
        for each in net.parameters().values():
            if each.gradient is not None:
                each.value[...] -= 0.5 * each.gradient
    assert losses[-1] < 0.3 * losses[0]


def test_parameters_need_a_mode_and_a_batch() -> None:
    with pytest.raises(credence.UsageError, match="mode='training'"):
        linear().parameters()
    with pytest.raises(credence.UsageError, match="pass batch=, or call the network first"):
        linear(mode="training").parameters()


def test_check() -> None:
    found = linear().check(seed=1)
    assert found.verdict == "right" and found.inputs and found.parameters
    assert len(found.inputs.directions) == 20 and found.inputs.limit < 0.01
    words = credence.Network(DATA / "words.onnx").check(directions=3)
    assert words.inputs is None and words.parameters and len(words.parameters.directions) == 3


# ---- What is known.


def test_info() -> None:
    found = linear().info(batch=4)
    assert found.runs and found.parameters == 9 and found.batch == 4
    assert found.operators == {"MatMul": 1, "Add": 1} and found.nodes[0].shape == (4, 3)
    assert "it runs" in repr(found)


def test_info_of_a_model_that_does_not_run() -> None:
    found = credence.Network(DATA / "strange.onnx").info()
    assert not found.runs and found.operators["Whiten"] == 2
    assert any("Whiten" in cause.problem and cause.nodes == 2 for cause in found.causes)
    assert "Whiten" in repr(found)


def test_tables_of_networks() -> None:
    assert {"Conv", "Gemm", "MatMul"} <= set(credence.operators())
    for name in credence.architectures():
        entry = credence.architectures()[name]
        shape, words = {"images": ((3, 32, 32), 0), "vectors": ((6,), 0), "texts": ((64,), 50)}[entry["input"]]
        if name == "head":
            shape = (8, 4, 4)
        net = credence.Network.build(name, classes=4, shape=shape, words=words)
        assert net.outputs[0].shape == (None, 4), name
        assert net.outputs[0].name == "logits"


# ---- Predictions.


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("trained") / "m.onnx"
    credence.train(f"{MIXTURE}#train", epochs=2, threads=1).save(path)
    return path


@needs_program
def test_the_bits_of_predict(trained: pathlib.Path, tmp_path: pathlib.Path) -> None:
    program("predict", trained, f"{MIXTURE}#test", "-o", tmp_path / "p.npz", "-j", 1, "--features", "penultimate")
    net = credence.Network(trained, threads=1)
    for data in (f"{MIXTURE}#test", credence.Dataset(f"{MIXTURE}#test")):
        found = net.predict(data, features="penultimate")
        with np.load(tmp_path / "p.npz") as told:
            np.testing.assert_array_equal(found.scores, told["logits"])
            np.testing.assert_array_equal(found.features, told["features"])
            np.testing.assert_array_equal(found.labels, told["labels"])
            np.testing.assert_array_equal(found.indices, told["indices"])
    assert found.kind == "logits" and found.class_names == list("0123456789")
    told_result = program("evaluate", tmp_path / "p.npz", "--json", "--resamples", 20)
    assert found.evaluate(resamples=20, name=str(tmp_path / "p.npz")).to_json() == told_result
    about = net.predict_to(tmp_path / "q.npz", f"{MIXTURE}#test", features="penultimate")
    assert about["rows"] == 400 and about["labelled"]
    assert (tmp_path / "q.npz").read_bytes() == (tmp_path / "p.npz").read_bytes()


@needs_program
def test_a_file_for_a_model_without_encoding(tmp_path: pathlib.Path) -> None:
    np.savez(tmp_path / "x.npz", x=rows(200, 2), labels=np.arange(200) % 3)
    program("predict", DATA / "linear.onnx", tmp_path / "x.npz", "-o", tmp_path / "p.npz", "-j", 1, "--mean", "1,2",
            "--std", "0.5,2")
    found = linear().predict(str(tmp_path / "x.npz"), mean=[1, 2], std=[0.5, 2])
    with np.load(tmp_path / "p.npz") as told:
        np.testing.assert_array_equal(found.scores, told[found.kind])
        np.testing.assert_array_equal(found.labels, told["labels"])


def test_unaligned_arrays() -> None:
    """Arrays at odd addresses, as a slice of a file may be, are copied where the library needs a pointer."""
    def unaligned(values: Any) -> Any:
        return np.frombuffer(b"\0" + values.tobytes(), values.dtype, offset=1).reshape(values.shape)

    network, x, mean, given = linear(), rows(9, 2), np.array([1.0, 2.0]), {"W": 1 + W, "B": 1 + B}
    np.testing.assert_array_equal(network(unaligned(x)), network(x))
    np.testing.assert_array_equal(network.predict(x, mean=unaligned(mean), std=unaligned(mean)).scores,
                                  network.predict(x, mean=mean, std=mean).scores)
    changed = network.with_weights({name: unaligned(value) for name, value in given.items()})
    np.testing.assert_array_equal(changed(x), network.with_weights(given)(x))


def test_predictions_of_arrays() -> None:
    x = rows(50, 2)
    labels = np.arange(50) % 3
    found = linear().predict((x, labels))
    np.testing.assert_array_equal(found.scores, linear()(x))
    np.testing.assert_array_equal(found.labels, labels)
    x[7, 1] = np.nan
    with pytest.raises(credence.NumericError, match="row 7: value 1 of input 'x' is NaN"):
        linear().predict(x)
