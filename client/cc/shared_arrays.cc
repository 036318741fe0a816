#include "client/cc/shared_arrays.h"

#include <utility>

namespace stagedoor {

SharedArrays::SharedArrays(std::vector<Array> arrays, Release release)
    : arrays_(std::move(arrays)), release_(std::move(release)) {}

SharedArrays::~SharedArrays() {
  std::vector<v1::SharedSegment> places;
  places.reserve(arrays_.size());
  for (const Array& array : arrays_) places.push_back(array.place);
  release_(places);
}

void SharedArrays::CopyInto(v1::BatchGetValuesResponse* reply) const {
  auto next = arrays_.begin();
  for (v1::ValueColumn& column : *reply->mutable_columns()) {
    for (v1::Value& value : *column.mutable_values()) {
      if (!value.has_array_value() || !value.array_value().has_segment()) continue;
      value.mutable_array_value()->mutable_data()->assign(next->bytes);  // set_data copies twice
      ++next;
    }
  }
}

}  // namespace stagedoor
