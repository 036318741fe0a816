#include "server/converters/prim_mask.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/closest_match.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

constexpr int kMaxPaths = 100;
constexpr size_t kMaxPathBytes = 100;  // more than the longest valid path has

constexpr uint32_t kProperties = FieldSet({v1::Prim::kPropertiesFieldNumber});

// A path of read masks, and what it selects.
struct MaskPath {
  std::string path;
  PrimMask mask;
};

// The table of all paths, from the descriptors, so that every field of a prim has its path.
std::vector<MaskPath> MakeTable() {
  std::vector<MaskPath> table;
  PrimMask all;
  const google::protobuf::Descriptor& prim = *v1::Prim::descriptor();
  for (int i = 0; i < prim.field_count(); ++i) {
    const int number = prim.field(i)->number();
    if (number == v1::Prim::kErrorFieldNumber) continue;
    table.push_back({std::string(prim.field(i)->name()), {FieldSet({number}), 0}});
    all.prim |= FieldSet({number});
  }
  const google::protobuf::Descriptor& property = *v1::Property::descriptor();
  for (int i = 0; i < property.field_count(); ++i) {
    uint32_t fields = FieldSet({property.field(i)->number()});
    if ((fields & kPropertyValues) != 0) fields = kPropertyValues;
    table.push_back({Concat("properties.", property.field(i)->name()), {kProperties, fields}});
    all.property |= fields;
  }
  table.push_back({"properties.*", {kProperties, all.property}});
  table.push_back({"*", all});
  return table;
}

const std::vector<MaskPath>& Table() {
  static const std::vector<MaskPath> kTable = MakeTable();
  return kTable;
}

absl::Status UnknownPath(std::string_view path) {
  std::string why = Concat("unknown path ", Quoted(path.substr(0, kMaxPathBytes)));
  std::vector<std::string> known = PrimMaskPaths();
  known.pop_back();  // "*", which resembles any single character
  if (const std::string closest = ClosestMatch(path, known); !closest.empty()) {
    why += Concat("; did you mean ", Quoted(closest), "?");
  }
  return InvalidFieldError("read_mask", path.substr(0, kMaxPathBytes), why);
}

}  // namespace

bool PrimMask::NeedsTimes() const {
  return HasAnyOfProperty(kPropertyValues | FieldSet({v1::Property::kStacksFieldNumber}));
}

std::vector<std::string> PrimMaskPaths() {
  std::vector<std::string> paths;
  for (const MaskPath& row : Table()) paths.push_back(row.path);
  return paths;
}

absl::StatusOr<PrimMask> ParsePrimMask(const google::protobuf::FieldMask& read_mask,
                                       PrimMask otherwise) {
  if (read_mask.paths().empty()) return otherwise;
  if (read_mask.paths_size() > kMaxPaths) {
    return WithReason(ResourceExhaustedError("read_mask has ", read_mask.paths_size(),
                                             " paths; the limit is ", kMaxPaths),
                      v1::ERROR_REASON_REQUEST_TOO_LARGE);
  }
  const std::vector<MaskPath>& table = Table();
  PrimMask mask;
  for (const std::string& path : read_mask.paths()) {
    const auto row = std::find_if(table.begin(), table.end(),
                                  [&](const MaskPath& known) { return known.path == path; });
    if (row == table.end()) return UnknownPath(path);
    mask.prim |= row->mask.prim;
    mask.property |= row->mask.property;
  }
  return mask;
}

}  // namespace stagedoor::server
