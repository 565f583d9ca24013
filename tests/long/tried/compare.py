"""compare.py -- one exported row through the program: outputs beside ONNX Runtime's, gradient beside torch's."""
import json
import os
import re
import subprocess
import tempfile

import numpy as np

GRADIENT, SECONDS = 1e-3, 300


def ran(command):
    """(exit status, first line of its error message)"""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return -1, f"not done after {SECONDS} seconds"
    return done.returncode, shortened(done.stderr)


def shortened(message):
    """An error message without the name of the program and the path of the file."""
    text = " ".join(message.split())
    return re.sub(r"^credence: |/\S*/", "", text)[:240]


def apart(ours, theirs):
    """The largest difference, relative to the largest element; infinite for another shape."""
    if ours.size != theirs.size:
        return np.inf
    ours, theirs = ours.astype(float).ravel(), theirs.astype(float).ravel()
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def outputs(program, stem, facts, folder):
    """The difference from ONNX Runtime, or an error message."""
    out = os.path.join(folder, "out.npy")
    arrays = [f"{stem}.x{i}.npy" for i in range(facts["inputs"])]
    status, message = ran([program, "net", "run", stem + ".onnx", *arrays, "-o", out, "--output-name", facts["output"],
                           "--quiet"])
    return message if status else apart(np.load(out), np.load(stem + ".out.npy"))


def gradient(program, stem, facts, folder):
    """The difference from torch, an error message, or None: the input is of integers, or the model not torch's."""
    if "gradient" not in facts:
        return None
    out = os.path.join(folder, "gradient.bin")
    arrays = [f"{stem}.x{i}.npy" for i in range(facts["inputs"])]
    status, message = ran([program, stem + ".onnx", stem + ".cotangent.npy", out, *arrays])
    return message if status else apart(np.fromfile(out, np.float32), np.load(stem + ".gradient.npy"))


def unsettled(facts):
    """Whether torch's own gradients in float32 and float64 differ, for every batch that was tried (export.py)."""
    return facts.get("gradient", 0) > GRADIENT / 3


def judge(programs, stem, tolerance):
    """{outputs, gradient: a difference or an error message; good}"""
    with open(stem + ".facts.json", encoding="utf-8") as file:
        facts = json.load(file)
    if "error" in facts:
        return {**facts, "good": None}
    with tempfile.TemporaryDirectory() as folder:
        found = {**facts, "outputs": outputs(programs[0], stem, facts, folder), "slope": None}
        if isinstance(found["outputs"], float):
            found["slope"] = gradient(programs[1], stem, facts, folder)
    fine = isinstance(found["outputs"], float) and found["outputs"] <= tolerance
    slope = found["slope"]
    allowed = max(GRADIENT, 3 * facts.get("gradient", 0)) if unsettled(facts) else GRADIENT
    steep = slope is None or (isinstance(slope, float) and slope <= allowed)
    return {**found, "good": fine and steep}


def missing(program, stem):
    """The names of unsupported operators."""
    done = subprocess.run([program, "net", "info", stem + ".onnx", "--json"], capture_output=True, text=True,
                          check=False, timeout=SECONDS)
    if done.returncode:
        return {shortened(done.stderr)}
    found = set()
    for node in json.loads(done.stdout)["nodes"]:
        problem = node.get("problem", "")
        if problem and "its input" not in problem:
            found.add(node["operator"] if "not supported" in problem else f"{node['operator']}: {problem}")
    return found
