"""page.py -- the table of docs/models.md, between two marks; the rest of the page is written by hand."""
import re

from . import compare

BEGIN, END = "<!-- models -->\n", "<!-- /models -->\n"
HEAD = "| library | model | exporter | operator set | outputs | gradient |\n|---|---|---|---|---|---|\n"
# Beginning of an error message: what the table says.
SHORT = (
    (r"the operator (\S+) is not supported", r"operator \1 is not supported"),
    (r"node '[^']*' \((\w+)\): (.*)", r"\1: \2"),
)


def shown(value):
    """A difference, or an error message in a few words."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0e}".replace("e-0", "e-")
    for pattern, words in SHORT:
        found = re.search(pattern, value)
        if found:
            value = found.expand(words)
            break
    return value[:100].replace("|", "/").replace("<", "")


def gradient(found):
    if found["good"] is None or not isinstance(found["outputs"], float):
        return ""
    text = shown(found["slope"]) or "-"
    return f"{text} (torch in float32: {shown(found['gradient'])})" if compare.unsettled(found) else text


def line(job, found, exporters):
    exporter = exporters.get(job.exporter) or job.entry.exporter
    name = job.name.split("/", 1)[1]
    if found["good"] is None:
        return f"| {job.entry.family} | {name} | `{exporter}` | | not exported | |\n"
    opset = f"{found['opset']}" + (f", ml {found['ml']}" if found["ml"] else "")
    word = shown(found["outputs"])
    tolerated = found["good"] or not isinstance(found["outputs"], float)
    return (f"| {job.entry.family} | {name} | `{exporter}` | {opset} | {word} | {gradient(found)}"
            f"{'' if tolerated else ', differs'} |\n")


def counts(done):
    agree = sum(found["good"] is True for _, found in done)
    tried = sum(found["good"] is not None for _, found in done)
    return f"{agree} of {tried} agree; {len(done) - tried} are not written by their exporter.\n\n"


def write(path, done, exporters):
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    table = "".join(line(job, found, exporters) for job, found in done)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + counts(done) + HEAD + table + "\n" + END + rest.split(END)[1])
