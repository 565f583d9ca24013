/* classical_cases.h -- cases for the operators of ai.onnx.ml; a part of operator_cases.h. */

#define ML "ai.onnx.ml."

/* Linear models: several classes, two, one score for two; names; all transformations. */
#define ML_LINEAR                                                                                  \
  "coefficients=[0.5,-1.5,2.0,1.0,0.25,-0.75,-1.0,1.0,0.5] intercepts=[0.5,-0.25,0.0]"
{ ML "LinearClassifier", 1, "f32 5x3", ML_LINEAR " classlabels_ints=[4,7,9]", 2 },
    { ML "LinearClassifier", 1, "f32 5x3", ML_LINEAR " classlabels_strings={cat,dog,hen}", 2 },
    { ML "LinearClassifier", 1, "f32 3",
      ML_LINEAR " classlabels_ints=[4,7,9] post_transform=SOFTMAX", 2 },
    { ML "LinearClassifier", 1, "f64 5x3",
      ML_LINEAR " classlabels_ints=[4,7,9] post_transform=LOGISTIC", 2 },
    { ML "LinearClassifier", 1, "i64 5x3",
      ML_LINEAR " classlabels_ints=[4,7,9] post_transform=SOFTMAX_ZERO", 2 },
    { ML "LinearClassifier", 1, "f32 2x3 = 0 0 0 0.2 0.1 0.3",
      "coefficients=[0.5,0.25,0.125,0.1,0.0,0.2] intercepts=[0.5,0.25] classlabels_ints=[0,1] "
      "post_transform=PROBIT multi_class=1",
      2 },
    { ML "LinearClassifier", 1, "f32 7x2", "coefficients=[0.5,-1.5] classlabels_ints=[4,7]", 2 },
    { ML "LinearClassifier", 1, "f32 7x2",
      "coefficients=[0.5,-1.5] intercepts=[0.25] classlabels_strings={no,yes} "
      "post_transform=LOGISTIC",
      2 },
    { ML "LinearRegressor", 1, "f32 5x3", "coefficients=[0.5,-1.5,2.0] intercepts=[0.5]", 1 },
    { ML "LinearRegressor", 1, "i32 5x3", ML_LINEAR " targets=3 post_transform=NONE", 1 },
    { ML "LinearRegressor", 1, "f32 0x3", "coefficients=[0.5,-1.5,2.0]", 1 },

/* Support vector machines: every kernel, with and without probabilities, linear. */
#define ML_VECTORS                                                                                 \
  " vectors_per_class=[2,1,2] support_vectors=[0.5,1.0,-0.5,0.25,1.5,-1.0,-1.0,-0.5,0.75,0.0] "    \
  "coefficients=[1.0,0.5,-1.0,-0.25,-0.75,0.5,1.5,-0.5,-1.0,-0.5] rho=[0.1,-0.2,0.3]"
#define ML_CLASSES " classlabels_ints=[1,2,5] kernel_params=[0.5,0.25,3.0]"
#define ML_PROBABILITIES " prob_a=[-1.5,-1.0,-2.0] prob_b=[0.1,-0.1,0.05]"
    { ML "SVMClassifier", 1, "f32 6x2", "kernel_type=RBF" ML_VECTORS ML_CLASSES ML_PROBABILITIES,
      2 },
    { ML "SVMClassifier", 1, "f32 6x2", "kernel_type=POLY" ML_VECTORS ML_CLASSES ML_PROBABILITIES,
      2 },
    { ML "SVMClassifier", 1, "f32 6x2",
      "kernel_type=SIGMOID" ML_VECTORS ML_CLASSES ML_PROBABILITIES, 2 },
    { ML "SVMClassifier", 1, "f64 6x2", ML_VECTORS ML_CLASSES ML_PROBABILITIES, 2 },
    { ML "SVMClassifier", 1, "f32 6x2", "kernel_type=RBF" ML_VECTORS ML_CLASSES, 2 },
    { ML "SVMClassifier", 1, "f32 6x2",
      "kernel_type=LINEAR post_transform=SOFTMAX" ML_VECTORS ML_CLASSES, 2 },
#define ML_PAIR                                                                                    \
  "kernel_type=RBF kernel_params=[0.5,0.0,3.0] vectors_per_class=[1,2] "                           \
  "support_vectors=[0.5,1.0,-0.5,0.25,1.5,-1.0] coefficients=[1.0,-0.5,-0.75] rho=[0.1] "
    { ML "SVMClassifier", 1, "f32 6x2", ML_PAIR "classlabels_strings={no,yes}", 2 },
    { ML "SVMClassifier", 1, "f32 6x2", ML_PAIR "classlabels_ints=[0,1] post_transform=LOGISTIC",
      2 },
    { ML "SVMClassifier", 1, "f32 6x2",
      ML_PAIR "classlabels_ints=[0,1] prob_a=[-1.5] prob_b=[0.25]", 2 },
    { ML "SVMClassifier", 1, "f32 6x2",
      "coefficients=[1.0,-0.5,0.25,0.75,-1.0,0.5] rho=[0.1] classlabels_ints=[3,2,1]", 2 },
    { ML "SVMRegressor", 1, "f32 6x2",
      "kernel_type=RBF kernel_params=[0.5,0.0,3.0] n_supports=2 "
      "support_vectors=[0.5,1.0,-0.5,0.25] "
      "coefficients=[1.0,-0.5] rho=[0.25]",
      1 },
    { ML "SVMRegressor", 1, "f32 6x2", "coefficients=[1.0,-0.5] rho=[0.25] one_class=1", 1 },

/* Trees: every condition, missing values, base values, one score for two classes. */
#define ML_NODES                                                                                   \
  "nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "                               \
  "nodes_featureids=[0,1,0,0,0,2,0,0] nodes_values=[0.5,-0.25,0.0,0.0,0.0,1.0,0.0,0.0] "           \
  "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
#define ML_MODES(a, b) "nodes_modes={" a "," a ",LEAF,LEAF,LEAF," b ",LEAF,LEAF} "
#define ML_VALUES "f32 6x3 = 0.5 -0.25 1 0 0 0 1 -1 1 0.5 -0.5 2 nan -1 nan 0.25 nan 0.5"
#define ML_WEIGHTS                                                                                 \
  "class_treeids=[0,0,0,1,1,1] class_nodeids=[2,3,4,1,2,2] class_ids=[0,1,2,0,1,2] "               \
  "class_weights=[0.25,0.5,-0.75,1.0,0.125,0.5] classlabels_int64s=[2,3,5] "
    { ML "TreeEnsembleClassifier", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_WEIGHTS, 2 },
    { ML "TreeEnsembleClassifier", 3, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_GT", "BRANCH_GTE") ML_WEIGHTS
      "post_transform=SOFTMAX base_values=[0.5,0.25,1.0]",
      2 },
    { ML "TreeEnsembleClassifier", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_EQ", "BRANCH_NEQ") ML_WEIGHTS "post_transform=LOGISTIC", 2 },
    { ML "TreeEnsembleClassifier", 3, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LT", "BRANCH_EQ") ML_WEIGHTS
      "post_transform=SOFTMAX_ZERO nodes_missing_value_tracks_true=[1,0,0,0,0,1,0,0]",
      2 },
    { ML "TreeEnsembleClassifier", 3, "f64 3x3",
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LEQ") ML_WEIGHTS
      "nodes_hitrates=[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0]",
      2 },
    { ML "TreeEnsembleClassifier", 3, "i64 4x3",
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LEQ") ML_WEIGHTS, 2 },
#define ML_ONE "class_treeids=[0,0,0,1,1] class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] "
    { ML "TreeEnsembleClassifier", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_ONE
      "class_weights=[0.25,0.125,0.5,0.25,0.25] classlabels_strings={no,yes}",
      2 },
    { ML "TreeEnsembleClassifier", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_ONE
      "class_weights=[0.25,-0.125,0.5,-0.25,0.25] classlabels_int64s=[0,1] base_values=[0.25]",
      2 },
    { ML "TreeEnsembleClassifier", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_ONE
      "class_weights=[0.25,-0.125,0.5,-0.25,0.25] classlabels_int64s=[0,1] base_values=[0.25] "
      "post_transform=LOGISTIC",
      2 },
#define ML_TARGETS                                                                                 \
  "target_treeids=[0,0,0,1,1] target_nodeids=[2,3,4,1,2] target_ids=[0,0,0,0,0] "                  \
  "target_weights=[0.25,-0.125,0.5,-0.25,0.25] "
    { ML "TreeEnsembleRegressor", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_TARGETS, 1 },
    { ML "TreeEnsembleRegressor", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_TARGETS
      "aggregate_function=AVERAGE base_values=[0.5]",
      1 },
    { ML "TreeEnsembleRegressor", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_TARGETS "aggregate_function=MIN n_targets=1",
      1 },
    { ML "TreeEnsembleRegressor", 1, ML_VALUES,
      ML_NODES ML_MODES("BRANCH_LEQ", "BRANCH_LT") ML_TARGETS "aggregate_function=MAX", 1 },
#define ML_FLAT                                                                                    \
  "nodes_featureids=[0,1,2] nodes_truenodeids=[1,0,2] nodes_falsenodeids=[1,2,3] "                 \
  "nodes_trueleafs=[0,1,1] nodes_falseleafs=[1,1,1] tree_roots=[0,2] "                             \
  "leaf_targetids=[0,1,1,0] leaf_weights=<f32 4 = 0.5 -0.25 1.5 0.75> n_targets=2 "                \
  "nodes_splits=<f32 3 = 0.5 -0.25 1> "
    { ML "TreeEnsemble", 5, ML_VALUES, ML_FLAT "nodes_modes=<u8 3 = 0 1 2>", 1 },
    { ML "TreeEnsemble", 5, ML_VALUES,
      ML_FLAT "nodes_modes=<u8 3 = 3 4 5> post_transform=1 nodes_missing_value_tracks_true=[0,1,0]",
      1 },
    { ML "TreeEnsemble", 5, ML_VALUES,
      ML_FLAT "nodes_modes=<u8 3 = 6 0 6> membership_values=<f32 5 = 0.5 1 nan 1 2> "
              "aggregate_function=0",
      1 },
    { ML "TreeEnsemble", 5, "f64 4x3",
      "nodes_featureids=[0] nodes_truenodeids=[0] nodes_falsenodeids=[0] nodes_trueleafs=[1] "
      "nodes_falseleafs=[1] tree_roots=[0] leaf_targetids=[0] leaf_weights=<f64 1 = 0.3> "
      "nodes_modes=<u8 1 = 0> nodes_splits=<f64 1 = 0.1>",
      1 },

    /* Features. */
    { ML "Scaler", 1, "f32 4x3", "offset=[0.5,-1.0,2.0] scale=[2.0,0.5,-1.0]", 1 },
    { ML "Scaler", 1, "i64 4x3", "offset=[0.5] scale=[2.0]", 1 },
    { ML "Scaler", 1, "f64 4x3", "", 1 }, { ML "Normalizer", 1, "f32 4x3", "", 1 },
    { ML "Normalizer", 1, "f32 3x3 = 1 2 -3 0 0 0 -1 -2 -4", "norm=L1", 1 },
    { ML "Normalizer", 1, "f64 4x3", "norm=L2", 1 }, { ML "Binarizer", 1, "f32 4x3", "", 1 },
    { ML "Binarizer", 1, "f32 4x3", "threshold=0.5", 1 },
    { ML "Imputer", 1, "f32 2x3 = 1 nan 3 nan nan 6",
      "imputed_value_floats=[7.0,8.0,9.0] replaced_value_float=+nan", 1 },
    { ML "Imputer", 1, "f32 2x3 = 1 0 3 -1 0 -1",
      "imputed_value_floats=[7.5] replaced_value_float=-1.0", 1 },
    { ML "Imputer", 1, "f32 2x3 = 1 0 3 -1 0 -1", "imputed_value_floats=[7.5]", 1 },
    { ML "ArrayFeatureExtractor", 1, "f32 3x5; i64 2 = 3 0", "", 1 },
    { ML "ArrayFeatureExtractor", 1, "i64 5; i64 3x1 = 4 0 4", "", 1 },
    { ML "ArrayFeatureExtractor", 1, "f64 2x3x4; i64 1 = 2", "", 1 },
    { ML "FeatureVectorizer", 1, "f32 3x2; i64 3x1; f64 3x3", "inputdimensions=[2,1,3]", 1 },
    { ML "FeatureVectorizer", 1, "f32 3x2", "", 1 },
    { ML "ZipMap", 1, "f32 3x2", "classlabels_int64s=[0,1]", 1 },
    { ML "ZipMap", 1, "f32 3x2", "classlabels_strings={no,yes}", 1 },
    { ML "OneHotEncoder", 1, "i64 2x3 = 1 2 7 -4 1 3", "cats_int64s=[1,2,-4] zeros=1", 1 },
    { ML "OneHotEncoder", 1, "f32 4 = 1 2.5 7 0", "cats_int64s=[1,2,3]", 1 },
    { ML "LabelEncoder", 2, "i64 5 = 1 2 7 -4 1", "keys_int64s=[1,2,-4] values_int64s=[10,20,30]",
      1 },
    { ML "LabelEncoder", 2, "i64 5 = 1 2 7 -4 1",
      "keys_int64s=[1,2,-4] values_floats=[1.5,2.5,3.5] default_float=-1.0", 1 },
    { ML "LabelEncoder", 2, "f32 5 = 1 0.5 7 nan 1",
      "keys_floats=[1.0,0.5,nan] values_int64s=[10,20,30] default_int64=5", 1 },
    { ML "LabelEncoder", 2, "i64 4 = 1 2 7 1", "keys_int64s=[1,2] values_strings={no,yes}", 1 },
    { ML "LabelEncoder", 4, "f64 4 = 1 2 7 1",
      "keys_tensor=<f64 2 = 1 2> values_tensor=<i16 2 = 3 4> default_tensor=<i16 1 = 9>", 1 },
#undef ML
#undef ML_LINEAR
#undef ML_VECTORS
#undef ML_CLASSES
#undef ML_PROBABILITIES
#undef ML_PAIR
#undef ML_NODES
#undef ML_MODES
#undef ML_VALUES
#undef ML_WEIGHTS
#undef ML_ONE
#undef ML_TARGETS
#undef ML_FLAT
