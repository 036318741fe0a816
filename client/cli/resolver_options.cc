#include "client/cli/resolver_options.h"

#include <array>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

// The largest layer that the daemon accepts by default.
constexpr size_t kMaxLayerBytes = size_t{64} << 20;

struct Assignment {
  std::string_view name;
  std::string_view value;
};

// Splits "NAME=VALUE" at the first '='.
absl::StatusOr<Assignment> Split(std::string_view option, std::string_view form,
                                 std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return UsageError(Concat("--", option, " must be ", form, ", not ", Quoted(text)));
  }
  return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

// "./x" and "../x" mean a file of the current directory; any other relative path is a search path.
std::string AssetPathOf(std::string_view text) {
  const bool file = text.starts_with("./") || text.starts_with("../");
  return file ? AbsoluteIdentifier(text) : std::string(text);
}

absl::StatusOr<std::string> ReadLayerFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFoundError("cannot read the layer ", Quoted(path));
  std::string content;
  std::array<char, 1 << 16> part;
  while (file.read(part.data(), part.size()), file.gcount() > 0) {
    content.append(part.data(), static_cast<size_t>(file.gcount()));
    if (content.size() > kMaxLayerBytes) {
      return ResourceExhaustedError(Quoted(path), ": a layer to send must not exceed ",
                                    kMaxLayerBytes, " bytes");
    }
  }
  if (!file.eof()) return NotFoundError("cannot read the layer ", Quoted(path));
  return content;
}

}  // namespace

absl::Status SetResolverContext(const CommandLine& line, v1::OpenStageRequest& request) {
  for (const std::string& path : line.Options("search-path")) {
    request.mutable_resolver_context()->add_search_paths(AbsoluteIdentifier(path));
  }
  for (const std::string& text : line.Options("pin")) {
    SD_ASSIGN_OR_RETURN(const Assignment pin, Split("pin", "PATH=TARGET", text));
    v1::ResolverContext::Pin* out = request.mutable_resolver_context()->add_pins();
    out->set_asset_path(AssetPathOf(pin.name));
    out->set_target(AssetPathOf(pin.value));
  }
  for (const std::string& path : line.Options("pin-file")) {
    request.mutable_resolver_context()->add_pin_files(AbsoluteIdentifier(path));
  }
  for (const std::string& text : line.Options("layer")) {
    SD_ASSIGN_OR_RETURN(const Assignment layer, Split("layer", "NAME=FILE", text));
    SD_ASSIGN_OR_RETURN(std::string content, ReadLayerFile(std::string(layer.value)));
    v1::ResolverContext::InMemoryLayer* out = request.mutable_resolver_context()->add_layers();
    out->set_identifier(AssetPathOf(layer.name));
    out->set_content(std::move(content));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
