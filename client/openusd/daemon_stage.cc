#include "daemon_stage.h"

#include <algorithm>

#include "message_fields.h"
#include "usd.h"

namespace stagedoor::openusd {
namespace {

// The deadline of calls while the daemon cannot be reached.
constexpr uint32_t kTimeoutWhileAwayMs = 3000;

std::vector<const char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

// The session layer with the variants of arguments, as usda; empty if there are none.
std::string SessionLayerText(const StageArguments& arguments) {
  if (arguments.variants.empty()) return "";
  const SdfLayerRefPtr layer = SdfLayer::CreateAnonymous("session.usda");
  if (!arguments.session_layer.empty()) layer->InsertSubLayerPath(arguments.session_layer);
  for (const std::string& text : arguments.variants) {
    for (SdfPath path(text); path.IsPrimVariantSelectionPath(); path = path.GetParentPath()) {
      const SdfPrimSpecHandle prim = SdfCreatePrimInLayer(layer, path.GetPrimPath());
      const auto [set, variant] = path.GetVariantSelection();
      if (prim) prim->SetVariantSelection(set, variant);
    }
  }
  std::string content;
  layer->ExportToString(&content);
  return content;
}

// The fields of an OpenStageRequest that the options of sd_stage_open do not have.
WireWriter OpenRequest(const StageArguments& arguments) {
  WireWriter request;
  if (arguments.held) {
    request.Number(wire::OpenStageRequest::kInterpolation, wire::INTERPOLATION_HELD);
  }
  if (arguments.variants.empty() && !arguments.session_layer.empty()) {
    WireWriter layer;
    layer.Bytes(wire::SessionLayer::kIdentifier, arguments.session_layer);
    request.Message(wire::OpenStageRequest::kSessionLayer, layer);
  }
  return request;
}

bool IsAway(sd_code code) { return code == SD_UNAVAILABLE || code == SD_DEADLINE_EXCEEDED; }

}  // namespace

std::string_view Messages::operator[](size_t index) const {
  size_t size = 0;
  const void* data = sd_messages_data(messages_.get(), index, &size);
  return {static_cast<const char*>(data), size};
}

Result<std::unique_ptr<DaemonStage>> DaemonStage::Open(
    std::shared_ptr<const DaemonConnection> connection, const StageArguments& arguments,
    const Options& options) {
  std::unique_ptr<DaemonStage> stage(new DaemonStage(std::move(connection), arguments, options));
  Result<Stage> opened = stage->OpenNow();
  if (!opened.ok()) return opened.failure();
  stage->newest_ = std::move(*opened);
  const Result<std::string> snapshot = SnapshotOf(stage->newest_);
  if (!snapshot.ok()) return snapshot.failure();
  stage->snapshot_ = arguments.snapshot.empty() ? *snapshot : arguments.snapshot;
  sd_stage* pinned = nullptr;
  sd_error* error = nullptr;
  const sd_code code =
      sd_stage_at_snapshot(stage->newest_.get(), stage->snapshot_.c_str(), &pinned, &error);
  if (code != SD_OK) return TakeFailure(code, error);
  stage->pinned_.reset(pinned);
  return stage;
}

DaemonStage::~DaemonStage() {
  if (connection_->IsOwnProcess()) return;
  pinned_.release();
  newest_.release();
}

Result<DaemonStage::Stage> DaemonStage::OpenNow() const {
  if (const Result<bool> own = connection_->CheckProcess(); !own.ok()) return own.failure();
  const std::string session_layer = SessionLayerText(arguments_);
  const std::vector<const char*> mask =
      Pointers(options_.mask.empty() ? arguments_.mask : options_.mask);
  const WireWriter request = OpenRequest(arguments_);
  sd_stage_options open{};
  open.struct_size = sizeof(open);
  open.session_layer = session_layer.empty() ? nullptr : session_layer.c_str();
  open.load_none = options_.load_none;
  open.population_mask = mask.data();
  open.population_mask_count = mask.size();
  open.session = arguments_.session.empty() ? nullptr : arguments_.session.c_str();
  open.request = request.bytes().data();
  open.request_size = request.bytes().size();
  sd_stage* stage = nullptr;
  sd_error* error = nullptr;
  const sd_code code =
      sd_stage_open(connection_->get(), arguments_.root.c_str(), &open, &stage, &error);
  if (code != SD_OK) return TakeFailure(code, error);
  return Stage(stage);
}

Result<std::string> DaemonStage::SnapshotOf(const Stage& stage) {
  char snapshot[33];
  sd_error* error = nullptr;
  const sd_code code = sd_stage_snapshot(stage.get(), snapshot, &error);
  if (code != SD_OK) return TakeFailure(code, error);
  return std::string(snapshot);
}

Result<bool> DaemonStage::CheckUnchanged() const {
  const Result<Stage> now = OpenNow();
  if (!now.ok()) return now.failure();
  const Result<std::string> snapshot = NewestOf(*now);
  if (!snapshot.ok()) return snapshot.failure();
  if (*snapshot == snapshot_) return true;
  return Failure{SD_FAILED_PRECONDITION,
                 "'" + arguments_.root + "' has changed since it was opened; reload the layer"};
}

sd_call_options DaemonStage::NextCall() const {
  sd_call_options call{};
  call.struct_size = sizeof(call);
  call.timeout_ms = arguments_.timeout_ms;
  if (away_) call.timeout_ms = std::min(call.timeout_ms, kTimeoutWhileAwayMs);
  return call;
}

Result<bool> DaemonStage::Finish(sd_code code, sd_error* error) const {
  away_ = IsAway(code);
  if (code == SD_OK) return true;
  return TakeFailure(code, error);
}

Result<Messages> DaemonStage::Call(const char* method, const WireWriter& request) const {
  if (const Result<bool> own = connection_->CheckProcess(); !own.ok()) return own.failure();
  const sd_call_options call = NextCall();
  sd_messages* messages = nullptr;
  sd_error* error = nullptr;
  const sd_code code = sd_call(pinned_.get(), method, request.bytes().data(),
                               request.bytes().size(), &call, &messages, &error);
  if (const Result<bool> done = Finish(code, error); !done.ok()) return done.failure();
  return Messages(messages);
}

Result<Values> DaemonStage::GetValues(const std::vector<const char*>& paths,
                                      const std::vector<double>& times) const {
  if (const Result<bool> own = connection_->CheckProcess(); !own.ok()) return own.failure();
  const sd_call_options call = NextCall();
  sd_values* values = nullptr;
  sd_error* error = nullptr;
  const sd_code code = sd_get_values(pinned_.get(), paths.data(), paths.size(), times.data(),
                                     times.size(), &call, &values, &error);
  if (const Result<bool> done = Finish(code, error); !done.ok()) return done.failure();
  return Values(values);
}

Result<std::string> DaemonStage::FindNewest() const { return NewestOf(newest_); }

Result<std::string> DaemonStage::NewestOf(const Stage& stage) const {
  if (const Result<bool> own = connection_->CheckProcess(); !own.ok()) return own.failure();
  const sd_call_options call = NextCall();
  sd_error* error = nullptr;
  if (arguments_.session.empty()) {
    const sd_code code = sd_stage_reload(stage.get(), &call, &error);
    if (const Result<bool> done = Finish(code, error); !done.ok()) return done.failure();
  } else {
    // Other clients decide when a session with a name is reloaded.
    sd_messages* messages = nullptr;
    const sd_code code = sd_call(stage.get(), "GetStage", nullptr, 0, &call, &messages, &error);
    const Messages owner(messages);
    if (const Result<bool> done = Finish(code, error); !done.ok()) return done.failure();
  }
  return SnapshotOf(stage);
}

}  // namespace stagedoor::openusd
