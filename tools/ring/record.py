"""record.py -- which stages of the long ring passed on which tree: build/long/results.tsv.

One line per stage, appended when it ends, so that an interrupted ring keeps the earlier results. The tree is
identified by a digest of its files, whether or not they are committed; docs/testing.md, which contains the results, is
not part of it.
"""
import hashlib
import os
import subprocess
import time

PATH = "build/long/results.tsv"
COLUMNS = ("tree", "stage", "result", "passed", "failed", "skipped", "seconds", "finished", "commit", "terms")
NOT_COUNTED = {"docs/testing.md"}


def git(*arguments):
    return subprocess.run(["git", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout.strip()


def tree_files():
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    if listed != [""]:
        return sorted({path for path in listed if path and path not in NOT_COUNTED and os.path.isfile(path)})
    found = [os.path.relpath(os.path.join(folder, name), ".") for folder, _, names in os.walk(".") for name in names]
    return sorted(path for path in found if not path.startswith("build" + os.sep) and path not in NOT_COUNTED)


def tree_hash():
    """A digest of the names, modes and contents of all files."""
    digest = hashlib.sha256()
    for path in tree_files():
        with open(path, "rb") as file:
            content = hashlib.sha256(file.read()).hexdigest()
        digest.update(f"{path}\0{os.access(path, os.X_OK)}\0{content}\n".encode())
    return digest.hexdigest()[:12]


def commit():
    """The commit, with a + where files differ from it."""
    changed = git("status", "--porcelain", "--", ".", *(f":!{path}" for path in NOT_COUNTED))
    return (git("rev-parse", "--short=10", "HEAD") or "-") + ("+" if changed else "")


def load(tree):
    """{stage: row} of this tree: the last row of each stage, a dict by COLUMNS."""
    rows = {}
    try:
        with open(PATH, encoding="utf-8") as file:
            for line in file:
                words = line.rstrip("\n").split("\t")
                if line.endswith("\n") and len(words) == len(COLUMNS) and words[0] == tree:
                    rows[words[1]] = dict(zip(COLUMNS, words))
    except FileNotFoundError:
        pass
    return rows


def passed(rows, stage, terms):
    """Whether the stage passed with these terms."""
    return stage in rows and rows[stage]["result"] == "passed" and rows[stage]["terms"] == terms


def store(tree, stage, tally, seconds, terms):
    """Append a stage that has ended; return the row. A stage in which nothing could run has not passed."""
    result = "FAILED" if tally.failed else "passed" if tally.passed else "skipped"
    row = dict(zip(COLUMNS, (
        tree, stage, result, str(tally.passed), str(tally.failed),
        str(len(tally.skips)), f"{seconds:.1f}", time.strftime("%Y-%m-%d %H:%M", time.gmtime()), commit(),
        terms)))
    os.makedirs(os.path.dirname(PATH), exist_ok=True)
    with open(PATH, "a+", encoding="utf-8") as file:
        file.seek(0)
        before = file.read()
        start = "" if before.endswith("\n") else "\n" if before else "\t".join(COLUMNS) + "\n"
        file.write(start + "\t".join(row[name] for name in COLUMNS) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return row


def duration(seconds):
    seconds = round(float(seconds))
    return f"{seconds} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def table(names, rows):
    """The results of stages as the table of docs/testing.md."""
    lines = ["| stage | result | passed | failed | skipped | time | finished (UTC) | commit |",
             "|---|---|---|---|---|---|---|---|"]
    for name in names:
        row = rows.get(name)
        if row:
            terms = f" ({row['terms']})" if row["terms"] != "-" else ""
            lines.append(f"| {name}{terms} | {row['result']} | {row['passed']} | {row['failed']} | {row['skipped']} | "
                         f"{duration(row['seconds'])} | {row['finished']} | {row['commit']} |")
        else:
            lines.append(f"| {name} | not run | | | | | | |")
    return "\n".join(lines)
