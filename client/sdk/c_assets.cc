// The functions of the C interface for the bytes of assets.
#include <climits>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/c_objects.h"
#include "client/sdk/connection.h"

namespace stagedoor::sdk {
namespace {

absl::StatusOr<v1::ReadAssetRequest> RequestFor(const char* asset_path,
                                                const sd_asset_options& options) {
  v1::ReadAssetRequest request;
  request.set_asset_path(asset_path);
  request.set_anchor(TextOf(options.anchor));
  request.set_version(TextOf(options.version));
  request.set_offset(options.offset);
  if (options.without_data != 0) {
    request.set_length(0);
  } else if (options.length != 0) {
    request.set_length(options.length);
  }
  if (options.resolver_context_size == 0) return request;
  if (options.resolver_context == nullptr) {
    return InvalidArgumentError("the field 'resolver_context' of the options is NULL");
  }
  if (options.resolver_context_size > INT_MAX ||
      !request.mutable_resolver_context()->ParseFromArray(
          options.resolver_context, static_cast<int>(options.resolver_context_size))) {
    return InvalidArgumentError(
        "the field 'resolver_context' of the options is not a ResolverContext");
  }
  return request;
}

absl::StatusOr<sd_asset> ReadWith(const Connection& connection, const char* asset_path,
                                  const sd_asset_options& options, const CallOptions& call) {
  SD_ASSIGN_OR_RETURN(const v1::ReadAssetRequest request, RequestFor(asset_path, options));
  SD_ASSIGN_OR_RETURN(Asset asset, connection.ReadAsset(request, call));
  return sd_asset{std::move(asset)};
}

}  // namespace
}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

sd_code sd_read_asset(sd_connection* connection, const char* asset_path,
                      const sd_asset_options* options, const sd_call_options* call, sd_asset** out,
                      sd_error** error) {
  if (connection == nullptr) return sdk::ReportNull("connection", error);
  if (asset_path == nullptr) return sdk::ReportNull("asset_path", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(sdk::ReadWith(*connection->connection, asset_path, sdk::CopyOptions(options),
                                   sdk::CallOptionsOf(call)),
                     out, error);
}

const char* sd_asset_identifier(const sd_asset* asset) {
  return asset == nullptr ? "" : asset->asset.info.identifier().c_str();
}
const char* sd_asset_resolved_path(const sd_asset* asset) {
  return asset == nullptr ? "" : asset->asset.info.resolved_path().c_str();
}
const char* sd_asset_version(const sd_asset* asset) {
  return asset == nullptr ? "" : asset->asset.info.version().c_str();
}
uint64_t sd_asset_size(const sd_asset* asset) {
  return asset == nullptr ? 0 : asset->asset.info.size();
}

const void* sd_asset_data(const sd_asset* asset, size_t* size) {
  if (size != nullptr) *size = asset == nullptr ? 0 : asset->asset.data.size();
  return asset == nullptr ? nullptr : asset->asset.data.data();
}
