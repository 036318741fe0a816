#include "resolver/remote/remote_identifiers.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "resolver/remote/service_connection.h"
#include "resolver/remote/service_paths.h"

namespace stagedoor {

namespace pb = resolver::v1;

absl::StatusOr<std::string> RemoteIdentifiers::CreateIdentifier(RequestContext& context,
                                                                const std::string& asset_path,
                                                                const std::string& anchor) const {
  if (asset_path.empty()) return std::string();
  SD_RETURN_IF_ERROR(CheckServicePath(asset_path));
  if (!anchor.empty()) SD_RETURN_IF_ERROR(CheckServicePath(anchor));
  pb::CreateIdentifierRequest request;
  request.add_asset_paths(asset_path);
  request.set_anchor(anchor);
  pb::CreateIdentifierResponse response;
  const grpc::Status status = connection_->Call(context, [&](auto* call, auto end) {
    response.Clear();
    connection_->stub().async()->CreateIdentifier(call, &request, &response, std::move(end));
  });
  if (!status.ok()) return connection_->Error(context, status, asset_path);
  if (response.results_size() != 1) {
    return connection_->Nonsense(
        asset_path, Concat("returned ", response.results_size(), " identifiers for 1 asset path"));
  }
  pb::IdentifierResult& result = *response.mutable_results(0);
  if (result.has_error()) return connection_->Error(result.error(), asset_path);
  if (const absl::Status checked = CheckServicePath(result.identifier()); !checked.ok()) {
    return connection_->Nonsense(
        asset_path, Concat("returned an identifier that is not valid: ", Message(checked)));
  }
  if (!IsPossibleIdentifier(connection_->options().scheme, asset_path, result.identifier())) {
    return connection_->Misconfigured(
        asset_path, Concat("returned the identifier ", Quoted(result.identifier()),
                           ", which does not have the scheme '", connection_->options().scheme,
                           "'; check --resolver, or correct the service"));
  }
  return std::move(*result.mutable_identifier());
}

absl::StatusOr<std::string> RemoteIdentifiers::Resolve(RequestContext& context,
                                                       const std::string& identifier) const {
  SD_RETURN_IF_ERROR(CheckServicePath(identifier));
  pb::ResolveRequest request;
  request.add_identifiers(identifier);
  pb::ResolveResponse response;
  const grpc::Status status = connection_->Call(context, [&](auto* call, auto end) {
    response.Clear();
    connection_->stub().async()->Resolve(call, &request, &response, std::move(end));
  });
  if (!status.ok()) return connection_->Error(context, status, identifier);
  if (response.results_size() != 1) {
    return connection_->Nonsense(
        identifier, Concat("returned ", response.results_size(), " paths for 1 identifier"));
  }
  pb::ResolveResult& result = *response.mutable_results(0);
  if (result.has_error()) return connection_->Error(result.error(), identifier);
  if (const absl::Status checked = CheckServicePath(result.resolved_path()); !checked.ok()) {
    return connection_->Nonsense(
        identifier, Concat("returned a resolved path that is not valid: ", Message(checked)));
  }
  if (connection_->options().may_name_files && result.resolved_path().starts_with('/')) {
    return NormalizeAssetPath(result.resolved_path());
  }
  if (!SameScheme(result.resolved_path(), identifier)) {
    const bool file = result.resolved_path().starts_with('/');
    return connection_->Misconfigured(
        identifier, Concat("returned the resolved path ", Quoted(result.resolved_path()),
                           ", which is not a path of the same scheme; check --resolver",
                           file ? " and --allow-resolver-files" : "", ", or correct the service"));
  }
  return std::move(*result.mutable_resolved_path());
}

}  // namespace stagedoor
