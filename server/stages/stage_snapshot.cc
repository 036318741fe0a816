#include "server/stages/stage_snapshot.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/error_info.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

bool IsMissingAsset(const CompositionError& error) {
  return error.type == CompositionErrorType::kInvalidAssetPath ||
         error.type == CompositionErrorType::kInvalidSublayerPath;
}

}  // namespace

StageSnapshot::StageSnapshot(uint64_t number, std::string fingerprint,
                             std::shared_ptr<const Stage> stage, size_t key_bytes,
                             std::shared_ptr<const Layer> session_layer)
    : number_(number),
      fingerprint_(std::move(fingerprint)),
      stage_(std::move(stage)),
      session_layer_(std::move(session_layer)),
      memory_(stage_->memory().pool()) {
  memory_.Add(sizeof(*this) + key_bytes);
}

bool StageSnapshot::has_missing_assets() const {
  std::call_once(errors_seen_, [this] {
    stage_->VisitErrors([this](const CompositionError& error) {
      has_missing_assets_ = IsMissingAsset(error);
      return !has_missing_assets_;
    });
  });
  return has_missing_assets_;
}

absl::StatusOr<AttributeQueryTable::Pointer> StageSnapshot::Compile(RequestContext& context,
                                                                    std::string_view path) const {
  SD_ASSIGN_OR_RETURN(const Attribute attribute, LookUpAttribute(*stage_, path));
  AttributeQuery query(context, attribute);
  // Keep nothing from an aborted request: it may lack clips that another request can load.
  SD_RETURN_IF_ERROR(context.Check());
  return stage_->queries().Add(path, std::move(query));
}

absl::StatusOr<AttributeQueryTable::Pointer> StageSnapshot::FindAttribute(
    RequestContext& context, std::string_view path) const {
  using Reader = AttributeQueryTable::Reader;
  if (auto found = Reader(stage_->queries()).Find(path, Reader::Hash(path))) return found;
  return Compile(context, path);
}

absl::Status StageSnapshot::FindAttributes(RequestContext& context,
                                           const std::vector<std::string_view>& paths,
                                           const Take& take) const {
  constexpr size_t kAhead = 8;  // far enough for the prefetch to complete
  const AttributeQueryTable::Reader reader(stage_->queries());
  std::vector<size_t> hashes(paths.size());
  for (size_t i = 0; i < paths.size() + kAhead; ++i) {
    if (i < paths.size()) {
      hashes[i] = reader.Hash(paths[i]);
      reader.Prefetch(hashes[i]);
    }
    if (i < kAhead) continue;
    const size_t at = i - kAhead;
    absl::StatusOr<AttributeQueryTable::Pointer> found = reader.Find(paths[at], hashes[at]);
    if (*found == nullptr) found = Compile(context, paths[at]);
    SD_RETURN_IF_ERROR(take(at, std::move(found)));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server
