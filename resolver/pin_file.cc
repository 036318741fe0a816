#include "resolver/pin_file.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "resolver/asset_path.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

// Receives the tokens of a pin file from the parser, which builds no tree of its own. Anything but
// one flat object of texts ends the parsing.
class PinFileHandler final : public nlohmann::json_sax<Json> {
 public:
  PinFileHandler(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  absl::Status status() const { return status_; }
  ResolverContext::Pins TakePins() { return std::move(pins_); }

  bool start_object(std::size_t) override {
    if (std::exchange(in_object_, true)) return RejectValue();
    return true;
  }
  bool end_object() override { return true; }
  bool key(string_t& key) override {
    key_ = std::move(key);
    return true;
  }
  bool string(string_t& value) override {
    if (!in_object_) return RejectValue();
    if (pins_.size() == kMaxPinsPerFile) {
      status_ = ResourceExhaustedError(name_, ": more than ", kMaxPinsPerFile, " pins");
      return false;
    }
    status_ = Annotate(CheckPin(key_, value), name_);
    if (!status_.ok()) return false;
    const auto normalized = [](std::string_view path) {
      return IsPackageRelativePath(path) ? std::string(path) : NormalizeAssetPath(path);
    };
    if (pins_.emplace(normalized(key_), normalized(value)).second) return true;
    status_ = InvalidArgumentError(name_, ": ", Quoted(key_), " is pinned twice");
    return false;
  }
  bool null() override { return RejectValue(); }
  bool boolean(bool) override { return RejectValue(); }
  bool number_integer(number_integer_t) override { return RejectValue(); }
  bool number_unsigned(number_unsigned_t) override { return RejectValue(); }
  bool number_float(number_float_t, const string_t&) override { return RejectValue(); }
  bool binary(binary_t&) override { return RejectValue(); }
  bool start_array(std::size_t) override { return RejectValue(); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    // The parser counts the bytes it has consumed, the one at fault included.
    const std::string_view before = text_.substr(0, std::max<size_t>(position, 1) - 1);
    const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    const size_t column = before.size() - (before.rfind('\n') + 1);
    status_ =
        InvalidArgumentError(name_, ":", line + 1, ":", column + 1, ": the file is not valid JSON");
    return false;
  }

 private:
  bool RejectValue() {
    status_ = in_object_ ? InvalidArgumentError(name_, ": the value of ", Quoted(key_),
                                                " must be the text of an asset path")
                         : InvalidArgumentError(name_, ": the file must hold one JSON object");
    return false;
  }

  const std::string_view name_;
  const std::string_view text_;
  bool in_object_ = false;
  std::string key_;
  ResolverContext::Pins pins_;
  absl::Status status_;
};

absl::StatusOr<ResolverContext::PinFile> Load(RequestContext& context, const Resolver& resolver,
                                              const ResolverContext& resolver_context,
                                              const std::string& identifier) {
  ResolverContext::PinFile file;
  file.identifier = identifier;
  SD_ASSIGN_OR_RETURN(file.resolved_path, resolver.Resolve(context, resolver_context, identifier));
  SD_ASSIGN_OR_RETURN(const auto asset,
                      resolver.OpenAsset(context, resolver_context, file.resolved_path));
  file.version = asset->version();
  SD_ASSIGN_OR_RETURN(const PinnedBytes bytes, ReadAll(context, *asset, kMaxPinFileBytes));
  auto pins = ParsePinFile(file.resolved_path, bytes.text());
  file.content_fingerprint = FingerprintOf(bytes.text());
  // If the file changed meanwhile, the result is invalid, even if it is an error.
  SD_RETURN_IF_ERROR(asset->Check());
  if (!pins.ok()) return pins.status();
  file.pins = *std::move(pins);
  return file;
}

}  // namespace

absl::Status CheckPin(std::string_view from, std::string_view to) {
  for (const std::string_view path : {from, to}) {
    SD_RETURN_IF_ERROR(CheckAssetPath(path));
    if (IsFileRelativeAssetPath(path)) {
      return InvalidArgumentError("pinned path ", Quoted(path),
                                  " must be absolute, a URI or a search path, because it is not "
                                  "relative to a layer");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ResolverContext::Pins> ParsePinFile(std::string_view name, std::string_view text) {
  PinFileHandler handler(name, text);
  Json::sax_parse(text, &handler);
  SD_RETURN_IF_ERROR(handler.status());
  return handler.TakePins();
}

absl::StatusOr<ResolverContext> LoadPinFiles(RequestContext& context, const Resolver& resolver,
                                             const ResolverContext& resolver_context,
                                             std::string* failed) {
  if (resolver_context.pin_files().empty()) return resolver_context;
  const std::vector<ResolverContext::PinFile>& known = resolver_context.read_pin_files();
  const bool current =
      !known.empty() && std::all_of(known.begin(), known.end(), [&](const auto& file) {
        return IsCurrent(context, resolver, resolver_context, file);
      });
  if (current) return resolver_context;
  const ResolverContext own = resolver_context.WithoutPinFiles();
  std::vector<ResolverContext::PinFile> files;
  for (const std::string& identifier : own.pin_files()) {
    absl::StatusOr<ResolverContext::PinFile> file = Load(context, resolver, own, identifier);
    if (!file.ok()) {
      if (failed != nullptr) *failed = identifier;
      return file.status();
    }
    files.push_back(*std::move(file));
  }
  return own.WithPinFiles(std::move(files));
}

bool IsCurrent(RequestContext& context, const Resolver& resolver,
               const ResolverContext& resolver_context, const ResolverContext::PinFile& file) {
  const auto version = resolver.GetVersion(context, resolver_context, file.resolved_path);
  return version.ok() && *version == file.version;
}

}  // namespace stagedoor
