#ifndef STAGEDOOR_SCENE_EDIT_EDITED_STAGE_H_
#define STAGEDOOR_SCENE_EDIT_EDITED_STAGE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/edit/edit_target.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"
#include "scene/schema/prim_definition.h"
#include "scene/stage/stage.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// A prim of a stage that is being edited.
struct EditedPrim {
  Prim composed;  // invalid for a prim that only the edits since have
  const PrimDefinition* definition = nullptr;
  Specifier specifier = Specifier::kOver;
  Token type_name;
  bool defined = false;   // and its ancestors too, as UsdPrim::IsDefined
  bool abstract = false;  // or an ancestor, as UsdPrim::IsAbstract
};

// A property of such a prim, with what a new spec of it has. `type_name` is that of an attribute.
// Relationships are uniform in OpenUSD.
struct EditedProperty {
  bool is_attribute = true;
  Token type_name;
  Variability variability = Variability::kVarying;
  bool custom = false;
  bool exists = true;  // or is to be created
};

// The session layer of a stage while edits of it are applied, and the stage as it is after them:
// what an edit may do depends on the composed stage. The functions of value_edits.h, field_edits.h
// and prim_edits.h edit it. OpenUSD composes a stage again after each edit. Here that is put off
// until an edit depends on it: prims and properties are sought on the stage as it was composed last
// and in the layer as it is now.
//
// Paths that are created, and the layer, belong to the owner of the current RequestScope. Not
// thread-safe.
class EditedStage {
 public:
  // Composes the stage with this session layer.
  using Compose =
      std::function<absl::StatusOr<std::shared_ptr<const Stage>>(std::shared_ptr<const Layer>)>;

  // The longest path of a spec. Text nests up to two levels for each element, and the reader allows
  // 256 of them.
  static constexpr size_t kMaxDepth = 120;

  // `layer` is a copy of the session layer of `stage` to edit; empty if it has none. `info` becomes
  // that of the edited layer. `context` outlives the object.
  EditedStage(RequestContext& context, LayerBuilder layer, Layer::Info info,
              std::shared_ptr<const Stage> stage, Compose compose);

  RequestContext& context() const { return context_; }
  const EditTarget& target() const { return target_; }
  void set_target(const EditTarget& target) { target_ = target; }
  LayerBuilder& layer() { return layer_; }
  // Null if the stage has no schemas.
  const SchemaRegistry* schemas() const { return stage_->environment().schemas; }

  // From the time of the session layer to that of the stage.
  LayerOffset TimeOffset() const;

  // The prim at a path. Errors: kInvalidPath unless it is an absolute prim path or "/" without
  // variants; kPrimNotFound; kWrongKind if it is, or would be, below an instance; those of Compose.
  absl::StatusOr<EditedPrim> FindPrim(Path path);
  // As FindPrim, but nothing if the prim does not exist.
  absl::StatusOr<std::optional<EditedPrim>> FindPrimIfAny(Path path);
  // The property at a path; nothing if its prim does not have it. Errors: kInvalidPath unless it is
  // the path of a property of a prim; those of FindPrim.
  absl::StatusOr<std::optional<EditedProperty>> FindProperty(Path path);

  // kInvalidPath unless it is the absolute path of a property of a prim, without variants.
  absl::Status CheckPropertyPath(Path path) const;
  // kInvalidPath unless it is an absolute prim path or "/" without variants, outside of prototypes
  // and of at most kMaxDepth elements, or if its spec is in a variant set that does not exist and
  // cannot be created.
  absl::Status CheckPrimPath(Path path) const;

  // The spec of an object of the stage in the layer, at the edit target; kNoSpec if there is none.
  SpecId FindSpec(Path path) const;
  // Finds or adds the spec of a prim. Prims that are added are overs, and added variant sets are
  // entered into variantSetNames. The path must be one that FindPrim accepts.
  SpecId EnsurePrimSpec(Path path);
  // Finds or adds the spec of a property. kWrongKind if the layer has one of the other kind.
  absl::StatusOr<SpecId> EnsurePropertySpec(Path path, const EditedProperty& property);

  // The time samples of an attribute spec, by time in the layer, to be changed.
  std::map<double, Value>& Samples(SpecId attribute);

  // To be called after a change that adds a prim or property, but does not affect prims that do not
  // refer to it.
  void Added() { added_ = true; }
  // To be called after any other change on which composition depends.
  void Recomposes() { changed_ = true; }

  // An estimate of the memory that the edits have added to the layer in bytes, to be charged and
  // limited by the caller.
  size_t added_bytes() const;
  void CountValue(const Value& value);

  // The layer as it is now.
  std::shared_ptr<const Layer> BuildLayer();

 private:
  // kWrongKind if the nearest composed prim at or above the path is an instance or below one.
  absl::Status CheckOutsideOfInstances(Path path) const;
  absl::Status CheckVariantSets(Path path) const;
  // The nearest composed prim at or above the path.
  Prim NearestComposed(Path path) const;
  // Whether the nearest composed prim at or above the path, or one above it, has arcs, or some that
  // fail. Otherwise what edits have added to it is in the layer at the same path.
  bool IsComposedOfMore(Path path) const;
  absl::Status ComposeAgain();
  std::optional<EditedPrim> Look(Path path) const;
  EditedPrim Describe(const Prim& prim) const;
  std::optional<EditedProperty> LookForProperty(const EditedPrim& prim, Path path) const;
  SpecId AddVariant(SpecId parent, Path selection);

  RequestContext& context_;
  LayerBuilder layer_;
  const Layer::Info info_;
  std::shared_ptr<const Stage> stage_;
  const Compose compose_;
  const size_t first_size_;
  EditTarget target_;
  bool added_ = false;
  bool changed_ = false;
  size_t value_bytes_ = 0;
  // The samples of the attributes for which they were edited. The fields `timeSamples` are made
  // from them at last, because adding a sample to a field takes time proportional to their number.
  std::unordered_map<SpecId, std::map<double, Value>> samples_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_EDITED_STAGE_H_
