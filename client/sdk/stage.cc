#include "client/sdk/stage.h"

#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/stage_session.h"

namespace stagedoor::sdk {
namespace {

v1::OpenStageRequest OpenRequest(const std::string& root_layer, const StageOptions& options) {
  v1::OpenStageRequest request = options.request;
  request.set_root_layer(root_layer);
  if (!options.session_layer.empty()) {
    request.mutable_session_layer()->set_content(options.session_layer);
  }
  if (!options.load_payloads) request.set_load_policy(v1::LOAD_POLICY_NONE);
  for (const std::string& path : options.population_mask) request.add_population_mask(path);
  for (const std::string& layer : options.muted_layers) request.add_muted_layers(layer);
  if (!options.session.empty()) request.set_session(options.session);
  if (options.change_policy != v1::CHANGE_POLICY_UNSPECIFIED) {
    request.set_change_policy(options.change_policy);
  }
  if (options.interpolation != v1::INTERPOLATION_UNSPECIFIED) {
    request.set_interpolation(options.interpolation);
  }
  return request;
}

template <typename Repeated>
void AddAll(std::span<const std::string> texts, Repeated* field) {
  field->Add(texts.begin(), texts.end());
}

// Replaces the load rules at and below paths, as the daemon does.
void FoldLoadRules(std::span<const std::string> paths, v1::LoadRule::Rule rule,
                   v1::OpenStageRequest& request) {
  for (const std::string& path : paths) {
    const std::string below = path.ends_with('/') ? path : Concat(path, "/");
    auto* rules = request.mutable_load_rules();
    rules->erase(std::remove_if(rules->begin(), rules->end(),
                                [&](const v1::LoadRule& old) {
                                  return old.path() == path || old.path().starts_with(below);
                                }),
                 rules->end());
    v1::LoadRule* added = rules->Add();
    added->set_path(path);
    added->set_rule(rule);
  }
}

void FoldMuting(std::span<const std::string> mute, std::span<const std::string> unmute,
                v1::OpenStageRequest& request) {
  auto* muted = request.mutable_muted_layers();
  const auto is_in = [](std::span<const std::string> names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto end = std::remove_if(muted->begin(), muted->end(), [&](const std::string& name) {
    return is_in(unmute, name) || is_in(mute, name);
  });
  muted->erase(end, muted->end());
  AddAll(mute, muted);
}

}  // namespace

absl::StatusOr<Stage> Stage::Open(const std::string& address, const std::string& root_layer,
                                  const StageOptions& options, const CallOptions& call) {
  return Open(Connection::Connect(address), root_layer, options, call);
}

absl::StatusOr<Stage> Stage::Open(std::shared_ptr<Connection> connection,
                                  const std::string& root_layer, const StageOptions& options,
                                  const CallOptions& call) {
  SD_ASSIGN_OR_RETURN(
      std::shared_ptr<StageSession> session,
      StageSession::Open(std::move(connection), OpenRequest(root_layer, options), call));
  return Stage(std::move(session), /*pin=*/"");
}

absl::Status Stage::Close(const CallOptions& call) { return session()->Close(call); }

Stage Stage::AtSnapshot(std::string snapshot) const {
  return Stage(session(), std::move(snapshot));
}

Prim Stage::GetPrimAtPath(std::string path) const { return Prim(*this, std::move(path)); }

Attribute Stage::GetAttributeAtPath(std::string path) const {
  return Attribute(*this, std::move(path));
}

Prim Stage::GetPseudoRoot() const { return Prim(*this, "/"); }

Prim Stage::GetDefaultPrim() const {
  std::string path = info().default_prim();
  return Prim(*this, path.empty() ? "/" : std::move(path));
}

absl::StatusOr<std::vector<Prim>> Stage::FindPrims(const std::string& schema_type,
                                                   const std::string& root,
                                                   const CallOptions& call) const {
  return FindPrimsBelow(std::span(&root, 1), schema_type, call);
}

absl::StatusOr<std::vector<Prim>> Stage::FindPrimsBelow(std::span<const std::string> roots,
                                                        const std::string& schema_type,
                                                        const CallOptions& call) const {
  if (roots.empty()) return std::vector<Prim>();  // not the whole stage
  v1::TraverseRequest request;
  request.mutable_roots()->Add(roots.begin(), roots.end());
  if (!schema_type.empty()) request.add_schema_types(schema_type);
  request.mutable_read_mask()->add_paths("path");
  std::vector<Prim> prims;
  SD_RETURN_IF_ERROR(Collect(
      &Client::Traverse, std::move(request), [&] { prims.clear(); },
      [&](const v1::TraverseResponse& part) {
        for (const v1::Prim& prim : part.prims()) prims.push_back(Prim(*this, prim.path()));
        return absl::OkStatus();
      },
      call));
  return prims;
}

sdk::Frame Stage::Frame(const FrameOptions& options) const { return sdk::Frame(*this, options); }

sdk::Watch Stage::Watch(const WatchOptions& options) const {
  return sdk::Watch(session(), snapshot(), options);
}

ChangeSubscription Stage::OnChange(const WatchOptions& options,
                                   ChangeSubscription::Callback callback) const {
  return ChangeSubscription(session(), snapshot(), options, std::move(callback));
}

// ------------------------------------------------------------------------------------------- edits

template <typename Request, typename Response, typename Fold>
absl::StatusOr<std::string> Stage::Edit(
    absl::StatusOr<Response> (Client::*method)(const Request&, const CallOptions&), Request request,
    const std::string& expected, const Fold& fold, const CallOptions& call) const {
  request.set_expected_snapshot(expected);
  std::string snapshot;
  SD_RETURN_IF_ERROR(session()->RunEdit(
      [&](Client& client, const std::string& handle, const CallOptions& left) {
        request.mutable_stage()->set_handle(handle);
        const absl::StatusOr<Response> reply = (client.*method)(request, left);
        if (reply.ok()) snapshot = reply->snapshot();
        return Outcome{reply.status()};
      },
      fold, call));
  session()->Saw(snapshot);
  return snapshot;
}

absl::StatusOr<std::string> Stage::SetSessionLayer(const std::string& text,
                                                   const std::string& expected,
                                                   const CallOptions& call) const {
  v1::SetSessionLayerRequest request;
  if (!text.empty()) request.mutable_session_layer()->set_content(text);
  return Edit(
      &Client::SetSessionLayer, std::move(request), expected,
      [&](v1::OpenStageRequest& open) {
        open.clear_session_layer();
        if (!text.empty()) open.mutable_session_layer()->set_content(text);
      },
      call);
}

absl::StatusOr<std::string> Stage::Load(std::span<const std::string> paths,
                                        const std::string& expected,
                                        const CallOptions& call) const {
  v1::LoadPrimsRequest request;
  AddAll(paths, request.mutable_paths());
  return Edit(
      &Client::LoadPrims, std::move(request), expected,
      [&](v1::OpenStageRequest& open) { FoldLoadRules(paths, v1::LoadRule::RULE_ALL, open); },
      call);
}

absl::StatusOr<std::string> Stage::Unload(std::span<const std::string> paths,
                                          const std::string& expected,
                                          const CallOptions& call) const {
  v1::UnloadPrimsRequest request;
  AddAll(paths, request.mutable_paths());
  return Edit(
      &Client::UnloadPrims, std::move(request), expected,
      [&](v1::OpenStageRequest& open) { FoldLoadRules(paths, v1::LoadRule::RULE_NONE, open); },
      call);
}

absl::StatusOr<std::string> Stage::MuteLayers(std::span<const std::string> mute,
                                              std::span<const std::string> unmute,
                                              const std::string& expected,
                                              const CallOptions& call) const {
  v1::MuteLayersRequest request;
  AddAll(mute, request.mutable_mute());
  AddAll(unmute, request.mutable_unmute());
  return Edit(
      &Client::MuteLayers, std::move(request), expected,
      [&](v1::OpenStageRequest& open) { FoldMuting(mute, unmute, open); }, call);
}

absl::StatusOr<std::string> Stage::Reload(const std::string& expected,
                                          const CallOptions& call) const {
  return Edit(
      &Client::ReloadStage, v1::ReloadStageRequest(), expected, [](v1::OpenStageRequest&) {}, call);
}

}  // namespace stagedoor::sdk
