"""written.py -- files that other exporters write: Keras, scikit-learn, XGBoost, LightGBM, quantised and float16 models.
"""
import os
import tempfile

import numpy as np

from .rows import CLASSES, Written

HALF, INT8 = 1e-2, 3e-2
RANDOM = 7


# ---- Keras, with torch behind it


def keras_file(build, inputs):
    def write(path):
        import keras
        keras.utils.set_random_seed(RANDOM)
        model, x = build(keras), inputs()
        model(x)
        model.export(path, format="onnx", verbose=False)
        return [x]
    return Written("Keras", "model.export", write)


def keras_cnn(keras):
    k = keras.layers
    return keras.Sequential([keras.Input((32, 32, 3), batch_size=2), k.Conv2D(8, 3, activation="relu"),
                             k.BatchNormalization(), k.MaxPooling2D(), k.DepthwiseConv2D(3, padding="same"),
                             k.Activation("gelu"), k.GlobalAveragePooling2D(), k.Dropout(0.5), k.Dense(CLASSES)])


def keras_text(layer):
    def build(keras):
        k = keras.layers
        inner = {"lstm": lambda: k.LSTM(12), "gru": lambda: k.GRU(12),
                 "conv": lambda: keras.Sequential([k.Conv1D(12, 3, activation="relu"), k.GlobalMaxPooling1D()])}[layer]
        return keras.Sequential([keras.Input((12,), batch_size=2, dtype="int32"), k.Embedding(50, 8), inner(),
                                 k.Dense(CLASSES, activation="softmax")])
    return build


def keras_dense(keras):
    k = keras.layers
    return keras.Sequential([keras.Input((8,), batch_size=2), k.Dense(16, activation="elu"), k.BatchNormalization(),
                             k.Dense(CLASSES, activation="softmax")])


def keras_attention(keras):
    k = keras.layers
    x = keras.Input((12, 16), batch_size=2)
    y = k.BatchNormalization()(x + k.MultiHeadAttention(2, 8)(x, x))
    return keras.Model(x, k.Dense(CLASSES)(k.GlobalAveragePooling1D()(y)))


def normal(*shape):
    return lambda: np.random.default_rng(RANDOM).normal(size=shape).astype(np.float32)


def words():
    return np.random.default_rng(RANDOM).integers(0, 50, (2, 12)).astype(np.int32)


KERAS = {
    "dense": keras_file(keras_dense, normal(2, 8)),
    "cnn": keras_file(keras_cnn, normal(2, 32, 32, 3)),
    "lstm": keras_file(keras_text("lstm"), words),
    "gru": keras_file(keras_text("gru"), words),
    "text-conv": keras_file(keras_text("conv"), words),
    "attention": keras_file(keras_attention, normal(2, 12, 16)),
}


# ---- Tables: scikit-learn, XGBoost, LightGBM


def table(classes=3):
    """Features and labels of a task that can be learned."""
    random = np.random.default_rng(RANDOM)
    x = random.normal(size=(300, 6)).astype(np.float32)
    return x, (np.abs(x[:, 0] * 2 + x[:, 1]) + x[:, 2] > 1).astype(int) + (classes > 2) * (x[:, 3] > 0.5)


def sklearn_file(construct, classes=3, **options):
    """construct(sklearn) -> an estimator."""
    def write(path):
        import importlib
        import skl2onnx
        from skl2onnx.common.data_types import FloatTensorType
        x, y = table(classes)
        def get(name):
            where, _, what = name.rpartition(".")
            return getattr(importlib.import_module("sklearn." + where), what)
        model = construct(get).fit(x, y)
        made = skl2onnx.convert_sklearn(model, initial_types=[("x", FloatTensorType([None, 6]))],
                                        options={id(model): {"zipmap": options.get("zipmap", False)}})
        save(made, path)
        return [x[:20]]
    return Written("scikit-learn", "skl2onnx", write, output="output_probability" if options.get("zipmap")
                   else "probabilities")


def save(model, path):
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def scaled(name, **settings):
    return lambda get: get("pipeline.make_pipeline")(get("preprocessing.StandardScaler")(), get(name)(**settings))


def plain(name, **settings):
    return lambda get: get(name)(**settings)


SKLEARN = {
    "logistic": sklearn_file(scaled("linear_model.LogisticRegression")),
    "logistic-binary": sklearn_file(plain("linear_model.LogisticRegression"), 2),
    "logistic-normalizer": sklearn_file(lambda get: get("pipeline.make_pipeline")(
        get("preprocessing.MinMaxScaler")(), get("preprocessing.Normalizer")(),
        get("linear_model.LogisticRegression")())),
    "mlp": sklearn_file(scaled("neural_network.MLPClassifier", hidden_layer_sizes=(16, 8), max_iter=50)),
    "tree": sklearn_file(plain("tree.DecisionTreeClassifier", max_depth=5)),
    "forest": sklearn_file(plain("ensemble.RandomForestClassifier", n_estimators=20, max_depth=5)),
    "extra-trees": sklearn_file(plain("ensemble.ExtraTreesClassifier", n_estimators=10, max_depth=5)),
    "boosting": sklearn_file(plain("ensemble.GradientBoostingClassifier", n_estimators=10)),
    "boosting-binary": sklearn_file(plain("ensemble.GradientBoostingClassifier", n_estimators=10), 2),
    "histogram-boosting": sklearn_file(plain("ensemble.HistGradientBoostingClassifier", max_iter=10)),
    "svc": sklearn_file(scaled("svm.SVC", probability=True)),
    "svc-binary": sklearn_file(scaled("svm.SVC", probability=True, kernel="poly"), 2),
    "naive-bayes": sklearn_file(plain("naive_bayes.GaussianNB")),
    "lda": sklearn_file(plain("discriminant_analysis.LinearDiscriminantAnalysis")),
    "calibrated": sklearn_file(lambda get: get("calibration.CalibratedClassifierCV")(
        get("ensemble.RandomForestClassifier")(n_estimators=5, max_depth=4), method="sigmoid", cv=3)),
}


def boosted(family, classes):
    def write(path):
        import onnxmltools
        from onnxmltools.convert.common.data_types import FloatTensorType
        x, y = table(classes)
        kind = [("x", FloatTensorType([None, 6]))]
        if family == "XGBoost":
            import xgboost
            made = onnxmltools.convert_xgboost(xgboost.XGBClassifier(n_estimators=10, max_depth=4).fit(x, y),
                                               initial_types=kind)
        else:
            import lightgbm
            made = onnxmltools.convert_lightgbm(lightgbm.LGBMClassifier(n_estimators=10, verbose=-1).fit(x, y),
                                                initial_types=kind, zipmap=False)
        save(made, path)
        return [x[:20]]
    return Written(family, "onnxmltools", write, output="probabilities")


BOOSTED = {
    "xgboost/binary": boosted("XGBoost", 2),
    "xgboost/multi": boosted("XGBoost", 3),
    "lightgbm/binary": boosted("LightGBM", 2),
    "lightgbm/multi": boosted("LightGBM", 3),
}


# ---- Quantised, and float16


def float_model(kind, path, half=False):
    """A small model of another row, written by torch."""
    import torch
    from .modules import HUGGING_FACE, TORCH
    from .rows import VISION
    model, args = {**VISION, **TORCH, **HUGGING_FACE}[kind].make()
    if half:
        model, args = model.half(), tuple(x.half() if x.is_floating_point() else x for x in args)
    torch.onnx.export(model, args, path, external_data=False, verbose=False)
    return [x.numpy() for x in args]


def quantised(kind, how, channels=None):
    """channels: scales for each channel; by default in the format QDQ."""
    def write(path):
        from onnxruntime import quantization as q
        with tempfile.TemporaryDirectory() as folder:
            before, ready = os.path.join(folder, "float.onnx"), os.path.join(folder, "ready.onnx")
            args = float_model(kind, before)
            q.shape_inference.quant_pre_process(before, ready)
            if how == "dynamic":
                q.quantize_dynamic(ready, path)
                return args
            q.quantize_static(ready, path, calibration(q, ready, args), quant_format=q.QuantFormat[how],
                              per_channel=how == "QDQ" if channels is None else channels)
        return args
    return Written("int8", f"onnxruntime.quantization, {how}", write, INT8)


def calibration(q, path, args):
    import onnxruntime
    names = [i.name for i in onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).get_inputs()]

    class Reader(q.CalibrationDataReader):
        left = iter([dict(zip(names, args))])

        def get_next(self):
            return next(self.left, None)
    return Reader()


def rotated(path):
    """torch has no gradients of the operators of torch.onnx.ops."""
    import torch
    from .modules import WORDS, Rotated
    args = (torch.randn(2, WORDS, 16),)
    torch.onnx.export(Rotated().eval(), args, path, external_data=False, verbose=False, opset_version=23)
    return [x.numpy() for x in args]


def half_by_torch(kind):
    return Written("float16", "torch.onnx.export of model.half()", lambda path: float_model(kind, path, True), HALF)


def half_by_converter(kind):
    def write(path):
        import onnx
        from onnxconverter_common import float16
        with tempfile.TemporaryDirectory() as folder:
            args = float_model(kind, os.path.join(folder, "float.onnx"))
            made = float16.convert_float_to_float16(onnx.load(os.path.join(folder, "float.onnx")), keep_io_types=True)
        save(made, path)
        return args
    return Written("float16", "onnxconverter_common.float16", write, HALF)


SMALLER = {
    "torch/opset23/rotary-attention": Written("torch", "torch.onnx.export of torch.onnx.ops", rotated),
    "int8/resnet18-dynamic": quantised("resnet18", "dynamic"),
    "int8/resnet18-qdq": quantised("resnet18", "QDQ"),
    "int8/resnet18-qoperator": quantised("resnet18", "QOperator"),
    "int8/mobilenet_v3-qdq": quantised("mobilenet_v3_small", "QDQ"),
    "int8/transformer-dynamic": quantised("transformer", "dynamic"),
    "int8/bert-dynamic": quantised("bert", "dynamic"),
    "int8/transformer-qdq": quantised("transformer", "QDQ"),
    "int8/transformer-qdq-tensor": quantised("transformer", "QDQ", False),
    "int8/transformer-qoperator": quantised("transformer", "QOperator"),
    "int8/cnn-dynamic": quantised("batch_norm", "dynamic"),
    "int8/cnn-qdq": quantised("batch_norm", "QDQ"),
    "int8/cnn-qdq-tensor": quantised("batch_norm", "QDQ", False),
    "int8/cnn-qoperator": quantised("batch_norm", "QOperator"),
    "int8/cnn-qoperator-channels": quantised("batch_norm", "QOperator", True),
    "int8/u-net-qoperator": quantised("u-net", "QOperator"),
    "int8/perceptron-dynamic": quantised("perceptron", "dynamic"),
    "int8/perceptron-qdq": quantised("perceptron", "QDQ"),
    "int8/perceptron-qoperator": quantised("perceptron", "QOperator"),
    "int8/googlenet-qoperator": quantised("googlenet", "QOperator"),
    "int8/densenet121-qoperator": quantised("densenet121", "QOperator"),
    "float16/resnet18": half_by_torch("resnet18"),
    "float16/transformer": half_by_torch("transformer"),
    "float16/resnet18-converted": half_by_converter("resnet18"),
    "float16/mobilenet_v3-converted": half_by_converter("mobilenet_v3_small"),
}


def all_rows():
    """{name: row}"""
    from .modules import HUGGING_FACE, TORCH
    from .rows import TIMM, VISION
    named = {"torchvision": VISION, "timm": TIMM, "torch": TORCH, "hf": HUGGING_FACE, "keras": KERAS,
             "sklearn": SKLEARN}
    found = {f"{group}/{name}": entry for group, rows in named.items() for name, entry in rows.items()}
    return {**found, **BOOSTED, **SMALLER}
