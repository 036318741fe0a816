#include "scene/layer/compact_layer_builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "scene/layer/heap_bytes.h"

namespace stagedoor {

void SpecFields::Set(Token field, Value value) {
  if (value.empty()) return;
  const auto it = std::find_if(fields_.begin(), fields_.end(),
                               [&](const auto& known) { return known.first == field; });
  if (it != fields_.end()) {
    it->second = std::move(value);
  } else {
    fields_.emplace_back(field, std::move(value));
  }
}

const Value* SpecFields::Get(Token field) const {
  const auto it = std::find_if(fields_.begin(), fields_.end(),
                               [&](const auto& known) { return known.first == field; });
  return it == fields_.end() ? nullptr : &it->second;
}

CompactLayerBuilder::CompactLayerBuilder(RequestContext& context, std::string what)
    : context_(context), what_(std::move(what)), reserved_(context) {}

// The memory that a value adds to the layer, besides its own 32 bytes.
size_t CompactLayerBuilder::OwnBytes(const Value& value) {
  return value.samples() != nullptr ? 0 : OwnHeapBytes(value);
}

void CompactLayerBuilder::Put(SpecId spec, SpecFields* fields) {
  // The memory of a spec in the tree and the store, including their builders.
  constexpr size_t kSpecBytes = 160;
  size_t bytes = kSpecBytes;
  for (const auto& [field, value] : fields->fields_) bytes += sizeof(Value) + OwnBytes(value);
  Count(bytes);
  store_.Put(spec, &fields->fields_);
  fields->Clear();
}

// Reserves memory in large steps, to keep the overhead low.
void CompactLayerBuilder::Count(size_t bytes) {
  constexpr size_t kStep = size_t{1} << 20;
  bytes_ += bytes;
  if (bytes_ <= reserved_.bytes()) return;
  const size_t more = std::max(bytes_ - reserved_.bytes(), kStep);
  reserved_.Grow(more, what_).IgnoreError();  // which ends the request
}

absl::StatusOr<std::shared_ptr<const Layer>> CompactLayerBuilder::Build(Layer::Info info) {
  SD_RETURN_IF_ERROR(context_.Check());
  std::vector<SpecId> final_ids;
  SpecTree tree = std::move(tree_).Build(&final_ids);
  return std::make_shared<const Layer>(std::move(info), std::move(tree),
                                       std::move(store_).Build(final_ids));
}

}  // namespace stagedoor
