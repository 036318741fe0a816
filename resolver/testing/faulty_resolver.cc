#include "resolver/testing/faulty_resolver.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

class FaultyAsset final : public Asset {
 public:
  FaultyAsset(std::shared_ptr<const Asset> asset, std::shared_ptr<Faults> faults)
      : asset_(std::move(asset)), faults_(std::move(faults)) {}

  const std::string& name() const override { return asset_->name(); }
  const AssetVersion& version() const override { return asset_->version(); }
  uint64_t size() const override { return asset_->size(); }

  absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                              std::span<std::byte> out) const override {
    ++faults_->reads;
    if (const int64_t delay = faults_->read_delay_us; delay > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(delay));
    }
    SD_RETURN_IF_ERROR(context.Check());
    SD_RETURN_IF_ERROR(Check());
    if (faults_->good_reads-- <= 0) return UnavailableError(Quoted(name()), ": injected");
    return asset_->Read(context, offset, out.first(std::min(out.size(), +faults_->longest_read)));
  }

  std::optional<PinnedBytes> GetBuffer() const override {
    return faults_->hide_buffer ? std::nullopt : asset_->GetBuffer();
  }

  absl::Status Check() const override {
    if (faults_->damaged) return DataLossError(Quoted(name()), ": injected");
    return asset_->Check();
  }

 private:
  const std::shared_ptr<const Asset> asset_;
  const std::shared_ptr<Faults> faults_;
};

}  // namespace

std::shared_ptr<const Asset> MakeFaultyAsset(std::shared_ptr<const Asset> asset,
                                             std::shared_ptr<Faults> faults) {
  return std::make_shared<FaultyAsset>(std::move(asset), std::move(faults));
}

std::string FaultyResolver::CreateIdentifier(RequestContext& context,
                                             const ResolverContext& resolver_context,
                                             std::string_view asset_path,
                                             std::string_view anchor) const {
  return base_->CreateIdentifier(context, resolver_context, asset_path, anchor);
}

absl::StatusOr<std::string> FaultyResolver::Resolve(RequestContext& context,
                                                    const ResolverContext& resolver_context,
                                                    std::string_view identifier) const {
  return base_->Resolve(context, resolver_context, identifier);
}

absl::StatusOr<std::shared_ptr<const Asset>> FaultyResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  ++faults_->opens;
  if (faults_->good_opens-- <= 0) return UnavailableError(Quoted(resolved_path), ": injected");
  SD_ASSIGN_OR_RETURN(auto asset, base_->OpenAsset(context, resolver_context, resolved_path));
  return MakeFaultyAsset(std::move(asset), faults_);
}

absl::StatusOr<AssetVersion> FaultyResolver::GetVersion(RequestContext& context,
                                                        const ResolverContext& resolver_context,
                                                        std::string_view resolved_path) const {
  return base_->GetVersion(context, resolver_context, resolved_path);
}

std::vector<absl::StatusOr<AssetVersion>> FaultyResolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  ++faults_->version_calls;
  faults_->versions += static_cast<int64_t>(resolved_paths.size());
  if (faults_->versions_unavailable) {
    return {resolved_paths.size(), UnavailableError("injected")};
  }
  return base_->GetVersions(context, resolver_context, resolved_paths);
}

}  // namespace stagedoor
