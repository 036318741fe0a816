#ifndef STAGEDOOR_CLIENT_CC_ARRAY_SEARCH_H_
#define STAGEDOOR_CLIENT_CC_ARRAY_SEARCH_H_

#include <google/protobuf/message.h>

#include <functional>
#include <unordered_map>
#include <vector>

#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// Finds the arrays of messages of any type: their PackedValues, at any depth. Parts of messages in
// which there can be none are not looked at. Not thread-safe.
class ArraySearch {
 public:
  using Found = std::function<void(v1::PackedValues*)>;

  // Calls `found` for each array, in the order of the fields. Recurses as deep as the message.
  void ForEach(google::protobuf::Message* message, const Found& found);

 private:
  using Descriptor = google::protobuf::Descriptor;
  using FieldDescriptor = google::protobuf::FieldDescriptor;

  // The fields of a type that can contain PackedValues, at any depth.
  const std::vector<const FieldDescriptor*>& FieldsToSearch(const Descriptor* type);

  std::unordered_map<const Descriptor*, std::vector<const FieldDescriptor*>> fields_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ARRAY_SEARCH_H_
