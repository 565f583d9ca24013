"""The programs in examples/python/ that gather Evidence on several processes: the same bits as one process."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import credence

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREDICTIONS = ROOT / "examples" / "wideresnet-16-4-cifar-10.npz"
PARTS = (0, 1, 2500, 2507, 7000, 10000)  # of very different lengths


def metrics(result):
    """All values and intervals; JSON has as many digits as tell two numbers apart."""
    return result.to_dict()["metrics"]


@pytest.fixture(scope="module")
def data():
    with np.load(PREDICTIONS) as file:
        return file["predictions"], file["ground_truth"]


@pytest.fixture(scope="module")
def alone(data):
    """The metrics of one process."""
    return metrics(credence.evaluate(*data))


@pytest.fixture
def examples(monkeypatch):
    """The folder of the examples, importable here and in processes that start from here."""
    folder = str(ROOT / "examples" / "python")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])]))
    return pathlib.Path(folder)


def run(program, *arguments):
    """The output of an example that is run as its users run it."""
    done = subprocess.run([sys.executable, program, *map(str, arguments)], text=True, check=False, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_agrees(alone):
    program = os.environ.get("CREDENCE_PROGRAM") or shutil.which("credence")
    if not program:
        pytest.skip("the program credence is missing (CREDENCE_PROGRAM)")
    written = subprocess.run([program, "evaluate", PREDICTIONS, "--json", "--quiet"], check=True, stdout=subprocess.PIPE)
    assert json.loads(written.stdout)["metrics"] == alone


def test_multiprocessing(examples, alone):
    import multiprocessing_evidence
    for processes in (1, 3):
        assert metrics(multiprocessing_evidence.evaluate(str(PREDICTIONS), processes)) == alone
    assert "ece         0.05372" in run(examples / "multiprocessing_evidence.py", PREDICTIONS, 2)


def test_joblib(examples, alone):
    joblib = pytest.importorskip("joblib")
    from multiprocessing_evidence import evidence_of
    jobs = (joblib.delayed(evidence_of)((str(PREDICTIONS), *part)) for part in zip(PARTS, PARTS[1:]))
    assert metrics(sum(joblib.Parallel(n_jobs=2)(jobs)).compute()) == alone


def test_ray(examples, alone):
    ray = pytest.importorskip("ray")
    import ray_evidence
    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False)
    try:
        assert metrics(ray_evidence.evaluate(str(PREDICTIONS), 3)) == alone
    finally:
        ray.shutdown()
    assert "ece         0.05372" in run(examples / "ray_evidence.py", PREDICTIONS)


def test_dask(examples, data, alone, tmp_path):
    dask = pytest.importorskip("dask")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("dask.dataframe")
    import dask_evidence
    scores, labels = data
    for part, (first, end) in enumerate(zip(PARTS, PARTS[1:])):
        columns = {f"score_{k}": scores[first:end, k] for k in range(scores.shape[1])}
        pandas.DataFrame({"label": labels[first:end], **columns}).to_parquet(tmp_path / f"part-{part}.parquet")
    with dask.config.set(scheduler="processes", num_workers=2):
        assert metrics(dask_evidence.evaluate(str(tmp_path))) == alone
    assert "ece         0.05372" in run(examples / "dask_evidence.py", tmp_path)


def test_spark(examples, data, alone, tmp_path, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    if not shutil.which("java"):
        pytest.skip("pyspark needs a Java runtime")
    import spark_evidence
    scores, labels = data
    # Shuffled, so that the files are not in the order of the rows.
    order = np.random.default_rng(1).permutation(len(labels))
    for part, (first, end) in enumerate(zip(PARTS, PARTS[1:])):
        rows = order[first:end]
        pandas.DataFrame({"row": rows, "label": labels[rows], "scores": list(scores[rows])}).to_parquet(
            tmp_path / f"part-{part}.parquet")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", "5").getOrCreate()
    try:
        assert metrics(spark_evidence.evaluate(session, str(tmp_path))) == alone
    finally:
        session.stop()
    assert "ece         0.05372" in run(examples / "spark_evidence.py", tmp_path)


def test_state_files_tell_what_scores_were_read_as(tmp_path):
    """A part too small to tell logits from probabilities is refused, also where the others come from files."""
    scores, labels = np.array([2.5, -1.5, 0.2, 0.4]), np.array([1, 0, 0, 1])
    kinds = {"logits": scores[:2], "probabilities": scores[2:]}

    def part(given, first=0, **options):
        return credence.Evidence("nll", resamples=0).update(given, labels[:2], first_row=first, binary="pos", **options)

    def loaded(evidence):
        evidence.save(tmp_path / "part.state")
        return credence.Evidence.load(tmp_path / "part.state")
    for kind, other in (("logits", "probabilities"), ("probabilities", "logits")):
        refused = pytest.raises(credence.InputError, match=f"read as {kind}, those of another as {other}: name")
        with refused:
            loaded(part(kinds[kind])).merge(part(kinds[other], 2))
        with refused:
            part(kinds[kind]).merge(loaded(part(kinds[other], 2)))
        with refused:
            loaded(part(kinds[kind])) + loaded(part(kinds[other], 2))
        with refused:
            loaded(part(kinds[kind])).update(kinds[other], labels[:2], first_row=2, binary="pos")
        with refused:  # the kind is that of the part that was recognised
            loaded(loaded(part(scores[2:], 4, input=other)).merge(part(kinds[kind]))).merge(part(kinds[other], 2))
        assert loaded(part(kinds[kind])).merge(part(kinds[kind], 2)).compute().rows == 4
        assert loaded(part(scores[2:], input=kind)).merge(part(kinds[other], 2)).compute().rows == 4  # named, not known


def test_state_files_of_the_program_tell_what_scores_were_read_as(tmp_path):
    program = os.environ.get("CREDENCE_PROGRAM") or shutil.which("credence")
    if not program:
        pytest.skip("the program credence is missing (CREDENCE_PROGRAM)")
    scores, labels = np.array([[2.5, -1.5], [0.3, 0.7]]), np.array([0, 1])
    np.savez(tmp_path / "logits.npz", scores=scores[:1], labels=labels[:1])
    subprocess.run([program, "evaluate", "logits.npz", "-m", "nll", "--resamples", "0", "--state-out", "logits.state",
                    "--quiet"], check=True, cwd=tmp_path, stdout=subprocess.PIPE)
    evidence = credence.Evidence.load(tmp_path / "logits.state")
    with pytest.raises(credence.InputError, match="read as logits, those of another as probabilities"):
        evidence.update(scores[1:], labels[1:], first_row=1)


def test_rows_of_two_parts_must_differ(data):
    scores, labels = data
    halves = [credence.Evidence().update(scores[:100], labels[:100]) for _ in range(2)]
    with pytest.raises(credence.InputError, match="rows 0:100 are in both parts.*first_row"):
        sum(halves)
