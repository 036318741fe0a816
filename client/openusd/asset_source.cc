#include "asset_source.h"

#include "message_fields.h"
#include "usd.h"
#include "wire.h"

namespace stagedoor::openusd {
namespace {

std::string ResolverContextOf(const AssetArguments& arguments) {
  WireWriter context;
  for (const std::string& path : arguments.search_paths) {
    context.Bytes(wire::ResolverContext::kSearchPaths, path);
  }
  for (const auto& [path, target] : arguments.pins) {
    WireWriter pin;
    pin.Bytes(wire::ResolverContextPin::kAssetPath, path);
    pin.Bytes(wire::ResolverContextPin::kTarget, target);
    context.Message(wire::ResolverContext::kPins, pin);
  }
  for (const std::string& file : arguments.pin_files) {
    context.Bytes(wire::ResolverContext::kPinFiles, file);
  }
  return context.bytes();
}

sd_asset_options NoOptions() {
  sd_asset_options options{};
  options.struct_size = sizeof(options);
  return options;
}

}  // namespace

std::string_view AssetReply::data() const {
  size_t size = 0;
  const void* const data = sd_asset_data(asset_.get(), &size);
  return {static_cast<const char*>(data), size};
}

AssetSource::AssetSource(AssetArguments arguments)
    : arguments_(std::move(arguments)), resolver_context_(ResolverContextOf(arguments_)) {}

Result<AssetReply> AssetSource::Find(const std::string& path, const std::string& anchor) const {
  sd_asset_options options = NoOptions();
  options.anchor = anchor.c_str();
  options.resolver_context = resolver_context_.data();
  options.resolver_context_size = resolver_context_.size();
  options.without_data = 1;
  return Call(path, options);
}

Result<AssetReply> AssetSource::Read(const std::string& resolved_path, const std::string& version,
                                     uint64_t offset, uint64_t length) const {
  sd_asset_options options = NoOptions();
  options.version = version.c_str();
  options.offset = offset;
  options.length = length;
  options.without_data = length == 0;
  return Call(resolved_path, options);
}

Result<std::shared_ptr<const DaemonConnection>> AssetSource::Connection() const {
  auto connection = Connections::OfProcess().Get(arguments_);
  const std::lock_guard<std::mutex> lock(mu_);
  if (connection.ok()) connection_ = *connection;
  return connection;
}

Result<AssetReply> AssetSource::Call(const std::string& path,
                                     const sd_asset_options& options) const {
  TF_PY_ALLOW_THREADS_IN_SCOPE();
  const auto connection = Connection();
  if (!connection.ok()) return connection.failure();
  sd_call_options call{};
  call.struct_size = sizeof(call);
  call.timeout_ms = arguments_.timeout_ms;
  sd_asset* asset = nullptr;
  sd_error* error = nullptr;
  const sd_code code =
      sd_read_asset((*connection)->get(), path.c_str(), &options, &call, &asset, &error);
  if (code != SD_OK) return TakeFailure(code, error);
  return AssetReply(asset);
}

}  // namespace stagedoor::openusd
