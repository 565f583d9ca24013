"""stages.py -- the stages of the long ring: the commands of each, and its build tree.

A stage takes less than half an hour or so, and needs no other: its tree is built first, if it is not
up to date. Stages that use one core run in parallel.
"""
import collections
import glob
import os
import re
import subprocess

from . import tally as parts

FUZZ_SECONDS = os.environ.get("FUZZ_SECONDS", "600")
# Kinds of tests, for trees in which all of them would take too long at once.
KINDS = {"unit": "_test$", "conform": "^conform-", "golden": "^golden-", "fault": "^fault-", "cli": "^cli-"}
OPSETS = (11, 13, 17)  # of tools/make-networks
# name; what it is; run(tally, name); preset: the tree to build; beside: others may run at the same
# time; terms: other parameters of its result.
Stage = collections.namedtuple("Stage", "name what run preset beside terms", defaults=(None, False, "-"))

# {preset: further arguments of tools/build}
BUILD_OPTIONS = {"release": ["-DCREDENCE_TESTS=ON", "-DCREDENCE_PYTHON=ON"], "dev": ["-DCREDENCE_PYTHON=ON"]}


def build(tally, preset):
    good = parts.step(tally, f"build {preset}", ["tools/build", preset, *BUILD_OPTIONS.get(preset, [])])
    if good and preset == "release":
        good = parts.step(tally, "build tsne, gradient", ["cmake", "--build", "build", "--target", "tsne", "gradient"])
    return good


def thread_sanitizer_environment():
    """OpenMP reports its locks to the sanitizer through a library called Archer."""
    found = glob.glob("/usr/lib/llvm-*/lib/libarcher.so")
    return {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1",
            **({"OMP_TOOL_LIBRARIES": found[-1]} if found else {})}


def suite(preset, what, env=None, without=()):
    """The tests of a tree, a stage for each kind."""
    rest = "|".join(KINDS.values())
    for kind, choice in [*((kind, ["-R", regex]) for kind, regex in KINDS.items()), ("other", ["-E", rest])]:
        if kind not in without:
            def run(tally, name, choice=choice):
                parts.ctest(tally, name, f"build/{preset}", choice, env)
            yield Stage(f"{preset}-{kind}", f"{what}: {kind} tests", run, preset)


def rooms():
    """Rooms with unit tests. A room is a folder of src/ with a CMakeLists.txt, such as src/engine/kernel."""
    found = set()
    for folder, _, names in os.walk("src"):
        if any(name.endswith("_test.c") for name in names):
            while not os.path.exists(os.path.join(folder, "CMakeLists.txt")):
                folder = os.path.dirname(folder)
            found.add(os.path.basename(folder))
    return sorted(found)


def valgrind(room):
    """Memory errors only, by their exit status: valgrind computes long double in double, so that
    tests with references of that type fail there, and leak while failing."""
    def run(tally, _):
        programs = sorted(glob.glob(f"build/valgrind/tests/{room}-*_test"))
        if not programs:
            tally.add(f"valgrind {room}", 0, False, "")
        for program in programs:
            name = f"valgrind {os.path.basename(program)}"
            ok, seconds, output = parts.run(name, [
                "sh", "-c", 'valgrind -q --error-exitcode=99 "$0"; test $? -lt 99', program])
            tally.add(name, seconds, ok, "")
            parts.say(ok, seconds, name)
            if not ok:
                parts.show(name, output)
    return Stage(f"valgrind-{room}", f"unit tests of {room} under valgrind", run, "valgrind", True)


def fuzz(target):
    def run(tally, name):
        found, seeds = f"build/fuzz/found/{target}/", f"build/fuzz/seeds/{target}"
        os.makedirs(found, exist_ok=True)
        os.makedirs(seeds, exist_ok=True)
        parts.step(tally, name, [
            f"build/fuzz/tests/{target}", f"-max_total_time={FUZZ_SECONDS}", "-rss_limit_mb=2048", "-timeout=20",
            f"-artifact_prefix={found}", "-print_final_stats=1", seeds, f"tests/fuzz/corpus/{target}"])
    return Stage(target.replace("_", "-"), f"libFuzzer on {target}", run, "fuzz", True, f"{FUZZ_SECONDS} s")


def program(name, what, *command, preset="release"):
    """A stage that is one command."""
    return Stage(name, what, lambda tally, label: parts.step(tally, label, command), preset)


def networks():
    for opset in OPSETS:
        yield program(f"networks-opset{opset}", f"networks of PyTorch in operator set {opset}: logits",
                      "tests/long/networks", "build/credence", f"opset{opset}")
    listed = subprocess.run(["tests/long/gradients", "--list"], capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        yield program(f"gradients-{name}", "gradients beside torch.autograd's", "tests/long/gradients",
                      "build/tests/golden-gradients", name)
    yield program("training", "five steps of SGD beside PyTorch's", "tests/long/training",
                  "build/tests/golden-training")
    yield program("zoo", "architectures beside PyTorch and ONNX Runtime", "tests/long/zoo", "build/credence",
                  "build/tests/golden-zoo")
    yield program("clamp", "clamping beside ONNX Runtime and PyTorch", "tests/long/clamp", "build/credence",
                  "build/tests/golden-clamp")
    yield program("train-kills", "training killed at 20 moments", "tests/train/kill", "build/credence", "20")
    yield program("train-points", "training killed at every write", "build/tests/train-points", "all")
    yield program("demo", "the demonstration, from training to an exported model", "examples/demo", "build/credence",
                  "build/demo")
    yield program("resnets", "published ResNets on CIFAR-10", "tests/long/resnets", "build/credence")
    yield program("roundtrip", "networks saved again: ONNX Runtime's bits", "tests/long/roundtrip", "build/credence")
    yield program("onnx-data", "the current onnx package's test data", "tests/long/onnx-data",
                  "build/tests/conform-onnx_testdata")
    yield program("opsets", "networks in newer operator sets", "tests/long/opsets", "build/credence")
    yield program("models", "models of today's libraries beside ONNX Runtime and torch", "tests/long/models",
                  "build/credence", "build/bin/gradient")


def wheel(tally, name):
    """The wheel, on its own; and its library, lean with networks, as a program."""
    if parts.step(tally, f"{name}: make wheel", ["make", "wheel"]):
        parts.step(tally, name, ["sh", "-c", "tests/python/wheel build/wheel/*.whl"])
        if parts.step(tally, f"{name}: build", ["cmake", "--build", "build/wheel/tree", "--target", "credence"]):
            parts.step(tally, f"{name}: lean, networks", ["tests/lean/networks", "build/wheel/tree/credence"])


def mutants():
    """The mutants of a room, by the first file that each changes; those outside src/ by its folder."""
    found = collections.defaultdict(list)
    for path in sorted(glob.glob("tools/mutants/*")):
        with open(path, encoding="utf-8", errors="replace") as file:
            changed = re.search(r"^(?:file: |\+\+\+ b/)(?:src/)?(\w+)/", file.read(), re.M)
        room = changed.group(1) if changed else "other"
        found[room].append(os.path.splitext(os.path.basename(path))[0])
    for room, names in sorted(found.items()):
        yield program(f"mutants-{room}", f"{len(names)} mutants", "tools/mutate", *names, preset=None)


def all_stages():
    """All stages, in the order in which they run."""
    leaks = {"LSAN_OPTIONS": "print_suppressions=0:suppressions=" + os.path.abspath("tests/libomp.supp")}
    stages = [*suite("clang-dev", "clang's address and undefined-behaviour sanitizers", leaks),
              # Transcripts run in an empty environment, in which Archer complains.
              *suite("tsan", "clang's thread sanitizer", thread_sanitizer_environment(), without=("cli",)),
              *map(valgrind, rooms()),
              Stage("bare", "a build without the optional libraries: all tests",
                    lambda tally, name: parts.ctest(tally, name, "build/bare"), "bare"),
              Stage("lean", "a lean build: unit tests, dependencies, formats",
                    lambda tally, name: parts.ctest(tally, name, "build/lean", ["-R", "_test$|^lean$"]), "lean")]
    with open("tests/fuzz/CMakeLists.txt", encoding="utf-8") as file:
        stages += map(fuzz, sorted(re.findall(r"^ *crd_fuzz\((fuzz_\w+)", file.read(), re.M)))
    stages += [program("tsne", "t-SNE beside scikit-learn's", "tests/long/tsne", "build/bin/tsne"),
               program("aarch64", "64-bit ARM, emulated: unit tests, and the same bytes", "tests/long/aarch64",
                       "build/credence"),
               program("page", "the HTML page in a browser", "tests/long/page", "build/credence"),
               program("latex", "tables compiled by pdflatex", "tests/long/latex", "build/credence"),
               program("python-peers", "the Python package beside today's libraries", "tests/long/python-peers",
                       "build/python/package"),
               Stage("python-dev", "the Python package with gcc's sanitizers",
                     lambda tally, name: parts.ctest(tally, name, "build/dev", ["-R", "^python-suite$"]), "dev"),
               Stage("wheel", "the Python package for other machines", wheel),
               *networks(), *mutants(),
               program("sampled-faults", "300 random faults", "tools/sample-faults", preset=None)]
    return stages
