#include "client/cc/query_numbers.h"

namespace stagedoor {

void QueryNumbers::ForgetAll(v1::ClientFrames* frames) {
  for (const auto& [handle, stage] : stages_) {
    frames->add_frames()->mutable_unbind()->set_stage(stage.number);
  }
  stages_.clear();
  path_count_ = 0;
}

QueryNumbers::Stage& QueryNumbers::StageOf(const v1::BatchGetValuesRequest& request,
                                           v1::ClientFrames* frames) {
  const auto [found, is_new] = stages_.try_emplace(request.stage().handle());
  Stage& stage = found->second;
  if (!is_new && stage.snapshot == request.stage().snapshot() &&
      stage.interpolation == request.interpolation()) {
    return stage;
  }
  if (is_new) stage.number = static_cast<uint32_t>(stages_.size() - 1);
  stage.snapshot = request.stage().snapshot();
  stage.interpolation = request.interpolation();
  v1::BindStage* bind = frames->add_frames()->mutable_bind_stage();
  bind->set_stage(stage.number);
  *bind->mutable_ref() = request.stage();
  bind->set_interpolation(stage.interpolation);
  return stage;
}

void QueryNumbers::AddQuery(const v1::BatchGetValuesRequest& request, uint64_t id,
                            v1::ClientFrames* frames) {
  const auto count = static_cast<size_t>(request.paths_size());
  if (stages_.size() >= kMaxStages || path_count_ + count > max_paths_) ForgetAll(frames);
  Stage& stage = StageOf(request, frames);
  v1::BindPaths* bind = nullptr;  // new paths have consecutive numbers
  v1::Query query;
  query.set_request_id(id);
  query.set_stage(stage.number);
  for (const std::string& path : request.paths()) {
    const auto next = static_cast<uint32_t>(stage.paths.size());
    const auto [found, is_new] = stage.paths.try_emplace(path, next);
    query.add_paths(found->second);
    if (!is_new) continue;
    ++path_count_;
    if (bind == nullptr) {
      bind = frames->add_frames()->mutable_bind_paths();
      bind->set_stage(stage.number);
      bind->set_first(next);
    }
    bind->add_paths(path);
  }
  if (request.has_times()) *query.mutable_times() = request.times();
  query.set_paired(request.paired());
  query.set_with_sources(request.with_sources());
  query.set_shared_segments(true);
  if (request.has_digest_options()) *query.mutable_digest_options() = request.digest_options();
  *frames->add_frames()->mutable_query() = std::move(query);
}

}  // namespace stagedoor
