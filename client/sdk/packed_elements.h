#ifndef STAGEDOOR_CLIENT_SDK_PACKED_ELEMENTS_H_
#define STAGEDOOR_CLIENT_SDK_PACKED_ELEMENTS_H_

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "client/sdk/array.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::sdk {

// The bytes of an element; 0 if that is invalid.
size_t ElementBytes(const v1::PackedValues& packed);

// The elements of an array of a reply, which `owner` keeps in memory. DATA_LOSS unless their
// components are of the type `component` and their bytes are those of `count` Ts.
template <typename T>
absl::StatusOr<Array<T>> PackedElements(const v1::PackedValues& packed, v1::ComponentType component,
                                        std::shared_ptr<const void> owner) {
  const std::string& data = packed.data();
  if (packed.component_type() != component || data.size() % sizeof(T) != 0 ||
      packed.count() != data.size() / sizeof(T)) {
    return DataLossError("the daemon's reply is inconsistent: it has ", data.size(), " bytes for ",
                         packed.count(), " elements");
  }
  const std::span<const T> elements(reinterpret_cast<const T*>(data.data()), packed.count());
  return Array<T>(elements, std::move(owner));
}

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_PACKED_ELEMENTS_H_
