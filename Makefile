# Every target first installs missing packages (tools/setup), then calls CMake (CMakePresets.json) and
# the programs of tools/.
#
#   make             build/credence, the program, and the libraries beside it
#   make demo        train, evaluate, calibrate, clamp and export a small network: examples/demo
#   make test        everything that must pass before a change goes in
#   make test-long   other sanitizers, valgrind, fuzzing, mutants (FUZZ_SECONDS a target;
#                    STAGES="--resume", STAGES="fuzz tsan": tools/run-tests long)
#   make bench       speed against other tools: build/bench.json, docs/benchmarks.md
#   make bench-quick the same with fewer rounds, build/bench.json only
#   make lint        clang-tidy, clang-format, shellcheck (tools/lint --quick: in seconds)
#   make format      clang-format all sources
#   make wheel       the Python package for other machines: build/wheel/*.whl
#   make install     into PREFIX, below DESTDIR
#   make clean
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: all demo test test-long bench bench-quick lint format wheel install clean
.NOTPARALLEL:

all:
	@tools/setup build
	@tools/build release

demo: all
	@tools/setup demo
	@examples/demo build/credence build/demo

test:
	@tools/setup build test
	@tools/run-tests short

test-long:
	@tools/setup build test oracle cross python
	@tools/run-tests long $(STAGES)

bench:
	@tools/setup build oracle
	@tools/build release -DCREDENCE_BENCH=ON
	build/bin/credence-bench --python "$$(bench/setup-peers)" --output build/bench.json
	bench/document build/bench.json >docs/benchmarks.md

bench-quick:
	@tools/setup build oracle
	@tools/build release -DCREDENCE_BENCH=ON
	build/bin/credence-bench --python "$$(bench/setup-peers)" --quick --output build/bench.json

lint:
	@tools/setup build test lint
	@tools/lint

format:
	@tools/setup lint
	@tools/lint --format

wheel:
	@tools/setup python
	@tools/make-wheel

install:
	@tools/setup build
	@tools/build release -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	DESTDIR="$(DESTDIR)" cmake --install build

clean:
	rm -rf build
