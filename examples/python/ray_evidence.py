"""Evaluate a large file of predictions with Ray.

    python ray_evidence.py FILE [TASKS]

Each task reads its own rows and returns Evidence, as the processes of multiprocessing_evidence.py do. On a cluster,
`ray.init(runtime_env={"working_dir": ...})` with the folder of both programs brings them to the other machines.
"""
import operator
import sys
from functools import reduce

import ray
from multiprocessing_evidence import evidence_of, parts_of

import credence


def evaluate(path: str, tasks: int) -> credence.Result:
    """Return the evaluation of all rows, which the tasks share."""
    task = ray.remote(evidence_of)
    evidence: list[credence.Evidence] = ray.get([task.remote(part) for part in parts_of(path, tasks)])
    return reduce(operator.add, evidence).compute()


if __name__ == "__main__":
    print(evaluate(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4))
