#include "client/sdk/prim.h"

#include <memory>
#include <optional>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"

namespace stagedoor::sdk {
namespace {

// Takes the result for the only prim of a call; its error ends the call.
absl::Status Keep(SkinnedPrim prim, std::optional<SkinnedPrim>* found) {
  absl::Status status = prim.status;
  *found = std::move(prim);
  return status;
}

// The result of the call for a path.
absl::StatusOr<SkinnedPrim> Found(const std::string& path, const absl::Status& status,
                                  std::optional<SkinnedPrim> found) {
  if (!status.ok()) return absl::Status(status);
  if (!found.has_value()) return DataLossError("the daemon's reply has no item for ", path);
  return *std::move(found);
}

}  // namespace

std::string_view Prim::name() const {
  const size_t slash = path_.rfind('/');
  if (path_ == "/" || slash == std::string::npos) return path_;
  return std::string_view(path_).substr(slash + 1);
}

Prim Prim::GetParent() const {
  const size_t slash = path_.rfind('/');
  if (slash == 0 || slash == std::string::npos) return Prim(stage_, "/");
  return Prim(stage_, path_.substr(0, slash));
}

Prim Prim::GetChild(std::string_view name) const {
  return Prim(stage_, Concat(path_ == "/" ? std::string_view() : path_, "/", name));
}

Attribute Prim::GetAttribute(std::string_view name) const {
  return Attribute(stage_, Concat(path_, ".", name));
}

absl::StatusOr<v1::Prim> Prim::Describe(const std::vector<std::string>& fields,
                                        const CallOptions& call) const {
  v1::GetPrimRequest request;
  request.set_path(path_);
  for (const std::string& field : fields) request.mutable_read_mask()->add_paths(field);
  SD_ASSIGN_OR_RETURN(v1::GetPrimResponse reply,
                      stage_.Call(&Client::GetPrim, std::move(request), call));
  return std::move(*reply.mutable_prim());
}

absl::StatusOr<bool> Prim::Exists(const CallOptions& call) const {
  const absl::Status status = Describe({"path"}, call).status();
  if (ErrorReason(status) == "PRIM_NOT_FOUND") return false;
  if (!status.ok()) return absl::Status(status);
  return true;
}

absl::StatusOr<std::string> Prim::GetTypeName(const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const v1::Prim prim, Describe({"type_name"}, call));
  return prim.type_name();
}

absl::StatusOr<std::vector<Prim>> Prim::GetChildren(const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const v1::Prim prim, Describe({"children"}, call));
  std::vector<Prim> children;
  for (const std::string& name : prim.children()) children.push_back(GetChild(name));
  return children;
}

absl::StatusOr<std::vector<Attribute>> Prim::GetAttributes(const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const v1::Prim prim, Describe({"properties"}, call));
  std::vector<Attribute> attributes;
  for (const v1::Property& property : prim.properties()) {
    if (property.kind() != v1::Property::KIND_ATTRIBUTE) continue;
    attributes.push_back(GetAttribute(property.name()));
  }
  return attributes;
}

absl::StatusOr<Matrix4d> Prim::GetTransform(const TimeCode& time, const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const auto table, stage_.GetTransforms({&path_, 1}, time, call));
  return table.Get(0, 0);
}

absl::StatusOr<Range3d> Prim::GetBounds(const TimeCode& time, const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const auto table, stage_.GetBounds({&path_, 1}, time, call));
  return table.Get(0, 0);
}

absl::StatusOr<std::string> Prim::GetBoundMaterial(const std::string& purpose,
                                                   const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const auto found, stage_.GetBoundMaterials({&path_, 1}, {&purpose, 1}, call));
  return found.Get(0);
}

absl::StatusOr<SkinnedPrim> Prim::GetSkinnedPoints(const TimeCode& time,
                                                   const CallOptions& call) const {
  std::optional<SkinnedPrim> found;
  const absl::Status status = stage_.GetSkinnedPoints(
      {&path_, 1}, time, [&](SkinnedPrim prim) { return Keep(std::move(prim), &found); }, {}, call);
  return Found(path_, status, std::move(found));
}

absl::StatusOr<Skinning> Prim::GetSkinning(const Times& times, const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(std::vector<Skinning> found, stage_.GetSkinning({&path_, 1}, times, call));
  if (found.size() != 1) return absl::DataLossError("the daemon's reply lacks the prim");
  if (!found[0].status.ok()) return found[0].status;
  return std::move(found[0]);
}

void Prim::GetSkinnedPointsAsync(const TimeCode& time, StageView::Callback<SkinnedPrim> callback,
                                 const CallOptions& call) const {
  auto found = std::make_shared<std::optional<SkinnedPrim>>();
  stage_.GetSkinnedPointsAsync(
      {&path_, 1}, time, [found](SkinnedPrim prim) { return Keep(std::move(prim), found.get()); },
      [path = path_, found, callback = std::move(callback)](const absl::Status& status) {
        callback(Found(path, status, std::move(*found)));
      },
      {}, call);
}

}  // namespace stagedoor::sdk
