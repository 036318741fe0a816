#ifndef STAGEDOOR_SCENE_FRAME_FRAME_LAYER_SPECS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_LAYER_SPECS_H_

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/layer/compact_layer_builder.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/matrix.h"
#include "scene/values/value.h"

namespace stagedoor {

// A value of an attribute at a time.
struct FlatSample {
  TimeCode time;
  Value value;  // empty if there is none
};

// An attribute to be written. A single sample becomes its default, several become time samples.
struct FlatAttribute {
  // Adds a sample, whose memory is reserved until the layer has it. Errors: those of the context.
  absl::Status Add(RequestContext& context, TimeCode time, Value value);

  Token name;
  Token type_name;
  std::vector<FlatSample> samples;  // none: it is only declared
  std::vector<Path> connections;
  Token interpolation;   // empty if it has none
  int element_size = 0;  // 0 if it has none
  std::vector<std::pair<Token, Value>> metadata;
  bool uniform = false;
  bool custom = false;
  // Whether arrays are new, though something else may keep them for the time being.
  bool computed = false;
  Reservation reserved;  // for samples
};

// A prim to be written.
struct FlatPrim {
  Token type_name;
  std::vector<Token> api_schemas;
  Path reference;      // to a prim of the same layer; empty for none
  Value inactive_ids;  // of a point instancer; may be empty
};

// The type of a prim that is not drawn itself, and does not keep what is below it from being drawn,
// as subsets do: the type of the prim, or Xform.
Token TypeWithoutDrawing(const Prim& prim);

// The API schemas that layers apply to a prim, without those that its type has built in.
std::vector<Token> AuthoredApiSchemas(RequestContext& context, const Prim& prim);

// The prims and properties of a layer that holds a frame, while it is built. Prims have the paths
// that they have on the stage. Not thread-safe; valid as long as the stage.
class FrameLayerSpecs {
 public:
  explicit FrameLayerSpecs(RequestContext& context)
      : context_(context),
        pacer_(context),
        layer_(context, "frame as a layer"),
        reserved_(context) {}

  // The spec at the path of a prim, which is added with its ancestors if it is missing: as prims
  // that draw nothing. The pseudo-root is kRootSpec.
  SpecId Place(const Prim& prim);
  // Makes the spec of a prim what it is on the stage. To be called once for a prim.
  SpecId Define(const Prim& prim, const FlatPrim& flat);
  bool IsDefined(const Prim& prim) const;
  // The closest prim above another one that is defined; invalid if there is none.
  Prim DefinedAbove(const Prim& prim);
  // Whether the layer has a spec at the path of a prim.
  bool IsPlaced(const Prim& prim) const { return placed_.contains(prim); }
  // Adds a class at the root of the layer, for what several prims have in common. `name` must not
  // be that of another prim.
  SpecId AddClass(Token name, Token type_name);

  // Makes a prim that is in the layer an over, so that it is drawn only where an instancer puts it.
  void MakeOver(const Prim& prim);
  // Makes a prim that is in the layer, and has the kind of a model, a model: its ancestors are
  // groups. On the stage, an instance may be above it whose kind is another one.
  void MakeModel(const Prim& prim);
  // Applies a schema to a prim, unless it is applied already.
  void AddApiSchema(SpecId prim, Token schema);
  // A sample without a value is a block.
  void AddAttribute(SpecId prim, FlatAttribute attribute);
  // An attribute with one value.
  void AddValue(SpecId prim, Token name, std::string_view type_name, Value value,
                bool uniform = false);
  // The transform to world space, whatever the transforms of the ancestors are, or with
  // `resets` unset, to the space of the parent. One matrix for each time.
  void AddTransform(SpecId prim, const std::vector<TimeCode>& times, std::vector<Matrix4d> matrices,
                    bool resets);
  void AddRelationship(SpecId prim, Token name, std::vector<Path> targets, bool custom = false);

  // The fields of the layer itself.
  void PutRoot(SpecFields* fields) { layer_.Put(kRootSpec, fields); }

  // Errors: those of the context.
  absl::StatusOr<std::shared_ptr<const Layer>> Build(Layer::Info info) {
    return layer_.Build(std::move(info));
  }
  Reservation TakeReservation() { return layer_.TakeReservation(); }
  size_t bytes() const { return layer_.bytes(); }

 private:
  struct Placed {
    SpecId spec = kNoSpec;
    bool defined = false;
    // Whatever it is on the stage.
    bool is_group = false;
    bool is_over = false;
  };
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash() >> 16; }
  };

  Placed& PlaceBelow(SpecId parent, const Prim& prim);
  void PutPrim(const Placed& placed, const Prim& prim, const FlatPrim& flat);
  void PutFields(SpecId spec, Specifier specifier, Token kind, const FlatPrim& flat);
  void SetField(SpecId spec, Token field, Value value);
  void PutSamples(FlatAttribute& attribute, SpecFields* fields);

  RequestContext& context_;
  Pacer pacer_;
  CompactLayerBuilder layer_;
  std::unordered_map<Prim, Placed, PrimHash> placed_;
  Reservation reserved_;     // for placed_
  std::vector<Prim> chain_;  // scratch
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_LAYER_SPECS_H_
