#include "server/query_socket/channel_bindings.h"

#include <utility>
#include <vector>

#include "base/heap_costs.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

size_t BytesOf(const std::string& path) {
  return kNodeBytes + sizeof(std::pair<uint32_t, std::string>) + kHeapBlockBytes + path.size();
}

size_t BytesOf(const v1::StageRef& ref) {
  return sizeof(v1::StageRef) + ref.handle().size() + ref.snapshot().size() + kNodeBytes +
         2 * kHeapBlockBytes;
}

template <typename Texts>
size_t BytesOfTexts(const Texts& texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) {
    bytes += sizeof(void*) + sizeof(std::string) + 2 * kHeapBlockBytes + text.capacity();
  }
  return bytes;
}

// At least what a query takes, and so what a request takes that is made of it. SpaceUsedLong finds
// that by reflection, which was one fourteenth of the time of a small query.
size_t BytesOf(const v1::Query& query) {
  const v1::TimeSelection& times = query.times();
  constexpr size_t kTime =
      sizeof(void*) + sizeof(v1::TimeCode) + sizeof(google::protobuf::Empty) + 2 * kHeapBlockBytes;
  // Repeated fields grow by doubling.
  return sizeof(v1::Query) + sizeof(v1::TimeSelection) + sizeof(v1::DigestOptions) +
         sizeof(google::protobuf::Duration) + 8 * kHeapBlockBytes +
         2 * sizeof(double) * static_cast<size_t>(times.frames_size()) +
         2 * sizeof(uint32_t) * static_cast<size_t>(query.paths_size()) +
         2 * kTime * static_cast<size_t>(times.times_size()) + BytesOfTexts(times.ranges()) +
         BytesOfTexts(query.digest_options().known());
}

absl::Status NotBound(std::string_view field, uint32_t number) {
  return InvalidFieldError(field, Concat(number), Concat("the number ", number, " is not bound"));
}

}  // namespace

absl::Status ChannelBindings::BindStage(const v1::BindStage& frame) {
  if (frame.stage() >= kMaxStages) {
    return InvalidFieldError("bind_stage.stage", Concat(frame.stage()),
                             Concat("must be less than ", kMaxStages));
  }
  const auto found = stages_.find(frame.stage());
  SD_RETURN_IF_ERROR(reserved_.Grow(
      BytesOf(frame.ref()) + (found == stages_.end() ? sizeof(Stage) + kNodeBytes : 0),
      "a stage of a channel"));
  Stage& stage = found == stages_.end() ? stages_[frame.stage()] : found->second;
  if (found != stages_.end()) reserved_.Shrink(BytesOf(stage.ref));
  stage.ref = frame.ref();
  stage.interpolation = frame.interpolation();
  return absl::OkStatus();
}

absl::Status ChannelBindings::BindPaths(const v1::BindPaths& frame) {
  const auto stage = stages_.find(frame.stage());
  if (stage == stages_.end()) return NotBound("bind_paths.stage", frame.stage());
  const auto count = static_cast<uint32_t>(frame.paths_size());
  if (count > kMaxPaths || frame.first() > kMaxPaths - count) {
    return InvalidFieldError("bind_paths.first", Concat(frame.first()),
                             Concat("numbers of paths must be less than ", kMaxPaths));
  }
  size_t bytes = 0;
  for (const std::string& path : frame.paths()) bytes += BytesOf(path);
  SD_RETURN_IF_ERROR(reserved_.Grow(bytes, "the paths of a channel"));
  uint32_t number = frame.first();
  for (const std::string& path : frame.paths()) {
    const auto [place, is_new] = stage->second.paths.try_emplace(number++, path);
    if (is_new) continue;
    reserved_.Shrink(BytesOf(place->second));
    place->second = path;
  }
  return absl::OkStatus();
}

void ChannelBindings::Erase(Paths& paths, Paths::iterator path) {
  reserved_.Shrink(BytesOf(path->second));
  paths.erase(path);
}

absl::Status ChannelBindings::UnbindPaths(const v1::PathRange& range) {
  const auto stage = stages_.find(range.stage());
  if (stage == stages_.end()) return NotBound("unbind.paths.stage", range.stage());
  Paths& paths = stage->second.paths;
  // A range may be much longer than what is bound, and the other way round.
  if (range.count() < paths.size()) {
    for (uint32_t i = 0; i < range.count(); ++i) {
      const auto found = paths.find(range.first() + i);
      if (found != paths.end()) Erase(paths, found);
    }
    return absl::OkStatus();
  }
  for (auto path = paths.begin(); path != paths.end();) {
    const auto next = std::next(path);
    if (path->first - range.first() < range.count()) Erase(paths, path);
    path = next;
  }
  return absl::OkStatus();
}

absl::Status ChannelBindings::Unbind(const v1::Unbind& frame) {
  if (frame.what_case() == v1::Unbind::kPaths) return UnbindPaths(frame.paths());
  const auto stage = stages_.find(frame.stage());
  if (frame.what_case() != v1::Unbind::kStage || stage == stages_.end()) {
    return NotBound("unbind.stage", frame.stage());
  }
  for (const auto& [number, path] : stage->second.paths) reserved_.Shrink(BytesOf(path));
  reserved_.Shrink(BytesOf(stage->second.ref) + sizeof(Stage) + kNodeBytes);
  stages_.erase(stage);
  return absl::OkStatus();
}

absl::Status ChannelBindings::FillRequest(const v1::Query& query, RequestContext& context,
                                          v1::BatchGetValuesRequest* out) const {
  const auto stage = stages_.find(query.stage());
  if (stage == stages_.end()) return NotBound("query.stage", query.stage());
  // A number takes a byte of the query, and may stand for a path of a hundred kilobytes.
  std::vector<const std::string*> paths;
  paths.reserve(static_cast<size_t>(query.paths_size()));
  size_t bytes = BytesOf(query);
  for (const uint32_t number : query.paths()) {
    const auto path = stage->second.paths.find(number);
    if (path == stage->second.paths.end()) return NotBound("query.paths", number);
    paths.push_back(&path->second);
    bytes += BytesOf(path->second);
  }
  SD_RETURN_IF_ERROR(context.Reserve(bytes, "the request"));
  *out->mutable_stage() = stage->second.ref;
  out->set_interpolation(stage->second.interpolation);
  for (const std::string* path : paths) out->add_paths(*path);
  if (query.has_times()) *out->mutable_times() = query.times();
  out->set_paired(query.paired());
  out->set_with_sources(query.with_sources());
  if (query.has_digest_options()) *out->mutable_digest_options() = query.digest_options();
  return absl::OkStatus();
}

}  // namespace stagedoor::server
