#ifndef STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_
#define STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor {

// Where messages of one type have enums, in themselves or in messages within them. Immutable;
// descriptors live as long as the process.
class EnumValidator {
 public:
  explicit EnumValidator(const google::protobuf::Descriptor& type);

  // INVALID_ARGUMENT (INVALID_FIELD) for the first enum of `message` whose number the API does not
  // know; in a list UNSPECIFIED counts as unknown too. `prefix` comes before the names of fields.
  absl::Status Check(const google::protobuf::Message& message,
                     const std::string& prefix = "") const;

 private:
  struct Within;
  std::vector<const google::protobuf::FieldDescriptor*> enums_;
  std::vector<Within> messages_;
};

// A message field and the enums in it.
struct EnumValidator::Within {
  const google::protobuf::FieldDescriptor* field;
  EnumValidator enums;
};

// Checks all enums of a request before its handler sees it, so that no handler takes an unknown one
// for its default. Costs next to nothing where the enums' messages are not set.
template <typename Request>
absl::Status ValidateEnums(const Request& request) {
  static const EnumValidator kFields(*Request::descriptor());
  return kFields.Check(request);
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_SERVICES_ENUM_VALIDATOR_H_
