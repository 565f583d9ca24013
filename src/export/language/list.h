/* list.h -- the export formats; <name>.c defines crd__export_<name>. */
EXPORT(c)
EXPORT(onnx)
EXPORT(js)
EXPORT(sql)
EXPORT(numpy)
EXPORT(json)
