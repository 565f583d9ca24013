"""Ctrl-C and other exceptions in the middle of a call."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import credence
from credence import _core

RNG = np.random.default_rng(5)
SCORES = 3 * RNG.normal(size=(400000, 10)).astype(np.float32)
LABELS = SCORES.argmax(1)
FEW = {"scores": SCORES[:2000], "labels": LABELS[:2000]}
EXPECTED = credence.evaluate(SCORES[:200], LABELS[:200], resamples=20).to_json()


def long_call(progress: Any = None) -> Any:
    """Half a minute of work, in steps of a tenth of a second, unless it is interrupted."""
    rows = _core.Predictions(scores=SCORES, labels=LABELS)
    return rows.evaluate(resamples=2000, progress=progress)


def still_works() -> None:
    assert credence.evaluate(SCORES[:200], LABELS[:200], resamples=20).to_json() == EXPECTED


@pytest.fixture(autouse=True)
def handler_is_restored() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt) as caught:  # Python's own handler is installed again
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    assert not isinstance(caught.value, credence.Error)
    still_works()


def interrupt_soon(seconds: float = 0.3) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c() -> None:
    timer = interrupt_soon()
    with pytest.raises(credence.Interrupted, match="interrupted"):
        long_call()
    timer.join()


@pytest.mark.parametrize("method", ["isotonic-joint", "imax", "spline", "venn-abers"])
def test_ctrl_c_while_sorted_rows_are_fitted(method: str) -> None:
    """These read millions of sorted rows in order: they look for interrupts meanwhile, at any time."""
    rows = _core.Predictions(scores=SCORES, labels=LABELS)
    start = time.thread_time()
    rows.fit(method, threads=1)
    whole = time.thread_time() - start
    latest = 0.0
    for part in range(1, 6):
        sent: list[float] = []

        def shoot(sent: list[float] = sent) -> None:
            sent.append(time.clock_gettime(clock))
            os.kill(os.getpid(), signal.SIGINT)
        clock = time.pthread_getcpuclockid(threading.get_ident())
        timer = threading.Timer(part * whole / 6, shoot)
        timer.start()
        try:
            rows.fit(method, threads=1)
            timer.join()
        except credence.Interrupted:
            latest = max(latest, time.thread_time() - sent[0])
        except KeyboardInterrupt:  # after the fit
            pass
        timer.join()
    assert latest < max(0.15, whole / 4), f"{latest:.2f} s of {whole:.2f} s"


def test_ctrl_c_with_progress() -> None:
    timers: list[threading.Timer] = []

    def progress(stage: str, done: int, total: int) -> None:
        if not timers:
            timers.append(interrupt_soon(0.1))
    with pytest.raises(credence.Interrupted):
        long_call(progress)
    timers[0].join()


def test_ctrl_c_inside_a_callback() -> None:
    def progress(stage: str, done: int, total: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    with pytest.raises(credence.Interrupted):
        long_call(progress)


def test_ctrl_c_as_the_last_thing_of_a_callback() -> None:
    """The interpreter does not look at signals after the callback's last instruction."""
    with pytest.raises(credence.Interrupted):
        long_call(lambda *unnamed: signal.raise_signal(signal.SIGINT))


def test_ctrl_c_in_a_call_inside_a_callback() -> None:
    timer = interrupt_soon()
    with pytest.raises(credence.Interrupted):
        long_call(lambda *unnamed: long_call())
    timer.join()


def test_an_interrupted_call_inside_a_callback_ends_alone() -> None:
    """What the callback catches is over; the outer call goes on, and is interrupted by itself."""
    inner: list[BaseException] = []

    def progress(stage: str, done: int, total: int) -> None:
        if inner:
            return
        interrupt_soon()
        try:
            long_call()
        except credence.Interrupted as error:
            inner.append(error)
            interrupt_soon()
    with pytest.raises(credence.Interrupted):
        long_call(progress)
    assert len(inner) == 1


class Stop(Exception):
    pass


def test_exception_of_a_callback() -> None:
    def progress(stage: str, done: int, total: int) -> None:
        raise Stop(stage)
    with pytest.raises(Stop, match="."):
        long_call(progress)


def with_handler(handler: Any, call: Callable[[], Any]) -> None:
    before = signal.signal(signal.SIGINT, handler)
    try:
        call()
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_users_own_handler() -> None:
    def handler(number: int, frame: Any) -> None:
        raise Stop(number)

    def call() -> None:
        timer = interrupt_soon()
        with pytest.raises(Stop):
            long_call()
        timer.join()
    with_handler(handler, call)


def test_users_handler_that_returns() -> None:
    count: list[int] = []

    def call() -> None:
        timer = interrupt_soon()
        with pytest.raises(credence.Interrupted):
            long_call()
        timer.join()
        assert count == [signal.SIGINT]
    with_handler(lambda number, frame: count.append(number), call)


def test_ignored_ctrl_c_is_ignored() -> None:
    def call() -> None:
        timer = interrupt_soon(0.01)
        rows = _core.Predictions(**FEW)
        assert rows.evaluate(resamples=100).describe()["resamples"] == 100
        timer.join()
    with_handler(signal.SIG_IGN, call)


def test_handler_that_a_callback_installs_stays() -> None:
    before = signal.getsignal(signal.SIGINT)

    def handler(number: int, frame: Any) -> None:
        raise Stop

    def progress(stage: str, done: int, total: int) -> None:
        if signal.getsignal(signal.SIGINT) is before:
            signal.signal(signal.SIGINT, handler)
            timer.start()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(Stop):
            long_call(progress)
        assert signal.getsignal(signal.SIGINT) is handler
        with pytest.raises(Stop):
            signal.raise_signal(signal.SIGINT)
            time.sleep(1)
    finally:
        signal.signal(signal.SIGINT, before)
    timer.join()


def test_callback_that_ignores_ctrl_c() -> None:
    before = signal.getsignal(signal.SIGINT)
    calls: list[int] = []

    def progress(stage: str, done: int, total: int) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.kill(os.getpid(), signal.SIGINT)
        calls.append(done)
        if len(calls) > 3:
            raise Stop
    try:
        with pytest.raises(Stop):
            long_call(progress)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_signals_do_not_interrupt() -> None:
    count: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: count.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    rows = _core.Predictions(**FEW)
    values: set[str] = set()
    try:
        for _ in range(1000):
            values.add(rows.evaluate(resamples=200).report("json"))
            if len(count) >= 3:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(count) >= 3
    assert values == {rows.evaluate(resamples=200).report("json")}


def test_ctrl_c_reaches_the_main_thread_while_another_computes() -> None:
    failed: list[BaseException] = []
    stop, begun = threading.Event(), threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        begun.set()
        if stop.is_set():
            raise Stop

    def compute() -> None:
        try:
            long_call(progress)
        except BaseException as error:
            failed.append(error)
    thread = threading.Thread(target=compute)
    thread.start()
    begun.wait(30)
    with pytest.raises(KeyboardInterrupt):
        interrupt_soon(0.1)
        threading.Event().wait(30)
    assert not failed
    stop.set()
    thread.join(30)
    assert [type(error) for error in failed] == [Stop]


def test_ctrl_c_while_waiting_for_an_object() -> None:
    """The main thread waits for evidence that another thread is busy with."""
    evidence = credence.Evidence(resamples=2000).update(**FEW)
    stop, begun = threading.Event(), threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        begun.set()
        if stop.is_set():
            raise Stop

    def compute() -> None:
        with pytest.raises(Stop):
            evidence._core.add(_core.Predictions(scores=SCORES, labels=LABELS), first_row=10000, progress=progress)
    thread = threading.Thread(target=compute)
    thread.start()
    begun.wait(30)
    interrupt_soon()
    with pytest.raises(credence.Interrupted):
        evidence._core.save()
    assert thread.is_alive()
    stop.set()
    thread.join(30)
    evidence._core.save()


def test_object_in_use_by_its_own_callback() -> None:
    evidence = credence.Evidence(resamples=10)
    rows = _core.Predictions(scores=SCORES[:50000], labels=LABELS[:50000])
    attempts: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        for call in (evidence._core.save, lambda: evidence._core.add(rows), evidence.compute,
                     lambda: credence.Evidence(resamples=10).merge(evidence)):
            with pytest.raises(credence.UsageError, match="in use by the call whose callback this is"):
                call()
            attempts.append(stage)
        rows.evaluate(resamples=0)
    evidence._core.add(rows, progress=progress)
    assert attempts
    assert evidence.compute().to_json() == rows.evaluate(resamples=10).report("json")


def test_many_interrupts() -> None:
    """Signals arrive at any time around calls: begin, end, and between them."""
    source = """
        import os, signal, sys, threading, time
        import numpy as np, credence
        scores = np.random.default_rng(0).normal(size=(300, 4)) * 3
        labels = scores.argmax(1)
        expected = credence.evaluate(scores, labels, resamples=0).to_json()
        seen = {"ours": 0, "python": 0}
        shooting, shot, catching = threading.Event(), 0, False
        def handler(*unnamed):
            if catching:  # not between the end of an except clause and the next try
                raise KeyboardInterrupt
        signal.signal(signal.SIGINT, handler)
        def shoot():
            global shot
            shooting.wait()
            while shot < 1500:
                os.kill(os.getpid(), signal.SIGINT)
                shot += 1
                time.sleep(0.0007)
        thread = threading.Thread(target=shoot)
        thread.start()
        shooting.set()
        while shot < 1500:
            try:
                catching = True
                while shot < 1500:
                    assert credence.evaluate(scores, labels, resamples=5).resamples == 5
            except KeyboardInterrupt as error:
                catching = False
                seen["ours" if isinstance(error, credence.Interrupted) else "python"] += 1
        catching = False
        thread.join()
        assert credence.evaluate(scores, labels, resamples=0).to_json() == expected
        print(seen["ours"] > 0, sum(seen.values()) > 100)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, ["True", "True"]), done.stderr
