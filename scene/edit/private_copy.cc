#include "scene/edit/private_copy.h"

#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/layer/heap_bytes.h"
#include "scene/values/array_owner.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/refused_value.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

bool IsInFile(const Value& value) {
  const ArrayBase* const array = value.array();
  return array != nullptr && array->owner() &&
         dynamic_cast<const HeapArrayOwner*>(array->owner().get()) == nullptr;
}

Value CopyArray(const Value& value) {
  switch (value.type()) {
#define X(name, type, text) \
  case ValueType::name:     \
    return Value(Array<type>::Copy(value.Get<Array<type>>()->span()));
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return value;
  }
}

class Copier {
 public:
  Copier(RequestContext& context, const Layer& layer, size_t max_bytes)
      : context_(context), pacer_(context), layer_(layer), max_bytes_(max_bytes) {}

  absl::StatusOr<LayerBuilder> Run() {
    bytes_ = layer_.tree().byte_size();
    SD_RETURN_IF_ERROR(CheckSize());
    LayerBuilder copy(layer_);
    for (SpecId spec = 0; spec < copy.size(); ++spec) {
      SD_RETURN_IF_ERROR(pacer_.Step());
      // A copy, because Set may move the fields.
      const std::vector<LayerBuilder::Field> fields = copy.fields(spec);
      for (const auto& [name, value] : fields) {
        SD_ASSIGN_OR_RETURN(Value own, Own(value));
        copy.Set(spec, name, std::move(own));
      }
    }
    return copy;
  }

 private:
  absl::Status CheckSize() const {
    if (bytes_ <= max_bytes_) return absl::OkStatus();
    return ResourceExhaustedError("the session layer '", layer_.identifier(),
                                  "' is too large to be edited: it has more than ", max_bytes_,
                                  " bytes");
  }

  absl::StatusOr<Value> Own(const Value& value) {
    if (value.is_invalid()) {
      FailIfRefused(context_, value);
      SD_RETURN_IF_ERROR(context_.Check());
      return DataLossError("the session layer '", layer_.identifier(),
                           "' has a value that cannot be decoded: ", value.invalid_reason());
    }
    bytes_ += sizeof(LayerBuilder::Field) + HeapBytes(value);
    SD_RETURN_IF_ERROR(CheckSize());
    if (IsInFile(value)) return CopyArray(value);
    const TimeSamples* const samples = value.samples();
    if (samples == nullptr || samples->InMemory()) return value;
    std::vector<std::pair<double, Value>> copied;
    copied.reserve(samples->size());
    for (size_t i = 0; i < samples->size(); ++i) {
      SD_RETURN_IF_ERROR(pacer_.Step());
      SD_ASSIGN_OR_RETURN(Value own, Own(samples->At(i)));
      copied.emplace_back(samples->times()[i], std::move(own));
    }
    return Value::FromSamples(MakeTimeSamples(std::move(copied)));
  }

  RequestContext& context_;
  Pacer pacer_;
  const Layer& layer_;
  const size_t max_bytes_;
  size_t bytes_ = 0;
};

}  // namespace

size_t WholeBytes(const Layer& layer) {
  size_t bytes = layer.tree().byte_size();
  for (SpecId spec = 0; spec < layer.tree().size(); ++spec) {
    for (const Token field : layer.FieldNames(spec)) {
      bytes += sizeof(LayerBuilder::Field) + HeapBytes(layer.Get(spec, field));
    }
  }
  return bytes;
}

absl::StatusOr<LayerBuilder> MakePrivateCopy(RequestContext& context, const Layer& layer,
                                             size_t max_bytes) {
  return Copier(context, layer, max_bytes).Run();
}

}  // namespace stagedoor
