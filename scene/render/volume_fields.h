#ifndef STAGEDOOR_SCENE_RENDER_VOLUME_FIELDS_H_
#define STAGEDOOR_SCENE_RENDER_VOLUME_FIELDS_H_

#include <array>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/geom/source_sink.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/asset_path.h"

namespace stagedoor {

// The fields of volumes, and where their data is. Correspond to OpenUSD's UsdVolVolume and
// UsdVolFieldAsset.

struct VolumeField {
  Token name;  // that of the relationship: "density" of "field:density"
  Path path;   // of the prim that describes the field; it need not exist
};

// The fields of a Volume prim, sorted by name. A relationship whose forwarded targets are other
// than one prim names no field. A target that a reference does not reach is left out; OpenUSD
// leaves out the relationship. Incomplete once the request is over. Corresponds to
// UsdVolVolume::GetFieldPaths.
std::vector<VolumeField> VolumeFieldsOf(RequestContext& context, const Prim& volume);

// A field at one time. What has no value is empty.
struct VolumeFieldSample {
  AssetPath file;                // filePath
  Token name;                    // fieldName: of the field in the file
  std::optional<int32_t> index;  // fieldIndex: of several fields with this name
  Token data_type;               // fieldDataType, such as "float"
  Token vector_data_role_hint;
  Token field_class;    // of an OpenVDBAsset
  Token field_purpose;  // of a Field3DAsset
};

// The attributes of the prim of a field, whose value sources are determined once. Immutable and
// thread-safe; valid as long as the stage snapshot.
class VolumeFieldQuery {
 public:
  VolumeFieldQuery(RequestContext& context, const Prim& field);

  VolumeFieldSample At(RequestContext& context, TimeCode time) const;
  // Whether the samples at all numeric times are the same.
  bool is_steady() const;
  // Adds the sources of the attributes.
  absl::Status AddSources(RequestContext& context, SourceSink* sink) const;

 private:
  std::array<const AttributeQuery*, 7> All() const {
    return {&file_,        &name_,         &index_, &data_type_, &vector_data_role_hint_,
            &field_class_, &field_purpose_};
  }

  AttributeQuery file_, name_, index_, data_type_, vector_data_role_hint_, field_class_,
      field_purpose_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_RENDER_VOLUME_FIELDS_H_
