"""long.py -- the long ring: choose stages, run and record them, resume.

  run-tests long [--resume] [--list] [--table] [STAGE ...]

Without names, all stages run; STAGE is the name of one, or the common prefix of several (fuzz, valgrind-io). Each
result is recorded in build/long/results.tsv with a digest of its source tree. --resume skips stages that passed on the
present tree, --list shows the names, --table the results on this tree.
"""
import argparse
import concurrent.futures
import difflib
import itertools
import os
import sys
import threading
import time

from . import record, stages, tally as parts


def parse(arguments):
    parser = argparse.ArgumentParser(prog="run-tests long", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("resume", "list", "table"):
        parser.add_argument(f"--{option}", action="store_true")
    parser.add_argument("stages", metavar="STAGE", nargs="*")
    return parser.parse_args(arguments)


def choose(every, words):
    """The stages that the words name, in the order of the ring."""
    chosen = set()
    for word in words:
        found = {stage.name for stage in every if stage.name == word or stage.name.startswith(word + "-")}
        if not found:
            near = difflib.get_close_matches(word, [stage.name for stage in every], 3)
            print(f"run-tests: no stage '{word}'" + (f"; did you mean {', '.join(near)}?" if near else "; see --list"),
                  file=sys.stderr)
            sys.exit(2)
        chosen |= found
    return [stage for stage in every if stage.name in chosen or not words]


class Ring:
    def __init__(self):
        self.total, self.tree, self.built, self.rows = parts.Tally(), record.tree_hash(), {}, {}
        self.known = record.load(self.tree)
        self.lock = threading.Lock()

    def finish(self, name, tally, start, terms="-"):
        """Count and record a stage, unless the sources changed while it ran. A build that was up to date does not
        replace the record of the one that compiled."""
        seconds = time.monotonic() - start
        with self.lock:
            self.total.include(tally)
            if name.startswith("build-") and record.passed(self.known, name, terms) and not tally.failed:
                self.rows[name] = self.known[name]
            elif record.tree_hash() == self.tree:
                self.rows[name] = record.store(self.tree, name, tally, seconds, terms)
            else:
                print(f"     {name} is not recorded: files changed while it ran", flush=True)

    def build(self, preset):
        """Build a tree, once; return False if that fails."""
        if preset not in self.built:
            tally, start = parts.Tally(), time.monotonic()
            self.built[preset] = stages.build(tally, preset)
            self.finish(f"build-{preset}", tally, start)
        return self.built[preset]

    def run(self, stage):
        tally, start = parts.Tally(), time.monotonic()
        if stage.preset and not self.built[stage.preset]:
            tally.add(stage.name, 0, False, "")
            parts.say(False, 0, f"{stage.name}: the build failed")
        else:
            stage.run(tally, stage.name)
        self.finish(stage.name, tally, start, stage.terms)

    def run_all(self, chosen):
        for (preset, beside), group in itertools.groupby(chosen, lambda stage: (stage.preset, stage.beside)):
            if preset:
                self.build(preset)
            with concurrent.futures.ThreadPoolExecutor(int(parts.JOBS) if beside else 1) as pool:
                for job in [pool.submit(self.run, stage) for stage in group]:
                    job.result()

    def names(self, every):
        """The results of builds and stages, in the order of the table."""
        for preset, group in itertools.groupby(every, lambda stage: stage.preset):
            yield from [f"build-{preset}"] * (f"build-{preset}" in self.rows)
            yield from (stage.name for stage in group)


def show_list(every, rows):
    for stage in every:
        row = rows.get(stage.name)
        known = f"{row['result']} in {record.duration(row['seconds'])}" if row else ""
        print(f"{stage.name:<36} {known:<18} {stage.what}")


def main(arguments):
    wanted = parse(arguments)
    chosen = choose(stages.all_stages(), wanted.stages)
    ring = Ring()
    known = ring.known
    if wanted.list:
        show_list(chosen, known)
        return 0
    if wanted.table:
        ring.rows = known
        print(record.table(ring.names(chosen), known))
        return 0
    todo = [stage for stage in chosen if not (wanted.resume and record.passed(known, stage.name, stage.terms))]
    if len(todo) < len(chosen):
        print(f"{len(chosen) - len(todo)} of {len(chosen)} stages passed on this tree before")
    ring.rows = {name: row for name, row in known.items() if wanted.resume and row["result"] == "passed"}
    interrupted = False
    try:
        ring.run_all(todo)
    except KeyboardInterrupt:
        interrupted = True
    ring.total.report()
    print(f"\nThe tree {ring.tree} on {os.cpu_count()} cores ({record.PATH}):\n")
    print(record.table(ring.names(chosen), ring.rows))
    if interrupted:
        print("\nInterrupted: --resume runs the stages that are left.")
        return 130
    return 1 if ring.total.failed else 0
