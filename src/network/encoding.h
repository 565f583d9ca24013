/* encoding.h -- keys of a model's metadata; encoding.c has their meaning. */
#ifndef CRD_NETWORK_ENCODING_H
#define CRD_NETWORK_ENCODING_H

#include "network/model.h"
#include "onnx/update.h"

#define CRD__KEY_CLASSES "credence.class_names"
#define CRD__KEY_MEAN "credence.mean"
#define CRD__KEY_STD "credence.std"
#define CRD__KEY_LAYOUT "credence.layout"
#define CRD__KEY_VOCABULARY "credence.vocabulary"
#define CRD__KEY_LENGTH "credence.length"
/* Names of outputs: of the scores, of confidences in the predicted class, of that class. */
#define CRD__KEY_SCORES "credence.scores"
#define CRD__KEY_CONFIDENCE "credence.confidence"
#define CRD__KEY_PREDICTED "credence.predicted"

/* Edits that remove the keys which describe the outputs, or the inputs. */
extern const crd__onnx_metadata_edit crd__network_no_classes, crd__network_no_inputs;

#endif
