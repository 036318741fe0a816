#ifndef STAGEDOOR_SERVER_QUERIES_SKIN_JOBS_H_
#define STAGEDOOR_SERVER_QUERIES_SKIN_JOBS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/status_macros.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/sample_policy.h"
#include "scene/skel/skin_walk.h"
#include "scene/skel/skinning_query.h"
#include "scene/skel/skinning_target.h"
#include "scene/stage/stage.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor::server {

struct QueryState;

// A time for which a skin is wanted.
struct SkinTime {
  size_t frame = 0;  // index among the times of the request
  TimeCode time;
  // The samples of which this is one; null without a SamplePolicy.
  std::shared_ptr<const MotionSelection> selection;
  size_t sample = 0;
};

struct SkinJob {
  SkinningTarget skin;  // without a query if the prim is not skinned
  SkinTime at;
  // The path as requested, and why it has no prim; empty and OK if it has one.
  std::string missing_path;
  absl::Status failure;
};

// Orders times, to look up what is kept for each of them.
using TimeKey = std::tuple<bool, bool, double>;
inline TimeKey KeyOf(TimeCode time) {
  return {time.is_default(), time.is_pre_time(), time.value()};
}

// The prims of a request about skins: those that it names, and those that a walk finds.
class SkinQueue {
 public:
  SkinQueue() = default;
  SkinQueue(std::vector<SkinJob> named, std::optional<SkinWalk> walk)
      : named_(std::move(named)), walk_(std::move(walk)) {}

  // Gets the next prim, without a time. False at the end.
  absl::StatusOr<bool> Next(RequestContext& context, SkinJob* job);

 private:
  std::vector<SkinJob> named_;
  size_t next_ = 0;
  std::optional<SkinWalk> walk_;
};

// The prims at `paths`, each once, or all of the stage. Errors: those of CheckCount, and unless
// `keep_missing` those of LookUpPrim.
struct SkinSearch {
  bool everywhere = false;
  bool keep_missing = false;  // a path without a prim is a job with a failure
};
absl::StatusOr<SkinQueue> FindSkins(const QueryState& state, RequestContext& context,
                                    const Stage& stage,
                                    const google::protobuf::RepeatedPtrField<std::string>& paths,
                                    const SkinSearch& search);

// Iterates over skins × times, skin by skin. A skin that is not skinned has a single job. For one
// thread.
class SkinJobs {
 public:
  // `times` are those of the request, at least one. With a policy, each of them stands for the
  // samples around it of what `options` are to compute.
  SkinJobs(SkinQueue skins, std::vector<TimeCode> times, std::optional<SamplePolicy> policy,
           const SkinOptions& options)
      : skins_(std::move(skins)), times_(std::move(times)), policy_(policy), options_(options) {}

  // Finds the first job.
  absl::Status Start(RequestContext& context) { return NextSkin(context); }
  bool AtEnd() const { return !job_; }
  // Requires !AtEnd().
  const SkinJob& job() const { return *job_; }
  absl::Status Next(RequestContext& context);

  const std::vector<TimeCode>& times() const { return times_; }

 private:
  absl::Status NextSkin(RequestContext& context);
  absl::Status StartFrame(RequestContext& context);

  SkinQueue skins_;
  std::vector<TimeCode> times_;
  std::optional<SamplePolicy> policy_;
  SkinOptions options_;
  std::optional<SkinJob> job_;  // empty at the end
};

// Why a prim without a query is not skinned: its failure, or WRONG_KIND.
absl::Status NotSkinned(const SkinJob& job);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_SKIN_JOBS_H_
