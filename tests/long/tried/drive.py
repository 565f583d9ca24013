"""drive.py -- all rows: export those that are not stored, two at a time, compare, and write the table."""
import argparse
import collections
import hashlib
import json
import multiprocessing
import os
import time

from . import compare, export, page, written

HERE = os.path.dirname(os.path.abspath(__file__))
EXPORTERS = {"torch": "torch.onnx.export", "legacy": "torch.onnx.export(dynamo=False)"}
LONGEST = 600  # seconds for one export
Job = collections.namedtuple("Job", "name entry exporter stem")


def exporters(entry):
    if not hasattr(entry, "make"):
        return ("written",)
    return ("torch",) if entry.opset else EXPORTERS


def jobs(folder, words):
    for name, entry in written.all_rows().items():
        for exporter in exporters(entry):
            if not words or any(word in f"{name}@{exporter}" for word in words):
                yield Job(name, entry, exporter, os.path.join(folder, name.replace("/", "-") + "@" + exporter))


def digest():
    """Of the table and of the exporters."""
    import importlib.metadata as metadata
    text = "".join(f"{name} {metadata.version(name)}\n" for name in ("torch", "timm", "transformers", "onnxscript"))
    for name in ("rows", "modules", "written", "export"):
        with open(os.path.join(HERE, name + ".py"), encoding="utf-8") as file:
            text += file.read()
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def stale(job, mark):
    try:
        with open(job.stem + ".mark", encoding="utf-8") as file:
            return mark is not None and file.read() != mark
    except FileNotFoundError:
        return True


def start(job):
    process = multiprocessing.get_context("fork").Process(target=export.made, args=(job.stem, job.entry, job.exporter))
    process.start()
    return job, process, time.monotonic()


def finish(job, process, mark):
    if process.is_alive():
        process.terminate()
    process.join()
    if not os.path.exists(job.stem + ".facts.json"):
        with open(job.stem + ".facts.json", "w", encoding="utf-8") as file:
            json.dump({"error": f"the exporter ended with status {process.exitcode}"}, file)
    with open(job.stem + ".mark", "w", encoding="utf-8") as file:
        file.write(mark)


def export_all(todo, mark):
    """Yield each job when its files are there."""
    import timm  # noqa: F401  once, for all that are forked
    import torch  # noqa: F401
    import transformers  # noqa: F401
    waiting, running = collections.deque(todo), []
    while waiting or running:
        while waiting and len(running) < len(os.sched_getaffinity(0)):
            job = waiting.popleft()
            for ending in (".facts.json", ".onnx", ".onnx.data"):
                if os.path.exists(job.stem + ending):
                    os.remove(job.stem + ending)
            running.append(start(job))
        time.sleep(0.05)
        for one in list(running):
            job, process, begun = one
            if not process.is_alive() or time.monotonic() - begun > LONGEST:
                finish(job, process, mark)
                running.remove(one)
                yield job


def parse(arguments):
    parser = argparse.ArgumentParser(prog="models")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("--missing")
    parser.add_argument("words", nargs="*")
    return parser.parse_intermixed_args(arguments)


def say(job, found):
    if found["good"] is None:
        text = f"not exported: {found['error']}"
    else:
        shown = [f"{x:.1e}" if isinstance(x, float) else str(x) for x in (found["outputs"], found["slope"])]
        text = f"outputs {shown[0]}" + (f", gradient {shown[1]}" if found["slope"] is not None else "")
    word = {True: "ok  ", False: "FAIL", None: "    "}[found["good"]]
    print(f"{word} {job.name} ({job.exporter})  {text}", flush=True)


def write_missing(path, program, done):
    found = collections.defaultdict(list)
    for job, result in done:
        if result["good"] is not None:
            for operator in compare.missing(program, job.stem):
                found[operator].append(f"{job.name}@{job.exporter}")
    with open(path, "w", encoding="utf-8") as file:
        for operator, names in sorted(found.items(), key=lambda pair: -len(pair[1])):
            file.write(f"{operator}\t{len(names)}\t{' '.join(sorted(names))}\n")


def main(arguments, folder):
    wanted = parse(arguments)
    if wanted.list:
        print(*(f"{job.name}@{job.exporter}" for job in jobs(folder, [])), sep="\n")
        return 0
    programs, words = [os.path.abspath(path) for path in wanted.words[:2]], wanted.words[2:]
    os.makedirs(folder, exist_ok=True)
    mark, done = digest(), []
    every = list(jobs(folder, words))
    if not every:
        raise SystemExit(f"models: no row is called {' or '.join(words)} (--list)")
    todo = [job for job in every if stale(job, None if wanted.keep else mark)]
    ready = [job for job in every if job not in todo]
    for source in (ready, export_all(todo, mark) if todo else ()):
        for job in source:
            found = compare.judge(programs, job.stem, getattr(job.entry, "tolerance", 1e-4))
            say(job, found)
            done.append((job, found))
    if wanted.missing:
        write_missing(wanted.missing, programs[0], done)
    if wanted.table:
        page.write(wanted.table, sorted(done, key=lambda pair: every.index(pair[0])), EXPORTERS)
    good = [found["good"] for _, found in done]
    print(f"{good.count(True)} agree, {good.count(False)} do not, {good.count(None)} cannot be exported")
    return 1 if False in good or True not in good else 0
