#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_LABELS_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_LABELS_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints the taxonomies of a prim, and its labels at times and in a few intervals.
void PrintLabels(RequestContext& context, const Prim& prim, const Times& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_LABELS_H_
