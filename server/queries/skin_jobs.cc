#include "server/queries/skin_jobs.h"

#include <unordered_set>

#include "base/status.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skin_motion.h"
#include "server/check_count.h"
#include "server/error_info.h"
#include "server/queries/prim_batch.h"
#include "server/queries/skel_fields.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {

absl::StatusOr<bool> SkinQueue::Next(RequestContext& context, SkinJob* job) {
  if (next_ < named_.size()) {
    *job = std::move(named_[next_++]);
    return true;
  }
  if (!walk_) return false;
  return walk_->Next(context, &job->skin);
}

absl::StatusOr<SkinQueue> FindSkins(const QueryState& state, RequestContext& context,
                                    const Stage& stage,
                                    const google::protobuf::RepeatedPtrField<std::string>& paths,
                                    const SkinSearch& search) {
  const auto count = static_cast<size_t>(paths.size());
  SD_RETURN_IF_ERROR(CheckCount(count, state.limits.max_paths, "paths"));
  SD_RETURN_IF_ERROR(
      context.Reserve(count * (sizeof(SkinJob) + 4 * sizeof(Path)), "skins of a request"));
  SkelCache& cache = SkelCache::Of(stage);
  std::vector<SkinJob> skins;
  std::unordered_set<Path> seen;
  for (const std::string& path : paths) {
    const auto prim = LookUpPrim(stage, path);
    if (!prim.ok()) {
      if (!search.keep_missing) return prim.status();
      SD_RETURN_IF_ERROR(context.Reserve(kFailureBytes + 2 * path.size(), "path errors"));
      SkinJob& missing = skins.emplace_back();
      missing.missing_path = path;
      missing.failure = prim.status();
      continue;
    }
    if (!seen.insert(prim->path()).second) continue;
    std::vector<SkinningTarget> found;
    SD_RETURN_IF_ERROR(cache.FindAt(context, *prim, &found));
    skins.emplace_back().skin = found.empty() ? SkinningTarget{.prim = *prim} : found.front();
  }
  std::optional<SkinWalk> walk;
  if (search.everywhere) walk.emplace(stage, std::vector{stage.PseudoRoot()});
  return SkinQueue(std::move(skins), std::move(walk));
}

absl::Status SkinJobs::NextSkin(RequestContext& context) {
  SkinJob next;
  SD_ASSIGN_OR_RETURN(const bool more, skins_.Next(context, &next));
  job_.reset();
  if (!more) return absl::OkStatus();
  job_ = std::move(next);
  return StartFrame(context);
}

// Sets the first time of a frame.
absl::Status SkinJobs::StartFrame(RequestContext& context) {
  SkinTime& at = job_->at;
  at.time = times_[at.frame];
  if (!policy_ || job_->skin.skinned == nullptr) return absl::OkStatus();
  const double frame = at.time.value();
  MotionTimes times(policy_->Begin(frame), policy_->End(frame));
  SD_RETURN_IF_ERROR(AddSkinMotion(context, job_->skin, options_, &times));
  at.selection = std::make_shared<const MotionSelection>(times.Select(*policy_, frame));
  at.sample = 0;
  at.time = TimeCode::At(at.selection->times[0].time);
  return absl::OkStatus();
}

absl::Status SkinJobs::Next(RequestContext& context) {
  SkinTime& at = job_->at;
  if (at.selection && ++at.sample < at.selection->times.size()) {
    at.time = TimeCode::At(at.selection->times[at.sample].time);
    return absl::OkStatus();
  }
  ++at.frame;
  if (at.frame == times_.size() || job_->skin.skinned == nullptr) return NextSkin(context);
  return StartFrame(context);
}

absl::Status NotSkinned(const SkinJob& job) {
  if (!job.failure.ok()) return job.failure;
  const SkinningTarget& skin = job.skin;
  const absl::Status status =
      skin.skeleton.valid()
          ? InvalidArgumentError(PathOf(skin.skeleton), " is not a valid Skeleton")
          : InvalidArgumentError(PathOf(skin.prim), " is not bound to a Skeleton");
  return WithReason(status, v1::ERROR_REASON_WRONG_KIND);
}

}  // namespace stagedoor::server
