#ifndef STAGEDOOR_TESTS_TOOLS_LAYER_DUMP_LIB_H_
#define STAGEDOOR_TESTS_TOOLS_LAYER_DUMP_LIB_H_

#include <string>

#include "scene/layer/layer.h"

namespace stagedoor {

// The records of a layer that `stagedoor layer` prints (conformance README, "layer records").

// One record per line, with specs in depth-first order.
std::string DumpLayer(const Layer& layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_LAYER_DUMP_LIB_H_
