#include "client/cc/array_assembler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/packed_numbers.h"

namespace stagedoor {
namespace {

constexpr size_t kTooMany = std::numeric_limits<size_t>::max();
// How much more than the bytes that have arrived is allocated at most.
constexpr size_t kGrowth = 4;

size_t Product(size_t a, size_t b) { return a != 0 && b > kTooMany / a ? kTooMany : a * b; }

absl::Status Inconsistent(std::string_view what) {
  return DataLossError("the daemon's reply is inconsistent: ", what);
}

}  // namespace

size_t ExpectedBytes(const v1::PackedValues& packed) {
  const size_t components = Product(packed.rows(), packed.columns());
  if (components == 0 || components > 16) return kTooMany;
  // A type of a later version is taken to be as large as any.
  const size_t bytes = ComponentBytes(packed.component_type()).value_or(8);
  return Product(packed.count(), components * bytes);
}

absl::Status ArrayAssembler::Begin(google::protobuf::Message* message, uint32_t count) {
  arrays_.clear();
  at_ = 0;
  bytes_.clear();
  search_.ForEach(message, [this](v1::PackedValues* packed) {
    if (packed->has_streamed()) arrays_.push_back(packed);
  });
  std::sort(arrays_.begin(), arrays_.end(),
            [](const auto* a, const auto* b) { return a->streamed().id() < b->streamed().id(); });
  absl::Status status = CheckReferences(count);
  if (!status.ok()) arrays_.clear();
  next_id_ += count;
  return status;
}

absl::Status ArrayAssembler::CheckReferences(uint32_t count) const {
  if (arrays_.size() != count)
    return Inconsistent("it does not refer to as many arrays as it says");
  size_t total = 0;
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const v1::StreamedArray& array = arrays_[i]->streamed();
    if (array.id() != next_id_ + i)
      return Inconsistent("the IDs of its arrays are not consecutive");
    if (array.total_bytes() == 0 || array.total_bytes() != ExpectedBytes(*arrays_[i])) {
      return Inconsistent("the size of an array does not match its shape");
    }
    if (array.total_bytes() > max_bytes_ - total) {
      return ResourceExhaustedError("the arrays of a reply exceed the limit of ", max_bytes_,
                                    " bytes; request fewer, or raise max_assembled_bytes");
    }
    total += array.total_bytes();
  }
  return absl::OkStatus();
}

absl::Status ArrayAssembler::Add(google::protobuf::RepeatedPtrField<v1::ArrayChunk>* chunks) {
  for (v1::ArrayChunk& chunk : *chunks) SD_RETURN_IF_ERROR(AddChunk(&chunk));
  return absl::OkStatus();
}

absl::Status ArrayAssembler::AddChunk(v1::ArrayChunk* chunk) {
  if (done()) return Inconsistent("a chunk belongs to no array");
  v1::PackedValues* array = arrays_[at_];
  const size_t total = array->streamed().total_bytes();
  const size_t size = chunk->data().size();
  if (chunk->array_id() != array->streamed().id() || chunk->offset() != bytes_.size() ||
      size == 0 || size > total - bytes_.size()) {
    return Inconsistent("a chunk is not the next of its array");
  }
  if (bytes_.empty()) {
    bytes_.swap(*chunk->mutable_data());
  } else {
    const size_t needed = bytes_.size() + size;
    if (needed > bytes_.capacity()) bytes_.reserve(std::min(total, Product(needed, kGrowth)));
    bytes_.append(chunk->data());
  }
  if (bytes_.size() < total) return absl::OkStatus();
  *array->mutable_data() = std::exchange(bytes_, std::string());
  ++at_;
  return absl::OkStatus();
}

}  // namespace stagedoor
