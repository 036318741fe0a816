#ifndef STAGEDOOR_SERVER_FRAMES_STEADY_VALUES_H_
#define STAGEDOOR_SERVER_FRAMES_STEADY_VALUES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_selection.h"
#include "scene/paths/token.h"
#include "server/frames/sampled_values.h"

namespace stagedoor::server {

// An attribute of geometry, with its value if all geometry has the same that is made of the same
// specs.
struct SteadyAttribute {
  Token name;
  std::shared_ptr<const SampledValue> value;  // null if each geometry has its own
};

// The attributes of geometry that is made of the same specs, such as those of a model that many
// characters reference: found and read once for all of it. Thread-safe. The context must outlive
// it.
class SteadyValues {
 public:
  using Attributes = std::vector<SteadyAttribute>;  // all of a geometry, in order

  explicit SteadyValues(RequestContext& context) : reserved_(context) {}

  // Equal for geometry that is made of the same specs; empty if that is not known. Incomplete once
  // the request is over.
  static std::string KeyOf(RequestContext& context, const FrameSelection& selection,
                           const FrameGeometry& geometry);
  // Whether a value of one geometry is that of all with the same key.
  static bool IsSteady(const FrameGeometry& geometry, const FrameAttribute& attribute,
                       const SampledValue& value);

  // Null if there are none.
  std::shared_ptr<const Attributes> Find(const std::string& key) const;
  // Keeps the attributes, unless there is no room for them.
  void Keep(const std::string& key, Attributes attributes);

 private:
  mutable Mutex mu_;
  Reservation reserved_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, std::shared_ptr<const Attributes>> known_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_STEADY_VALUES_H_
