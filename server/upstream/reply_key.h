#ifndef STAGEDOOR_SERVER_UPSTREAM_REPLY_KEY_H_
#define STAGEDOOR_SERVER_UPSTREAM_REPLY_KEY_H_

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {

// The arguments that the reply to a query is a function of, besides the version of the daemon and
// value clips.
struct ReplySource {
  std::string_view method;    // its path
  std::string_view snapshot;  // the fingerprint
  // The interpolation that the stage was opened with, which is not part of the fingerprint.
  int interpolation = 0;
};

// The bytes of a request without how it names its stage: `stage`, which is a part of it, is
// cleared. Equal for requests that are equal otherwise.
std::string BytesWithoutStage(const google::protobuf::Message& request, v1::StageRef* stage);

// The key of the reply to a request of these bytes, 32 bytes: equal for requests whose replies are
// equal.
std::string ReplyKey(const ReplySource& source, std::string_view request);

// Names requests that differ only in the time, the snapshot and what the client has, so that many
// arrays of their replies are the same, and the stage of which they are about.
std::string ReplyKind(std::string_view method, std::string_view stage,
                      const google::protobuf::Message& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_REPLY_KEY_H_
