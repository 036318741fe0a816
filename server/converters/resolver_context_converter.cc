#include "server/converters/resolver_context_converter.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "resolver/pin_file.h"
#include "resolver/resolver.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kSearchPaths = "resolver_context.search_paths";
constexpr std::string_view kPins = "resolver_context.pins";
constexpr std::string_view kPinFiles = "resolver_context.pin_files";
constexpr std::string_view kLayers = "resolver_context.layers";

absl::Status Invalid(std::string_view field, std::string_view value, std::string_view why) {
  constexpr size_t kMaxShown = 200;
  return InvalidFieldError(field, value.substr(0, kMaxShown), why);
}

absl::Status CheckSize(std::string_view field, int size, size_t most) {
  if (static_cast<size_t>(size) <= most) return absl::OkStatus();
  return InvalidFieldError(field, Concat(size), Concat("at most ", most, " are accepted"));
}

// A path that does not depend on a layer in which it is written.
absl::Status CheckPath(std::string_view field, const std::string& path) {
  const absl::Status status = CheckAssetPath(path);
  if (!status.ok()) return Invalid(field, path, Message(status));
  if (!IsFileRelativeAssetPath(path)) return absl::OkStatus();
  return Invalid(
      field, path,
      Concat(Quoted(path, 80),
             " must be absolute, a URI or a search path: it is not relative to a layer"));
}

absl::Status CheckSizes(const v1::ResolverContext& request, const ServerLimits& limits) {
  SD_RETURN_IF_ERROR(CheckSize(kSearchPaths, request.search_paths_size(), limits.max_search_paths));
  SD_RETURN_IF_ERROR(CheckSize(kPins, request.pins_size(), limits.max_pins));
  SD_RETURN_IF_ERROR(CheckSize(kPinFiles, request.pin_files_size(), limits.max_pin_files));
  SD_RETURN_IF_ERROR(CheckSize(kLayers, request.layers_size(), limits.max_context_layers));
  const size_t bytes = request.ByteSizeLong();
  if (bytes <= limits.max_context_bytes) return absl::OkStatus();
  return InvalidFieldError("resolver_context", Concat(bytes),
                           Concat(bytes, " bytes exceed the limit of ", limits.max_context_bytes));
}

absl::Status AddPins(const v1::ResolverContext& request, ResolverContext::Recipe& recipe) {
  std::set<std::string_view> known;
  for (const v1::ResolverContext::Pin& pin : request.pins()) {
    const absl::Status status = CheckPin(pin.asset_path(), pin.target());
    if (!status.ok()) return Invalid(kPins, pin.asset_path(), Message(status));
    if (!known.insert(pin.asset_path()).second) {
      return Invalid(kPins, pin.asset_path(),
                     Concat(Quoted(pin.asset_path(), 80), " is pinned twice"));
    }
    recipe.pins.emplace_back(pin.asset_path(), pin.target());
  }
  return absl::OkStatus();
}

absl::Status AddLayers(const v1::ResolverContext& request, ResolverContext::Recipe& recipe) {
  std::set<std::string_view> known;
  for (const v1::ResolverContext::InMemoryLayer& layer : request.layers()) {
    const std::string& name = layer.identifier();
    SD_RETURN_IF_ERROR(CheckPath(kLayers, name));
    const std::string extension = AssetExtension(name);
    if (extension != "usda" && extension != "usd") {
      return Invalid(kLayers, name, Concat(Quoted(name, 80), " must end in .usda or .usd"));
    }
    if (!known.insert(name).second) {
      return Invalid(kLayers, name, Concat("there are two layers named ", Quoted(name, 80)));
    }
    recipe.layers.emplace_back(name, layer.content());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResolverContext> ParseResolverContext(const v1::ResolverContext& request,
                                                     const ServerLimits& limits,
                                                     std::shared_ptr<const AccessScope> access,
                                                     MemoryPool* memory) {
  SD_RETURN_IF_ERROR(CheckSizes(request, limits));
  ResolverContext::Recipe recipe;
  recipe.access = std::move(access);
  for (const std::string& path : request.search_paths()) {
    SD_RETURN_IF_ERROR(CheckPath(kSearchPaths, path));
    if (!IsAbsoluteAssetPath(path)) {
      return Invalid(kSearchPaths, path,
                     Concat(Quoted(path, 80), " must be an absolute path or a URI"));
    }
    recipe.search_paths.push_back(path);
  }
  SD_RETURN_IF_ERROR(AddPins(request, recipe));
  for (const std::string& path : request.pin_files()) {
    SD_RETURN_IF_ERROR(CheckPath(kPinFiles, path));
    recipe.pin_files.push_back(path);
  }
  SD_RETURN_IF_ERROR(AddLayers(request, recipe));
  return ResolverContext::Create(std::move(recipe), memory);
}

}  // namespace stagedoor::server
