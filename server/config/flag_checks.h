#ifndef STAGEDOOR_SERVER_CONFIG_FLAG_CHECKS_H_
#define STAGEDOOR_SERVER_CONFIG_FLAG_CHECKS_H_

#include <string>

#include "absl/status/status.h"

namespace stagedoor::server {

// Checks of the values of flags. The message of an error says what is expected: "an existing
// directory".

absl::Status CheckAddress(const std::string& value);
absl::Status CheckTcpAddress(const std::string& value);
// The path of a Unix socket that other processes can use as it is.
absl::Status CheckSocketPath(const std::string& value);
absl::Status CheckDirectory(const std::string& value);
// A search path that does not exist yet may be created later.
absl::Status CheckNoFile(const std::string& value);
absl::Status CheckThere(const std::string& value);
// A directory that exists, or can be created in one that exists.
absl::Status CheckNewDirectory(const std::string& value);
absl::Status CheckUrlPrefix(const std::string& value);
absl::Status CheckRedisUrl(const std::string& value);
absl::Status CheckWord(const std::string& value);
absl::Status CheckResolver(const std::string& value);
absl::Status CheckPathMap(const std::string& value);
absl::Status CheckLogin(const std::string& value);
absl::Status CheckEndpoint(const std::string& value);
absl::Status CheckProxy(const std::string& value);
absl::Status CheckNetwork(const std::string& value);
// A file that can be created: its directory exists, and the path is not itself a directory.
absl::Status CheckNewFile(const std::string& value);
absl::Status CheckLogLevel(const std::string& value);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_FLAG_CHECKS_H_
