#include "server/sessions/stage_key_changes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/request_scope.h"
#include "base/status_macros.h"
#include "server/sessions/stage_key_parser.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

// Parses paths into the path scope of `stage_key`, which they become part of.
absl::StatusOr<std::vector<Path>> ParsePaths(const Texts& texts, StageKey& stage_key) {
  stage_key.options.paths = PathScope::CreateSuccessor(stage_key.options.paths);
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(stage_key.options.paths.get()));
  std::vector<Path> paths;
  for (const std::string& text : texts) {
    SD_ASSIGN_OR_RETURN(const Path path, ParsePrimPath(text));
    paths.push_back(path);
  }
  return paths;
}

}  // namespace

absl::Status LoadPaths(const Texts& texts, bool with_descendants, StageKey& stage_key) {
  SD_ASSIGN_OR_RETURN(const std::vector<Path> paths, ParsePaths(texts, stage_key));
  for (const Path path : paths) stage_key.options.load.Load(path, with_descendants);
  return absl::OkStatus();
}

absl::Status UnloadPaths(const Texts& texts, StageKey& stage_key) {
  SD_ASSIGN_OR_RETURN(const std::vector<Path> paths, ParsePaths(texts, stage_key));
  for (const Path path : paths) stage_key.options.load.Unload(path);
  return absl::OkStatus();
}

absl::Status ChangeMutedLayers(const AssetState& state, RequestContext& context, const Texts& mute,
                               const Texts& unmute, StageKey& stage_key) {
  std::vector<std::string>& muted = stage_key.options.muted_layers;
  const ResolverContext& resolver_context = stage_key.options.resolver_context;
  for (const std::string& layer : unmute) {
    SD_ASSIGN_OR_RETURN(const std::string identifier,
                        IdentifyLayer(state, context, resolver_context, "unmute", layer));
    std::erase(muted, identifier);
  }
  for (const std::string& layer : mute) {
    SD_ASSIGN_OR_RETURN(std::string identifier,
                        IdentifyLayer(state, context, resolver_context, "mute", layer));
    muted.push_back(std::move(identifier));
  }
  std::sort(muted.begin(), muted.end());
  muted.erase(std::unique(muted.begin(), muted.end()), muted.end());
  return absl::OkStatus();
}

}  // namespace stagedoor::server
