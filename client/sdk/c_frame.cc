// The functions of the C interface that get frames, and name what is in them.
#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/c_objects.h"

namespace stagedoor::sdk {
namespace {

template <typename Repeated>
absl::Status AddTexts(const char* const* texts, size_t count, Repeated* field) {
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> all, TextsOf(texts, count));
  field->Add(all.begin(), all.end());
  return absl::OkStatus();
}

absl::StatusOr<Frame> FrameWith(const Stage& stage, const sd_frame_options& given) {
  FrameOptions options;
  options.camera = TextOf(given.camera);
  if (given.shutter_open != given.shutter_close) {
    options.shutter = {given.shutter_open, given.shutter_close, given.shutter_segments};
  }
  v1::FrameSelection* selection = options.request.mutable_selection();
  selection->set_render_settings(TextOf(given.render_settings));
  SD_RETURN_IF_ERROR(AddTexts(given.roots, given.root_count, selection->mutable_roots()));
  SD_RETURN_IF_ERROR(AddTexts(given.excluded, given.excluded_count, selection->mutable_excluded()));
  SD_RETURN_IF_ERROR(AddTexts(given.render_contexts, given.render_context_count,
                              selection->mutable_render_contexts()));
  selection->set_flatten_primvars(given.flatten_primvars != 0);
  selection->set_without_invisible(given.without_invisible != 0);
  return stage.Frame(options);
}

// Sets what sd_frame_changed names.
void SetChanges(sd_frame& frame, FrameChanges changes) {
  frame.changes = std::move(changes);
  MutexLock lock(frame.mu);
  frame.ids.clear();
  frame.changed_values.reset();
}

absl::Status Next(sd_frame& frame, double time, sd_frame_callback callback, void* data,
                  const CallOptions& call) {
  FrameChanges all;
  const auto sink = [&](const FrameChanges& changes) {
    all.Add(changes);
    SetChanges(frame, changes);
    if (callback == nullptr || callback(&frame, data) == 0) return absl::OkStatus();
    return CancelledError("the callback has ended the call");
  };
  SD_RETURN_IF_ERROR(frame.frame.NextInParts(TimeOf(time), sink, call));
  SetChanges(frame, std::move(all));
  return absl::OkStatus();
}

// Next, which sd_frame_cancel ends.
absl::Status CancellableNext(sd_frame& frame, double time, sd_frame_callback callback, void* data,
                             CallOptions call) {
  call.cancellation = std::make_shared<Cancellation>();
  {
    MutexLock lock(frame.mu);
    if (frame.cancellation != nullptr) {
      return FailedPreconditionError("another call of this frame has not ended");
    }
    frame.cancellation = call.cancellation;
  }
  absl::Status status = Next(frame, time, callback, data, call);
  if (!status.ok()) SetChanges(frame, {});
  MutexLock lock(frame.mu);
  frame.cancellation = nullptr;
  return status;
}

template <typename Objects>
std::vector<uint64_t> KeysOf(const Objects& objects) {
  std::vector<uint64_t> ids;
  ids.reserve(objects.size());
  for (const auto& [id, object] : objects) ids.push_back(id);
  return ids;
}

std::vector<uint64_t> IdsOf(const FrameContents& contents, sd_frame_kind kind) {
  switch (kind) {
    case SD_FRAME_PRIM:
      return KeysOf(contents.prims());
    case SD_FRAME_GEOMETRY:
      return KeysOf(contents.geometry());
    case SD_FRAME_SUBSET:
      return KeysOf(contents.subsets());
    case SD_FRAME_MATERIAL:
      return KeysOf(contents.materials());
    case SD_FRAME_LIGHT:
      return KeysOf(contents.lights());
    case SD_FRAME_LIGHT_SET:
      return KeysOf(contents.light_sets());
    default:
      return {};
  }
}

std::vector<uint64_t> ChangedIds(const FrameChanges& changes, sd_frame_kind kind) {
  switch (kind) {
    case SD_FRAME_PRIM:
      return changes.prims;
    case SD_FRAME_SUBSET:
      return changes.subsets;
    case SD_FRAME_MATERIAL:
      return changes.materials;
    case SD_FRAME_LIGHT:
      return changes.lights;
    case SD_FRAME_LIGHT_SET:
      return changes.light_sets;
    case SD_FRAME_VISIBILITY:
      return changes.visibility;
    case SD_FRAME_TRANSFORM:
      return changes.transforms;
    case SD_FRAME_REMOVED:
      return changes.removed;
    default:
      break;
  }
  std::vector<uint64_t> ids;
  if (kind != SD_FRAME_GEOMETRY) return ids;
  for (const FrameChanges::Geometry& geometry : changes.geometry) ids.push_back(geometry.id);
  return ids;
}

// Keeps the IDs until the next call, and sets *ids to them.
size_t ReturnIds(const sd_frame* frame, sd_frame_kind kind, bool changed, const uint64_t** ids) {
  if (ids != nullptr) *ids = nullptr;
  if (frame == nullptr) return 0;
  MutexLock lock(frame->mu);
  const auto [at, added] = frame->ids.try_emplace({kind, changed});
  if (added) {
    at->second = changed ? ChangedIds(frame->changes, kind) : IdsOf(frame->frame.contents(), kind);
  }
  if (ids != nullptr) *ids = at->second.data();
  return at->second.size();
}

}  // namespace
}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

constexpr size_t kFingerprintBytes = 32;

sd_code sd_frame_create(sd_stage* stage, const sd_frame_options* options, sd_frame** out,
                        sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const absl::StatusOr<sdk::Frame> frame = sdk::FrameWith(stage->stage, sdk::CopyOptions(options));
  if (!frame.ok()) return sdk::Report(frame.status(), error);
  *out = new sd_frame(*frame);
  return SD_OK;
}

sd_code sd_frame_next(sd_frame* frame, double time, sd_frame_callback callback, void* data,
                      const sd_call_options* call, sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  return sdk::Report(sdk::CancellableNext(*frame, time, callback, data, sdk::CallOptionsOf(call)),
                     error);
}

void sd_frame_cancel(sd_frame* frame) {
  if (frame == nullptr) return;
  std::shared_ptr<stagedoor::Cancellation> cancellation;
  {
    stagedoor::MutexLock lock(frame->mu);
    cancellation = frame->cancellation;
  }
  if (cancellation != nullptr) cancellation->Cancel();
}

sd_code sd_frame_fingerprint(const sd_frame* frame, double time, const sd_call_options* call,
                             uint8_t fingerprint[32], sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (fingerprint == nullptr) return sdk::ReportNull("fingerprint", error);
  const absl::StatusOr<std::string> found =
      frame->frame.GetFingerprint(sdk::TimeOf(time), sdk::CallOptionsOf(call));
  if (!found.ok()) return sdk::Report(found.status(), error);
  if (found->size() != kFingerprintBytes) {
    return sdk::Report(absl::DataLossError("the fingerprint of the frame is damaged"), error);
  }
  std::copy(found->begin(), found->end(), fingerprint);
  return SD_OK;
}

size_t sd_frame_ids(const sd_frame* frame, sd_frame_kind kind, const uint64_t** ids) {
  return sdk::ReturnIds(frame, kind, /*changed=*/false, ids);
}

size_t sd_frame_changed(const sd_frame* frame, sd_frame_kind kind, const uint64_t** ids) {
  return sdk::ReturnIds(frame, kind, /*changed=*/true, ids);
}

int32_t sd_frame_is_complete(const sd_frame* frame) {
  return frame != nullptr && frame->changes.complete ? 1 : 0;
}

int32_t sd_frame_camera_changed(const sd_frame* frame) {
  return frame != nullptr && frame->changes.camera ? 1 : 0;
}

size_t sd_frame_failure_count(const sd_frame* frame) {
  return frame == nullptr ? 0 : frame->changes.failures.size();
}

sd_code sd_frame_failure(const sd_frame* frame, size_t index, sd_error** error) {
  if (index >= sd_frame_failure_count(frame)) {
    return sdk::Report(absl::OutOfRangeError("there is no failure with this index"), error);
  }
  const auto& failure = frame->changes.failures[index];
  const sd_code code = sdk::Report(failure.status, error);
  if (error != nullptr && *error != nullptr) (*error)->details.path = failure.path;
  return code;
}
