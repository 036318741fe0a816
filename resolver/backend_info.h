#ifndef STAGEDOOR_RESOLVER_BACKEND_INFO_H_
#define STAGEDOOR_RESOLVER_BACKEND_INFO_H_

#include <string>
#include <vector>

namespace stagedoor {

// Describes a backend to clients.
struct BackendInfo {
  std::string name;                  // "file"
  std::vector<std::string> schemes;  // of URIs, in lower case; empty for paths without a scheme
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_BACKEND_INFO_H_
