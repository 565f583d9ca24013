/* Every target of export: one line each; the file of that name defines crd__export_<name>. */
EXPORT(c)
EXPORT(onnx)
EXPORT(js)
EXPORT(sql)
