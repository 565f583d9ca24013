"""Several threads and processes at once: the same bits as alone, and no waiting for ever."""
from __future__ import annotations

import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import credence
from credence import _core

RNG = np.random.default_rng(7)
SCORES = 2 * RNG.normal(size=(3000, 5))
LABELS = SCORES.argmax(1) * (RNG.random(3000) < .8).astype(int)
PARTS = np.array_split(np.arange(3000), 6)
ROWS = _core.Predictions(scores=SCORES, labels=LABELS)
PATIENTS = _core.Predictions(scores=SCORES / 2, labels=LABELS, groups=[("patient", LABELS, [])])
CALIBRATOR = credence.fit("vector", SCORES, LABELS)
EVIDENCE = credence.Evidence(resamples=50).update(SCORES, LABELS)


def evaluate() -> str:
    return credence.evaluate(SCORES, LABELS, resamples=50, metrics="all").to_json()


# What is called at once, on objects that all threads share, and on objects of their own.
CALLS: dict[str, Callable[[], Any]] = {
    "evaluate": evaluate,
    "evaluate the same predictions": lambda: ROWS.evaluate(resamples=50, metrics="all").report("json"),
    "recalibrate the same predictions": lambda: ROWS.evaluate(resamples=0, metrics="nll-refinement").report("json"),
    "pair the same predictions": lambda: ROWS.evaluate(resamples=0, other=PATIENTS).report("json"),
    "fit": lambda: credence.fit("matrix-odir", SCORES, LABELS).to_json(),
    "fit the same predictions": lambda: ROWS.fit("vector").save(),
    "apply": lambda: CALIBRATOR(SCORES).tobytes(),
    "describe": lambda: CALIBRATOR._core.describe()["certificate"],
    "save": lambda: _core.Evidence.load(EVIDENCE._core.save(), "it").judge().report("json"),
    "compute": lambda: EVIDENCE.compute().to_json(),
    "figure": lambda: credence.evaluate(SCORES, LABELS, resamples=0).figure(),
    "pickle": lambda: pickle.loads(pickle.dumps(EVIDENCE)).compute().to_json(),
    "fail": lambda: str(pytest.raises(credence.InputError, credence.evaluate, SCORES, LABELS + 9).value),
}
ALONE = {name: call() for name, call in CALLS.items()}


@pytest.mark.parametrize("name", CALLS)
def test_two_threads(name: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        for found in [pool.submit(CALLS[name]) for _ in range(6)]:
            assert found.result() == ALONE[name]


def test_everything_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        jobs = [(name, pool.submit(call)) for name, call in list(CALLS.items()) * 3]
        for name, job in jobs:
            assert job.result() == ALONE[name], name


def test_others_run_during_a_call() -> None:
    """A thread counts while the main thread is inside one call, whose progress tells how far the call is."""
    count, stop = [0], threading.Event()
    seen: list[int] = []

    def work() -> None:
        while not stop.is_set():
            count[0] += 1
            time.sleep(0)
    thread = threading.Thread(target=work)
    thread.start()
    rows = _core.Predictions(scores=np.tile(SCORES, (30, 1)), labels=np.tile(LABELS, 30))
    before = count[0]
    rows.evaluate(resamples=300, threads=1, progress=lambda stage, done, total: seen.append(count[0]))
    stop.set()
    thread.join()
    between = [b - a for a, b in zip([before, *seen], seen)]
    assert sum(step > 0 for step in between) >= len(between) / 2 and sum(between) > 100


def test_evidence_from_many_threads() -> None:
    shared = credence.Evidence(resamples=50)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda rows: shared.update(SCORES[rows], LABELS[rows], first_row=int(rows[0])), PARTS))
    assert shared.compute().to_json() == ALONE["compute"]


def test_merging_both_ways_at_once() -> None:
    """Each takes both locks; in opposite orders they would wait for each other."""
    for _ in range(100):
        a = credence.Evidence(resamples=0).update(SCORES[:10], LABELS[:10], first_row=0)
        b = credence.Evidence(resamples=0).update(SCORES[10:20], LABELS[10:20], first_row=10)
        start = threading.Barrier(2)
        outcomes: list[str] = []

        def merge(one: credence.Evidence, other: credence.Evidence) -> None:
            start.wait()
            try:
                one.merge(other)
                outcomes.append("merged")
            except credence.InputError:  # the other thread was first, and its rows are here already
                outcomes.append("both have them")
        threads = [threading.Thread(target=merge, args=pair, daemon=True) for pair in ((a, b), (b, a))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert sorted(outcomes) == ["both have them", "merged"]


def test_saving_to_one_file_at_once(tmp_path: pathlib.Path) -> None:
    """Each writes a file of its own and renames it: the last one stays, and none is missing."""
    path = tmp_path / "calibrator.json"
    with ThreadPoolExecutor(4) as pool:
        for job in [pool.submit(CALIBRATOR.save, path) for _ in range(400)]:
            job.result()
    assert path.read_text() == CALIBRATOR.to_json() and list(tmp_path.iterdir()) == [path]


# ---- Processes.

def child(rows: _core.Predictions | None = None) -> str:
    return evaluate()


def unpickled(calibrator: credence.Calibrator, evidence: credence.Evidence) -> tuple[bytes, str]:
    return calibrator(SCORES).tobytes(), evidence.compute().to_json()


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_children(method: str) -> None:
    assert evaluate() == ALONE["evaluate"]  # the parent has threads by now
    with multiprocessing.get_context(method).Pool(2) as pool:
        for found in [pool.apply_async(child) for _ in range(3)]:
            assert found.get(120) == ALONE["evaluate"]
        assert pool.apply_async(unpickled, (CALIBRATOR, EVIDENCE)).get(120) == (ALONE["apply"], ALONE["compute"])


def in_child(call: Callable[[], Any]) -> str:
    """Return what a call in a forked child returns, as text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, str(call()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        found = pipe.read()
    assert os.waitpid(pid, 0) == (pid, 0)
    return found


def test_fork() -> None:
    assert in_child(evaluate) == ALONE["evaluate"]
    assert in_child(lambda: in_child(evaluate)) == ALONE["evaluate"]  # grandchild
    assert in_child(CALLS["compute"]) == ALONE["compute"]  # an object of the parent
    assert in_child(lambda: CALIBRATOR(SCORES, threads=8).tobytes()) == str(ALONE["apply"])
    assert evaluate() == ALONE["evaluate"]


@pytest.mark.skipif(not credence.operators(), reason="built without networks (oneDNN)")
def test_fork_of_networks() -> None:
    """Networks and trainers have threads of their own, for which OpenMP would wait in a child."""
    inputs = np.ones((512, 256), np.float32)
    network = credence.Network.build("mlp(hidden=512)", shape=(256,), classes=10)
    training = credence.Network.build("mlp(hidden=512)", shape=(256,), classes=10, mode="training")
    trainer = credence.Trainer("synthetic:mixture#train", "mlp", epochs=2)
    expected = network(inputs)
    training(inputs)
    next(iter(trainer))
    assert in_child(lambda: np.allclose(network(inputs), expected, atol=1e-5)) == "True"  # compiled anew
    for call in (lambda: training(inputs), lambda: next(iter(trainer))):
        def message(call: Callable[[], Any] = call) -> str:
            with pytest.raises(credence.UsageError) as found:
                call()
            return str(found.value)
        assert "forked" in in_child(message)
    assert np.array_equal(network(inputs), expected)


def test_fork_inside_a_callback() -> None:
    found: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        if not found:
            found.append(in_child(evaluate))
    rows = _core.Predictions(scores=np.tile(SCORES, (10, 1)), labels=np.tile(LABELS, 10))
    rows.evaluate(resamples=50, progress=progress)
    assert found == [ALONE["evaluate"]]


def test_fork_while_another_thread_computes() -> None:
    stop, begun = threading.Event(), threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        begun.set()
        if stop.is_set():
            raise StopIteration

    def compute() -> None:
        rows = _core.Predictions(scores=np.tile(SCORES, (100, 1)), labels=np.tile(LABELS, 100))
        with pytest.raises(StopIteration):
            rows.evaluate(resamples=5000, progress=progress)
    thread = threading.Thread(target=compute)
    thread.start()
    begun.wait(60)
    try:
        assert in_child(evaluate) == ALONE["evaluate"]
    finally:
        stop.set()
        thread.join()


def test_fork_while_another_thread_uses_the_object() -> None:
    """What that thread has not finished is not read in the child; all else works there."""
    evidence, other = credence.Evidence(resamples=50), credence.Evidence(resamples=50).update(SCORES, LABELS)
    rows = _core.Predictions(scores=np.tile(SCORES, (10, 1)), labels=np.tile(LABELS, 10))
    begun, stop = threading.Event(), threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        begun.set()
        stop.wait(60)
    thread = threading.Thread(target=lambda: evidence._core.add(rows, progress=progress))
    thread.start()
    begun.wait(60)

    def message() -> str:
        found = [str(pytest.raises(credence.UsageError, call).value)
                 for call in (evidence.compute, evidence._core.save, lambda: other.merge(evidence))]
        assert other.compute().to_json() == ALONE["compute"]
        return "; ".join(found)
    try:
        assert in_child(message).count("another thread was using the object when this process was forked") == 3
        assert in_child(lambda: in_child(message)).count("another thread") == 3
    finally:
        stop.set()
        thread.join()
    assert in_child(lambda: evidence.compute().rows) == str(len(SCORES) * 10)
    assert in_child(lambda: in_child(lambda: evidence.copy().compute().rows)) == str(len(SCORES) * 10)


def test_fork_inside_a_callback_keeps_the_objects_of_the_call() -> None:
    """In the child too the call goes on, and other threads of the child wait for it."""
    evidence = credence.Evidence(resamples=20)
    rows = _core.Predictions(scores=np.tile(SCORES, (10, 1)), labels=np.tile(LABELS, 10))
    found: list[str] = []

    def child() -> str:
        waiting = ThreadPoolExecutor(1).submit(evidence._core.save)
        time.sleep(0.1)
        return f"{waiting.running()} {pytest.raises(credence.UsageError, evidence._core.save).value}"

    def progress(stage: str, done: int, total: int) -> None:
        if not found:
            found.append(in_child(child))
    for part in range(50):  # a call may end before it tells of its progress
        evidence._core.add(rows, first_row=part * len(LABELS) * 10, progress=progress)
        if found:
            break
    assert found == ["True the object is in use by the call whose callback this is"]


def run(source: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, timeout=120)


def test_exit_while_a_daemon_computes() -> None:
    done = run("""
        import threading, numpy as np, credence
        scores = np.random.default_rng(0).normal(size=(200000, 5))
        rows = credence._core.Predictions(scores=scores, labels=scores.argmax(1))
        begun = threading.Event()
        def compute():
            rows.evaluate(resamples=20000, progress=lambda *unnamed: begun.set())
        threading.Thread(target=compute, daemon=True).start()
        begun.wait(60)
        print("ends")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")


def test_ctrl_c_in_a_child() -> None:
    """The handler of a parent that forks while it computes is not left in the child."""
    done = run("""
        import os, signal, threading, time, numpy as np, credence
        scores = np.random.default_rng(0).normal(size=(100000, 5))
        rows = credence._core.Predictions(scores=scores, labels=scores.argmax(1))
        begun = threading.Event()
        def fork():
            begun.wait()
            time.sleep(0.1)
            if os.fork() == 0:
                try:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(10)
                except KeyboardInterrupt:
                    print(credence.evaluate(scores[:99], scores[:99].argmax(1), resamples=0).accuracy, flush=True)
                os._exit(0)
            os.wait()
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=fork).start()
        try:
            rows.evaluate(resamples=20000, progress=lambda *unnamed: begun.set())
        except credence.Interrupted:
            print("interrupted")
    """)
    assert (done.returncode, done.stdout) == (0, "1.0\ninterrupted\n"), done.stderr


def test_modules_that_are_loaded_again() -> None:
    """Objects of the first module are those of the second one too."""
    done = run("""
        import sys, numpy as np, credence
        rows = credence._core.Predictions(scores=np.array([[.8, .2], [.4, .6]]), labels=np.array([0, 1]))
        for name in [name for name in sys.modules if name.partition(".")[0] == "credence"]:
            del sys.modules[name]
        import credence as again
        assert again._core is not credence._core and again.InputError is not credence.InputError
        print(rows.describe()["rows"], again.evaluate(rows, resamples=0).ece == credence.evaluate(rows, resamples=0).ece)
        try:
            again.evaluate([[.8, .2]], [7])
        except again.InputError:
            print("ours")
    """)
    assert (done.returncode, done.stdout) == (0, "2 True\nours\n"), done.stderr


def test_other_interpreters_are_refused() -> None:
    done = run('''
        import credence
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        interpreters.run_string(interpreters.create(), """if True:
            try:
                import credence._core
            except ImportError as error:
                print("refused:", error)
        """)
        print(credence.evaluate([[.9, .1], [.2, .8]], [0, 1], resamples=0).accuracy)
    ''')
    assert done.returncode == 0 and done.stdout.startswith("refused: ") and done.stdout.endswith("\n1.0\n"), done
