#ifndef STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_
#define STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_

#include <google/protobuf/message.h>

#include <string>
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
  struct Within;
  std::vector<const google::protobuf::FieldDescriptor*> enums_;
  std::vector<Within> messages_;
};

// A message field that contains enums.
struct EnumValidator::Within {
  const google::protobuf::FieldDescriptor* field;
  EnumValidator enums;
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
