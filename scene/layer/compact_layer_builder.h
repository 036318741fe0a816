#ifndef STAGEDOOR_SCENE_LAYER_COMPACT_LAYER_BUILDER_H_
#define STAGEDOOR_SCENE_LAYER_COMPACT_LAYER_BUILDER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/layer/compact_field_store.h"
#include "scene/layer/layer.h"
#include "scene/layer/spec_tree.h"

namespace stagedoor {

// The fields of one spec, to be handed to a CompactLayerBuilder. A spec has few, so they are
// searched linearly.
class SpecFields {
 public:
  // Replaces the field; an empty value sets nothing.
  void Set(Token field, Value value);
  // Null if there is no such field.
  const Value* Get(Token field) const;
  void Clear() { fields_.clear(); }

 private:
  friend class CompactLayerBuilder;
  CompactFieldStoreBuilder::FieldList fields_;
};

// Builds a layer of any size from specs that are added once, parents first, and reserves its memory
// in a request as it grows. Unlike LayerBuilder, it neither copies a layer nor finds specs by name.
// Not thread-safe. Borrows the context.
//
// Once memory is refused, the request is over, which callers check now and then.
class CompactLayerBuilder {
 public:
  // `what` is what the memory is for, as in "flattened stage".
  CompactLayerBuilder(RequestContext& context, std::string what);

  void Reserve(size_t specs) { tree_.Reserve(specs); }
  // Adds a spec below `parent` and returns its provisional id. kRootSpec is the pseudo-root. Names
  // must be unique among the children of a kind.
  SpecId Add(SpecId parent, SpecType type, Token name) { return tree_.Add(parent, type, name); }
  // Replaces the fields of a spec. Values are moved from; `fields` is empty afterwards.
  void Put(SpecId spec, SpecFields* fields);
  // Copies the fields of a spec; none if it has none.
  void Get(SpecId spec, SpecFields* fields) const { store_.Get(spec, &fields->fields_); }
  // Counts memory that Put does not see.
  void Count(size_t bytes);
  // Counts a value of time samples, whose memory Put does not count.
  void CountSample(const Value& value) { Count(sizeof(double) + sizeof(Value) + OwnBytes(value)); }

  // The memory of the layer so far, without arrays that it shares with other layers.
  size_t bytes() const { return bytes_; }

  // Builds the layer; the builder must not be used afterwards, except for its reservation. Errors:
  // those of the context.
  absl::StatusOr<std::shared_ptr<const Layer>> Build(Layer::Info info);
  // The reservation for the layer, which is released with the builder otherwise.
  Reservation TakeReservation() { return std::move(reserved_); }

 private:
  static size_t OwnBytes(const Value& value);

  RequestContext& context_;
  const std::string what_;
  size_t bytes_ = 0;
  Reservation reserved_;
  SpecTreeBuilder tree_;
  CompactFieldStoreBuilder store_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_COMPACT_LAYER_BUILDER_H_
