"""Validate the files KIND.json of a folder against the schemas of another.

    validate.py SCHEMAS FILES [OFF]

A schema without a file fails (unless OFF: built without networks), and so does a schema that accepts
invalid files.
"""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator

NETWORKS = {"architecture", "network", "network-run", "gradient-check", "predicted", "run", "clamp", "clamped",
            "confidence"}


def load(path):
    return json.loads(path.read_text(), parse_constant=lambda word: sys.exit(f"{path}: {word}"))


def main():
    schemas, failures, used = {}, 0, set()
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        schema = load(path)
        Draft202012Validator.check_schema(schema)
        schemas[path.stem] = Draft202012Validator(schema)
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*.json")):
        kind, found = path.name.split(".")[1], load(path)
        validator = schemas[kind]
        used.add(kind)
        members = found["results"] if kind == "results" else []  # each is a whole result
        for error in [*validator.iter_errors(found), *(e for m in members for e in schemas["result"].iter_errors(m))]:
            failures += 1
            print(f"{path.name}: {error.json_path}: {error.message[:200]}")
        # Another kind or version, or a missing required key, must be invalid.
        wrong = [dict(found, credence="other"), dict(found, version=2)]
        wrong += [{k: v for k, v in found.items() if k != key}
                  for key in validator.schema["required"]]
        if any(validator.is_valid(w) for w in wrong):
            failures += 1
            print(f"{path.name}: the schema of {kind} accepts an invalid file")
    missing = set(schemas) - used - (NETWORKS if "OFF" in sys.argv[3:] else set())
    for kind in sorted(missing):
        failures += 1
        print(f"no output was checked against {kind}.json")
    print(f"{len(used)} kinds, {failures} failures")
    sys.exit(failures > 0)


main()
