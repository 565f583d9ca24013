/* Every array format, in the order in which a file is asked what it is: one line each; the file of
 * that name defines crd__format_<name>. csv comes last, since any text may be csv. */
FORMAT(npy)
FORMAT(torch)
FORMAT(npz)
FORMAT(hdf5)
FORMAT(mat)
FORMAT(safetensors)
FORMAT(jsonl)
FORMAT(csv)
