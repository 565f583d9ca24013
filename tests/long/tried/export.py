"""export.py -- one row as files: NAME.onnx, its inputs, what ONNX Runtime computes, and torch's gradient.

`made` runs in a process of its own, since an exporter may crash or leave its library in another state.
"""
import copy
import json
import os
import traceback
import warnings

import numpy as np

SEED, TRIES, AGREEMENT, NEAR = 1, 60, 2e-4, 2e-6


def made(stem, entry, exporter):
    """Write the row's files; facts.json, with an error if there is one, comes last."""
    warnings.simplefilter("ignore")
    facts, log = {}, os.open(stem + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (1, 2):  # exporters print whole graphs
        os.dup2(log, stream)
    try:
        if exporter == "written":
            arrays = written(stem, entry)
        else:
            arrays = exported(stem, entry, exporter, facts)
        facts |= judged(stem, entry, arrays)
    except Exception as error:  # whatever a library raises: the table names it
        traceback.print_exc()
        facts["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    with open(stem + ".facts.json", "w", encoding="utf-8") as file:
        json.dump(facts, file)


def written(stem, entry):
    import torch
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    return entry.write(stem + ".onnx")


def exported(stem, entry, exporter, facts):
    import torch
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    model, args = entry.make()
    if args[0].is_floating_point():
        args, facts["gradient"] = settled(stem, model, args)
    settings = {"verbose": False} if exporter == "torch" else {"dynamo": False}
    if entry.opset:
        settings["opset_version"] = entry.opset
    torch.onnx.export(model, args, stem + ".onnx", **settings)
    return [x.numpy() for x in args]


# ---- The gradient with respect to the first input


def gradient_of(model, args, cotangent):
    dtype = cotangent.dtype
    args = [x.to(dtype) if x.is_floating_point() else x for x in args]
    args[0] = args[0].clone().requires_grad_()
    model(*args).backward(cotangent)
    return args[0].grad


def settled(stem, model, args):
    """Store gradient and cotangent for a batch for which float32 agrees with float64, also very near to it: elsewhere,
    where an argument of a ReLU is within rounding of 0, two correct programs may differ. Returns the batch, and the
    larger difference."""
    import torch
    best = None
    with torch.no_grad():
        cotangent = torch.randn(model(*args).shape)
    for trial in range(TRIES):
        batch = (args[0] if trial == 0 else args[0] + 0.05 * torch.randn_like(args[0]), *args[1:])
        single = gradient_of(model, batch, cotangent).double()
        beside = (batch[0] * (1 + NEAR * torch.randn_like(batch[0])), *batch[1:])
        near = gradient_of(model, beside, cotangent).double()
        try:
            double = gradient_of(copy.deepcopy(model).double(), batch, cotangent.double())
        except RuntimeError:  # constants of float32 inside
            double = single
        apart = max(float((other - double).abs().max() / double.abs().max()) for other in (single, near))
        if best is None or apart < best[0]:
            best = apart, batch, double
        if apart <= AGREEMENT:
            break
    apart, batch, double = best
    np.save(stem + ".cotangent.npy", cotangent.numpy())
    np.save(stem + ".gradient.npy", double.numpy())
    return batch, apart


# ---- ONNX Runtime


def judged(stem, entry, arrays):
    """Store inputs and ONNX Runtime's output; return what the table needs."""
    import onnx
    import onnxruntime
    opsets = {o.domain: o.version for o in onnx.load(stem + ".onnx", load_external_data=False).opset_import}
    session = onnxruntime.InferenceSession(stem + ".onnx", providers=["CPUExecutionProvider"])
    arrays = arrays[:len(session.get_inputs())]
    for i, array in enumerate(arrays):
        np.save(f"{stem}.x{i}.npy", np.ascontiguousarray(array))
    name = getattr(entry, "output", None) or session.get_outputs()[0].name
    feed = {port.name: array for port, array in zip(session.get_inputs(), arrays)}
    (found,) = session.run([name], feed)
    np.save(stem + ".out.npy", np.asarray(found))
    return {"inputs": len(arrays), "output": name, "opset": opsets.get("", opsets.get("ai.onnx", 0)),
            "ml": opsets.get("ai.onnx.ml", 0) if any(d == "ai.onnx.ml" for d in opsets) else 0,
            "bytes": os.path.getsize(stem + ".onnx")}
