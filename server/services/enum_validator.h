#ifndef STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_
#define STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor::server {

// Checks the enums of messages of one type, including those in nested messages. Immutable and
// thread-safe. Keeps pointers to descriptors, which live as long as the process.
class EnumValidator {
 public:
  explicit EnumValidator(const google::protobuf::Descriptor& type);

  // INVALID_ARGUMENT (INVALID_FIELD) for the first enum of `message` with a number that the API
  // does not define, or with UNSPECIFIED in a repeated field. `prefix` is prepended to field names.
  absl::Status Check(const google::protobuf::Message& message,
                     const std::string& prefix = "") const;

 private:
  // The fields to check in messages of one type. Types may contain themselves.
  struct Node;
  struct Within {
    const google::protobuf::FieldDescriptor* field;
    const Node* node;
  };
  struct Node {
    std::vector<const google::protobuf::FieldDescriptor*> enums;
    std::vector<Within> messages;  // without those in which there are no enums
    bool has_enums = false;        // also in nested messages
  };

  Node* NodeOf(const google::protobuf::Descriptor& type);
  void RemoveNodesWithoutEnums();
  static absl::Status CheckNode(const Node& node, const google::protobuf::Message& message,
                                const std::string& prefix);

  std::unordered_map<const google::protobuf::Descriptor*, std::unique_ptr<Node>> nodes_;
  const Node* const root_;
};

// Checks all enums of a request. Runs before the handler, so that no handler mistakes an unknown
// number for the default. Costs next to nothing if the messages that contain enums are not set.
template <typename Request>
absl::Status ValidateEnums(const Request& request) {
  static const EnumValidator kFields(*Request::descriptor());
  return kFields.Check(request);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_
