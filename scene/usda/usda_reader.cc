#include "scene/usda/usda_reader.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "scene/paths/identifier.h"
#include "scene/usda/layer_assembler.h"
#include "scene/usda/prim_reader.h"

namespace stagedoor {
namespace usda {
namespace {

struct Version {
  int numbers[3] = {0, 0, 0};
  friend auto operator<=>(const Version&, const Version&) = default;
};
constexpr Version kNewest = {{1, 4, 0}};  // the newest version that is read

// Parses a version such as "1.0" or "1.0.32", whose numbers are at most 255.
std::optional<Version> ParseVersion(std::string_view text) {
  Version version;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    if (at == end || *at < '0' || *at > '9') return std::nullopt;
    const auto result = std::from_chars(at, end, version.numbers[i]);
    if (result.ec != std::errc() || version.numbers[i] > 255) return std::nullopt;
    at = result.ptr;
    if (at == end) return i > 0 ? std::optional(version) : std::nullopt;
    if (*at++ != '.') return std::nullopt;
  }
  return std::nullopt;
}

// Why the first line is not a valid header (16.2.18.1 Layer Header); empty if it is valid.
std::string CheckHeader(std::string_view line, bool sdf) {
  const std::string_view magic = sdf ? "#sdf " : "#usda ";
  if (line.substr(0, magic.size()) != magic) {
    return "a layer must begin with '" + std::string(magic) + (sdf ? "1.4.32'" : "1.0'");
  }
  const size_t first = line.find_first_not_of(' ', magic.size());
  if (first == std::string_view::npos) return "the header has no version";
  std::string text(line.substr(first, line.find_first_of(" \t", first) - first));
  std::erase(text, '\r');  // as in OpenUSD
  const std::optional<Version> version = ParseVersion(text);
  if (!version) return "the header has no valid version; expected one such as 1.0";
  if (sdf) return {};
  if (*version < Version{{1, 0, 0}} || kNewest < *version) {
    return "version " + text + " is not supported; supported versions are 1.0 to 1.4";
  }
  return {};
}

// The offset of the first byte from `at` on that is not part of valid UTF-8; the size if all are.
size_t FindInvalidUtf8(std::string_view text, size_t at) {
  constexpr uint64_t kHighBits = 0x8080808080808080ULL;
  while (at < text.size()) {
    if (text.size() - at >= 32) {
      uint64_t words[4];
      std::memcpy(words, text.data() + at, 32);
      if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) == 0) {
        at += 32;
        continue;
      }
    }
    uint32_t code_point;
    const size_t n = DecodeUtf8(text, at, &code_point);
    if (n == 0) return at;
    at += n;
  }
  return text.size();
}

absl::Status Error(const Layer::Info& info, size_t line, size_t column, std::string_view message) {
  const std::string& file = info.resolved_path.empty() ? info.identifier : info.resolved_path;
  return absl::InvalidArgumentError(file + ":" + std::to_string(line) + ":" +
                                    std::to_string(column) + ": " + std::string(message));
}

absl::Status Error(const Layer::Info& info, const TextCursor& cursor) {
  return Error(info, cursor.error_line(), cursor.error_column(), cursor.error());
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace
}  // namespace usda

bool LooksLikeUsda(std::string_view text) {
  return text.substr(0, 5) == "#usda" || text.substr(0, 4) == "#sdf";
}

absl::StatusOr<std::shared_ptr<const Layer>> ReadUsda(std::string_view text, Layer::Info info,
                                                      const PluginFields* fields,
                                                      RequestContext* request) {
  const size_t line_end = std::min(text.find('\n'), text.size());
  const bool sdf = usda::EndsWith(info.identifier, ".sdf");
  const std::string wrong = usda::CheckHeader(text.substr(0, line_end), sdf);
  if (!wrong.empty()) return usda::Error(info, 1, 1, wrong);
  usda::ParseContext context(text);
  context.plugin_fields = fields;
  context.cursor.Observe(request);
  const size_t invalid = usda::FindInvalidUtf8(text, line_end);
  if (invalid != text.size()) {
    context.cursor.FailAt(text.data() + invalid, "the text is not valid UTF-8");
    return usda::Error(info, context.cursor);
  }
  context.cursor.MoveTo(text.data() + line_end);
  usda::LayerAssembler layer;
  usda::PrimReader reader(&context, &layer);
  const bool read = reader.ReadLayer() && !context.cursor.failed();
  if (absl::Status alive = request ? request->Check() : absl::OkStatus(); !alive.ok()) return alive;
  if (!read) return usda::Error(info, context.cursor);
  info.format = sdf ? "sdf" : "usda";
  return std::move(layer).Build(std::move(info), context.cursor);
}

}  // namespace stagedoor
