"""Arrays, frames, lists and files of every kind as arguments: the same numbers, copied only where that is stated."""
from __future__ import annotations

import array
import pathlib
import tracemalloc
from typing import Any

import numpy as np
import pytest

import credence
import samples

LOGITS, LABELS = samples.logits()
EXPECTED = credence.evaluate(LOGITS, LABELS, resamples=0)


def same(scores: Any, labels: Any = LABELS, **more: Any) -> bool:
    return credence.evaluate(scores, labels, resamples=0, **more) == EXPECTED


def near(scores: Any, labels: Any = LABELS, tolerance: float = 1e-6, **more: Any) -> bool:
    found = credence.evaluate(scores, labels, resamples=0, **more)
    return all(found[name].value == pytest.approx(EXPECTED[name].value, rel=tolerance) for name in ("nll", "brier"))


# ---- NumPy.


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_views() -> None:
    wide = np.zeros((600, 8))
    wide[::2, 1:7:2] = LOGITS
    assert same(wide[::2, 1:7:2])
    assert same(np.asfortranarray(LOGITS)) and same(LOGITS[::-1, ::-1][::-1, ::-1])
    assert same(LOGITS[::-1], LABELS[::-1]) or near(LOGITS[::-1], LABELS[::-1], 1e-12)
    frozen = LOGITS.copy()
    frozen.flags.writeable = False
    assert same(frozen) and same(np.matrix(LOGITS)) and same(np.ma.masked_array(LOGITS))
    unaligned = np.frombuffer(b"x" + LOGITS.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(LOGITS.shape)
    assert same(unaligned)


@pytest.mark.parametrize("dtype", [">f8", "<f8", "=f8"])
def test_byte_orders(dtype: str) -> None:
    assert same(LOGITS.astype(dtype), LABELS.astype(">i4"))


@pytest.mark.parametrize(("dtype", "tolerance"), [("f4", 1e-6), ("f2", 1e-2)])
def test_smaller_floats(dtype: str, tolerance: float) -> None:
    assert near(LOGITS.astype(dtype), tolerance=tolerance)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "O"])
def test_types_of_labels(dtype: str) -> None:
    if dtype == "O":
        assert same(LOGITS, list(LABELS))
    else:
        assert same(LOGITS, LABELS.astype(dtype)) and same(LOGITS, LABELS.astype(dtype)[:, None])


def test_labels_of_two_classes() -> None:
    scores, labels = samples.logits(classes=2)
    expected = credence.evaluate(scores, labels, resamples=0)
    for given in (labels.astype(bool), labels.astype(bool).tolist(), np.eye(2)[labels], np.eye(2, dtype=bool)[labels],
                  labels.astype(np.float32)):
        assert credence.evaluate(scores, given, resamples=0) == expected
    margin = scores[:, 1] - scores[:, 0]
    for vector in (margin, margin[:, None], margin.tolist(), array.array("d", margin.tolist())):
        found = credence.evaluate(vector, labels, resamples=0, input="logits")
        assert found.nll == pytest.approx(expected.nll, rel=1e-12) and found.classes == 2


def test_one_hot_and_lists() -> None:
    assert same(LOGITS, np.eye(3)[LABELS]) and same(LOGITS, np.eye(3, dtype=np.int32)[LABELS].tolist())
    assert same(LOGITS.tolist(), LABELS.tolist()) and same([tuple(row) for row in LOGITS], tuple(LABELS))
    assert same(memoryview(LOGITS), memoryview(LABELS)) and same(list(LOGITS))


def test_array_interfaces() -> None:
    class Wrapped:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return LOGITS

    assert same(Wrapped())


@pytest.mark.filterwarnings("ignore::credence.DataWarning")
def test_nothing_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views of any stride are read in place: neither NumPy's memory nor the library's grows by the scores."""
    scores = np.random.default_rng(0).random((40000, 50)).astype(np.float32)  # 8 MB
    labels = np.zeros(40000, np.int64)

    def refuse(*arguments: Any, **more: Any) -> None:
        raise AssertionError("numpy.asarray was called")

    monkeypatch.setattr(np, "asarray", refuse)
    monkeypatch.setattr(np, "array", refuse)
    monkeypatch.setattr(np, "ascontiguousarray", refuse)
    for view in (scores, scores[::2], scores[:, ::2], scores.T[::-1].T):
        tracemalloc.start()
        credence.evaluate(view, labels[:len(view)], metrics="accuracy", resamples=0, input="logits")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1 << 20


@pytest.mark.filterwarnings("ignore::credence.DataWarning")
def test_changes_show_through() -> None:
    """Predictions borrow: the object that the library reads is the user's."""
    scores = LOGITS.copy()
    rows = credence._inputs.predictions(scores, LABELS, input="logits")
    scores[:] = 0
    assert credence.evaluate(rows, resamples=0).nll == pytest.approx(np.log(3))


# ---- Names of classes and groups.


def test_names_of_classes() -> None:
    names = ["cat", "dog", "eel"]
    words = [names[k] for k in LABELS]
    for given in (words, tuple(words), np.array(words), np.array(words, object), np.array(words, "S3"),
                  np.array(words)[:, None]):
        assert same(LOGITS, given, class_names=names)
    assert same(LOGITS, class_names=np.array(names)) and same(LOGITS, words, class_names=tuple(names))
    with pytest.raises(credence.InputError, match="class_names"):
        credence.evaluate(LOGITS, words)
    with pytest.raises(credence.InputError, match="row 7 is 'dgo'.*did you mean 'dog'"):
        credence.evaluate(LOGITS, [*words[:7], "dgo", *words[8:]], class_names=names)
    for repeated, given in ((["cat", "dog", "cat"], ["dog"] * 300), (["eel", "eel", "eel"], words)):
        with pytest.raises(credence.InputError, match=f"class_names holds '{repeated[0]}' twice.*labels are str"):
            credence.evaluate(LOGITS, given, class_names=repeated)
        assert same(LOGITS, class_names=repeated)  # of integers, names are only shown
    with pytest.raises(credence.InputError, match="2 class names"):
        credence.evaluate(LOGITS, LABELS, class_names=names[:2])
    with pytest.raises(credence.ArgumentError, match="class_names"):
        credence.evaluate(LOGITS, LABELS, class_names=3)  # type: ignore[arg-type]
    with pytest.raises(credence.ArgumentError, match="is a path"):
        credence.evaluate(LOGITS, LABELS, class_names="names.txt")
    with pytest.raises(credence.InputError, match="2 dimensions"):
        credence.evaluate(LOGITS, [words[:2]] * 300, class_names=names)


@pytest.mark.parametrize("scores, labels", [
    (LABELS, LOGITS), (LABELS.tolist(), LOGITS.tolist()), (LABELS > 0, LOGITS[:, 0]),
    ((LABELS > 0).astype(float), 1 / (1 + np.exp(-LOGITS[:, 0])))])
def test_wrong_order(scores: Any, labels: Any) -> None:
    with pytest.raises(credence.InputError, match="scores are integers, and labels are not: are they in the wrong order"):
        credence.evaluate(scores, labels)


def test_what_is_to_be_called_first() -> None:
    class Lazy:
        def collect(self) -> Any:
            return LOGITS

    with pytest.raises(credence.ArgumentError, match=r"scores is of the type Lazy: pass scores.collect\(\)"):
        credence.evaluate(Lazy(), LABELS)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(credence.ArgumentError, match=r"scores is of the type csr_matrix: pass scores.toarray\(\)"):
        credence.evaluate(sparse.csr_matrix(LOGITS), LABELS)


def test_messages_are_short() -> None:
    result = credence.evaluate(LOGITS, LABELS, resamples=0)
    for call in (lambda: credence.report(result), lambda: credence.report(None, LOGITS),  # type: ignore[call-overload]
                 lambda: credence.fit(LOGITS, LABELS)):  # type: ignore[arg-type]
        with pytest.raises(credence.ArgumentError, match="is an object of the type (Result|ndarray), expected") as found:
            call()
        assert len(str(found.value)) < 120


def test_errors_in_the_right_order() -> None:
    for scores, labels in ((LOGITS, LABELS[:3]), (LABELS, None), (LOGITS[:, 0], LOGITS), (LABELS, LABELS[:3])):
        with pytest.raises(credence.InputError) as found:
            credence.evaluate(scores, labels)
        assert "wrong order" not in str(found.value)
    assert near(LOGITS, np.eye(LOGITS.shape[1])[LABELS])


@pytest.mark.parametrize("arguments", [(LOGITS, LABELS), (LOGITS, LABELS, "temperature")])
def test_a_fit_names_its_method_first(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(credence.ArgumentError, match="method is an object of the type ndarray, expected a str: fit"):
        credence.fit(*arguments)


def test_names_of_groups() -> None:
    for given in (["b", "a", "b"] * 100, np.array(["b", "a", "b"] * 100), np.array([1, 0, 1] * 100)):
        groups = credence.evaluate(LOGITS, LABELS, groups=given, group_by=True, resamples=0).groups["groups"]
        assert [found.rows for found in groups.values() if found] == [100, 200]
    with pytest.raises(credence.InputError):
        credence.evaluate(LOGITS, LABELS, groups=[1, 2])
    with pytest.raises(credence.Error):
        credence.evaluate(LOGITS, LABELS, groups=LABELS + 0.5, group_by=True)


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), np.datetime64("NaT")], ids=repr)
@pytest.mark.parametrize("row", [0, 3])
def test_missing_names(value: Any, row: int) -> None:
    """A missing name is none: rows without a patient are not one patient."""
    names = ["cat", "dog", "eel"]
    words = [names[k] for k in LABELS]
    gap = [*words[:row], value, *words[row + 1:]]
    objects = np.array(gap, object)
    for given in (gap, tuple(gap), objects, objects[:, None], [[word] for word in gap]):
        with pytest.raises(credence.InputError, match=rf"^labels row {row} is missing \(.*\), expected a name"):
            credence.evaluate(LOGITS, given, class_names=names)
        with pytest.raises(credence.InputError, match=rf"^groups row {row} is missing"):
            credence.evaluate(LOGITS, LABELS, groups=given)
        with pytest.raises(credence.InputError, match=rf"^patient row {row} is missing"):
            credence.evaluate(LOGITS, LABELS, groups={"patient": given}, cluster="patient")
    with pytest.raises(credence.InputError, match=rf"^labels row {row} is missing"):
        credence.Dataset(LOGITS, gap)


def test_lists_that_contain_themselves() -> None:
    endless: list[Any] = [None]
    endless += [endless, endless]
    for what in ("groups", "labels", "predicted"):
        with pytest.raises(credence.Error):
            credence.evaluate(LOGITS, **{"labels": LABELS, what: endless})


def test_nothing_but_missing_values() -> None:
    for given in ([None] * 300, np.full(300, None), [float("nan")] * 300):
        with pytest.raises(credence.Error):
            credence.evaluate(LOGITS, LABELS, groups=given, group_by=True)


# ---- Names, paths.


def test_lists_of_names() -> None:
    for given in ("ece,nll", ["ece", "nll"], ("ece", "nll"), iter(["ece", "nll"])):
        assert list(credence.evaluate(LOGITS, LABELS, metrics=given, resamples=0)) == ["ece", "nll"]
    for wrong, error in ((3, credence.ArgumentError), ([3], credence.ArgumentError), ([], credence.UsageError),
                         (["acuracy"], credence.UsageError)):
        with pytest.raises(error):
            credence.evaluate(LOGITS, LABELS, metrics=wrong)  # type: ignore[arg-type]


def test_files(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "rows.npz"
    np.savez(path, logits=LOGITS, labels=LABELS)
    assert credence.evaluate(path, resamples=0).to_dict()["metrics"] == EXPECTED.to_dict()["metrics"]
    assert credence.evaluate(f"{path}@10:20", resamples=0).rows == 10
    np.save(tmp_path / "scores.npy", LOGITS)
    np.save(tmp_path / "labels.npy", LABELS)
    apart = credence.evaluate(tmp_path / "scores.npy", tmp_path / "labels.npy", resamples=0)
    assert apart.to_dict()["metrics"] == EXPECTED.to_dict()["metrics"]
    for arguments in ({"labels": LABELS}, {"weights": LABELS}, {"groups": LABELS}, {"class_names": ["a"]},
                      {"name": "mine"}, {"correct": LABELS}):
        with pytest.raises(credence.ArgumentError, match="are the file .*, which has its own"):
            credence.evaluate(path, **arguments)
    with pytest.raises(credence.ArgumentError, match="scores is none"):
        credence.evaluate(LOGITS, path)
    with pytest.raises(credence.InputError, match="none.npz"):
        credence.evaluate(tmp_path / "none.npz")
    with pytest.raises(credence.Error):
        credence.evaluate(b"rows.npz")


def test_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "odd.npz"
    np.savez(path, mine=LOGITS, truth=LABELS, site=LABELS % 2)
    rows = credence.read(path, scores="mine", label_key="truth", group_by=["site"])
    found = credence.evaluate(rows, group_by="site", resamples=0)
    assert found.ece == EXPECTED.ece and list(found.groups) == ["site"]
    assert credence.fit("temperature", rows) == credence.fit("temperature", LOGITS, LABELS)
    for arguments in ({"labels": LABELS}, {"weights": LABELS}, {"binary": "pos"}, {"cluster": "site"},
                      {"input": "logits"}, {"name": "mine"}):
        with pytest.raises(credence.ArgumentError, match="predictions, which have their own"):
            credence.evaluate(rows, **arguments)
    with pytest.raises(credence.InputError, match="nothing"):
        credence.read(path, scores="nothing")
    other = credence.read(path, scores="mine", label_key="truth")
    assert credence.evaluate(rows, paired=other, resamples=0).differences["ece"].value == 0
    assert credence.evaluate(LOGITS, LABELS, paired=other, resamples=0).differences["ece"].value == 0
    assert credence.Evidence().update(rows).compute().ece == EXPECTED.ece


# ---- Other devices.


def test_devices() -> None:
    class OnGPU:
        shape = LOGITS.shape

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

        def __dlpack__(self, **more: Any) -> Any:
            raise AssertionError("must not be called")

    class Broken:
        def __dlpack_device__(self) -> tuple[int, int]:
            raise RuntimeError("no driver")

        def __dlpack__(self, **more: Any) -> Any:
            raise AssertionError("must not be called")

    with pytest.raises(credence.ArgumentError, match=r"scores is on a GPU.*scores\.cpu\(\)"):
        credence.evaluate(OnGPU(), LABELS)
    with pytest.raises(credence.ArgumentError, match=r"labels is on a GPU"):
        credence.evaluate(LOGITS, OnGPU())
    with pytest.raises(credence.ArgumentError, match="no driver"):
        credence.evaluate(Broken(), LABELS)


# ---- Other libraries.


def test_torch() -> None:
    torch = pytest.importorskip("torch")
    scores, labels = torch.from_numpy(LOGITS.copy()), torch.from_numpy(LABELS)
    assert same(scores, labels) and same(scores.clone().requires_grad_(), labels)
    assert same(scores.T.contiguous().T, labels) and near(scores.flip(0), labels.flip(0), 1e-12)
    assert near(scores.float(), labels.int()) and near(scores.half(), labels, 1e-2)
    assert near(scores.bfloat16(), labels.to(torch.uint8), 5e-2)
    assert same(torch.stack([scores, scores], dim=1)[:, 1], torch.nn.functional.one_hot(labels))
    assert credence.evaluate(torch.tensor([1.0, -2.0]), torch.tensor([True, False]), input="logits",
                             resamples=0).accuracy == 1
    assert same(scores, list(labels))
    pairs = credence.evaluate(list(scores.softmax(1)[:, 0]), correct=list(labels == 0), resamples=0)
    assert (pairs.input, pairs.rows) == ("confidence", len(labels))
    assert same(torch._neg_view(-scores), labels)  # its sign is in no element
    assert same(torch._neg_view(-scores).requires_grad_(), labels)
    rows = credence._inputs.predictions(scores, labels, input="logits")
    scores += torch.arange(3)
    assert credence.evaluate(rows, resamples=0).nll != EXPECTED.nll  # the tensor was read, not a copy of it
    with pytest.raises(credence.ArgumentError):
        credence.evaluate(torch.eye(3).to_sparse(), [0, 1, 2])
    with pytest.raises(credence.ArgumentError):
        credence.evaluate(torch.eye(3).to(torch.complex64), [0, 1, 2])
    with pytest.raises(credence.ArgumentError):
        credence.evaluate(torch.eye(3, device="meta"), [0, 1, 2])


@pytest.mark.filterwarnings("ignore::credence.DataWarning")
def test_torch_is_not_copied() -> None:
    torch = pytest.importorskip("torch")
    scores, labels = torch.zeros(40000, 50), torch.zeros(40000, dtype=torch.int64)  # 8 MB
    for view in (scores, scores[::2], scores[:, ::2], scores.T.contiguous().T):
        rows = credence._inputs.predictions(view, labels[:len(view)], input="logits")
        before = credence.evaluate(rows, metrics="nll", resamples=0).nll
        view[0, 0] += 9
        assert credence.evaluate(rows, metrics="nll", resamples=0).nll < before
        view[0, 0] -= 9


def test_jax() -> None:
    numpy = pytest.importorskip("jax.numpy")
    assert near(numpy.asarray(LOGITS), numpy.asarray(LABELS))
    assert near(numpy.asarray(LOGITS)[::-1], numpy.asarray(LABELS)[::-1])
    assert near(numpy.asarray(LOGITS).astype(numpy.bfloat16), LABELS, 5e-2)


def test_pandas_frames() -> None:
    pandas = pytest.importorskip("pandas")
    names = ["cat", "dog", "eel"]
    frame = pandas.DataFrame(LOGITS, columns=names)
    labels = pandas.Series(LABELS)
    words = pandas.Series([names[k] for k in LABELS])
    assert same(frame, labels) and same(pandas.DataFrame(LOGITS), labels) and same(frame, words)
    assert same(frame, words.astype("category")) and same(frame, words.astype("string"))
    assert same(frame, words.to_frame()) and same(frame[["cat", "dog", "eel"]], labels.astype("Int64"))
    assert same(frame.astype("Float64"), labels.astype("Int8")) and same(frame, pandas.get_dummies(LABELS))
    mixed = frame.copy()
    mixed["dog"] = mixed["dog"].astype(object)
    assert same(mixed, labels)
    assert same(frame, labels, weights=pandas.Series([1] * 300, dtype="Int64")) is False  # weighted, the same values
    with pytest.raises(credence.InputError, match="row 3"):
        credence.evaluate(frame, [*words[:3], "cow", *words[4:]])
    with pytest.raises(credence.Error):
        credence.evaluate(frame, labels.astype("Int64").where(labels > 0))
    with pytest.raises(credence.ArgumentError):
        credence.evaluate(pandas.DataFrame({"a": ["x", "y"], "b": ["x", "y"]}), [0, 1])
    groups = pandas.DataFrame({"site": ["a", "b", "c"] * 100, "age": pandas.array([1, 2, 3] * 100, dtype="Int64")})
    found = credence.evaluate(frame, labels, groups=groups, group_by=True, resamples=0).groups
    assert list(found["site"]) == ["a", "b", "c"] and list(found["age"]) == [1, 2, 3]
    assert list(credence.evaluate(frame, labels, groups=groups["site"], group_by=True, resamples=0).groups) == ["site"]


@pytest.mark.parametrize("dtype", ["object", "str", "string", "category"])
@pytest.mark.parametrize("row", [0, 3])
def test_missing_names_of_pandas(dtype: str, row: int) -> None:
    pandas = pytest.importorskip("pandas")
    names = ["cat", "dog", "eel"]
    words = pandas.Series([names[k] for k in LABELS], index=range(7, 307)).astype(dtype)
    for value in (None, float("nan"), pandas.NA, pandas.NaT):
        gap = words.copy()
        gap.iloc[row] = value
        for given in (gap, gap.to_frame()):
            with pytest.raises(credence.InputError, match=f"^labels row {row} is missing"):
                credence.evaluate(LOGITS, given, class_names=names)
        with pytest.raises(credence.InputError, match=f"^site row {row} is missing"):
            credence.evaluate(LOGITS, LABELS, groups=gap.rename("site"))
        with pytest.raises(credence.InputError, match=f"^site row {row} is missing"):
            credence.evaluate(LOGITS, LABELS, groups=gap.to_frame("site"))


def test_polars_frames() -> None:
    polars = pytest.importorskip("polars")
    names = ["cat", "dog", "eel"]
    frame = polars.DataFrame(LOGITS, schema=names)
    words = polars.Series("label", [names[k] for k in LABELS])
    assert same(frame, polars.Series(LABELS)) and same(frame, words) and same(frame, words.cast(polars.Categorical))
    assert same(frame, polars.DataFrame({"label": LABELS})) and same(polars.DataFrame(LOGITS), polars.Series(LABELS))
    groups = polars.DataFrame({"site": ["a", "b", "c"] * 100})
    found = credence.evaluate(frame, words, groups=groups, group_by="site", resamples=0).groups
    assert list(found["site"]) == ["a", "b", "c"]
    for row in (0, 3):
        gap = polars.Series("site", [None if k == row else "a" for k in range(300)])
        with pytest.raises(credence.InputError, match=rf"^site row {row} is missing \(None\)"):
            credence.evaluate(frame, words, groups=gap)
