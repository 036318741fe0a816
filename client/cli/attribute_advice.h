#ifndef STAGEDOOR_CLIENT_CLI_ATTRIBUTE_ADVICE_H_
#define STAGEDOOR_CLIENT_CLI_ATTRIBUTE_ADVICE_H_

#include <string>

#include "absl/status/status.h"
#include "client/cc/client.h"

namespace stagedoor {

// `status` of a command that needs the path of an attribute, with advice if the path is the reason:
// the attributes of a prim that was named instead, or the attribute that is probably meant. If no
// prim is there, the error says that. Asks the daemon for the prim; without an answer, `status`.
absl::Status WithAttributeAdvice(Client& client, const v1::StageRef& stage, const std::string& path,
                                 absl::Status status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_ATTRIBUTE_ADVICE_H_
