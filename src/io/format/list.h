/* list.h -- the array formats, in the order in which they are tried; the file of that name defines
 * crd__format_<name>. csv comes last, since any text may be csv. */
FORMAT(npy)
FORMAT(torch)
FORMAT(npz)
FORMAT(hdf5)
FORMAT(mat)
FORMAT(safetensors)
FORMAT(jsonl)
FORMAT(csv)
