#ifndef STAGEDOOR_SCENE_SHADE_VALUE_PRODUCERS_H_
#define STAGEDOOR_SCENE_SHADE_VALUE_PRODUCERS_H_

#include <cstddef>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "scene/paths/path.h"
#include "scene/shade/connection_problems.h"
#include "scene/stage/property.h"

namespace stagedoor {

// Finds where the values of inputs and outputs come from: follows their connections through
// materials, node graphs and other containers. Corresponds to OpenUSD's
// UsdShadeUtils::GetValueProducingAttributes.
//
// An attribute that has a value and connections to nothing that has one keeps its own; so does one
// that is connected to itself. Not thread-safe.
class ValueProducers {
 public:
  // `problems` gets those of the connections that are followed.
  ValueProducers(RequestContext& context, ConnectionProblems& problems)
      : context_(context), pacer_(context), problems_(problems) {}

  // The attributes whose values `attribute` has, in the order of the connections: outputs of
  // shaders and, unless `outputs_only` is set, inputs and outputs with an authored value. One that
  // several connections lead to is there as often. Incomplete once the request is over.
  std::vector<Attribute> Find(const Attribute& attribute, bool outputs_only);

  // Connections beyond these are not followed, which is a problem.
  static constexpr size_t kMaxDepth = 500;       // one after the other
  static constexpr size_t kMaxFollowed = 10000;  // for one attribute

 private:
  bool Collect(const Attribute& attribute);
  bool CollectFrom(const Attribute& source);
  bool MayEnter(const Attribute& attribute);
  bool MayFollow();

  RequestContext& context_;
  Pacer pacer_;
  ConnectionProblems& problems_;
  bool outputs_only_ = false;
  size_t followed_ = 0;
  std::vector<Attribute> chain_;  // from the first attribute to the one whose sources are followed
  std::vector<Attribute> found_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_VALUE_PRODUCERS_H_
