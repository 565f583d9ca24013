/* credence/credence.h -- all headers; those of networks and their data are in libcredence-nn only.
 */
#ifndef CREDENCE_H
#define CREDENCE_H
#include "credence/array.h"
#include "credence/array_file.h"
#include "credence/base.h"
#include "credence/calibrator.h"
#include "credence/clamp.h"
#include "credence/compile.h"
#include "credence/contest.h"
#include "credence/convention.h"
#include "credence/dataset.h"
#include "credence/doctor.h"
#include "credence/edit.h"
#include "credence/embedding.h"
#include "credence/evaluate.h"
#include "credence/loss.h"
#include "credence/metric.h"
#include "credence/network.h"
#include "credence/operating.h"
#include "credence/port.h"
#include "credence/predictions.h"
#include "credence/profile.h"
#include "credence/report.h"
#include "credence/shift.h"
#include "credence/train.h"
#include "credence/zoo.h"
#endif
