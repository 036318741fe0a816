#ifndef STAGEDOOR_SERVER_ACCESS_IDENTITY_H_
#define STAGEDOOR_SERVER_ACCESS_IDENTITY_H_

#include <string>
#include <vector>

namespace stagedoor::server {

// The identity of a caller, as far as it was proved.
struct Identity {
  enum class Method {
    kAnonymous,    // nothing was proved
    kLocal,        // a process on this machine, where nothing else is configured
    kPeer,         // the user of a process at the other end of a Unix socket
    kCertificate,  // the name in a client certificate
    kToken,        // the subject of a bearer token
  };

  Method method = Method::kAnonymous;
  // "anonymous", "local", "uid:1000", "certificate:node7.farm.studio.com", "user:alice". Unique, so
  // leases, sessions and quotas belong to the name.
  std::string name = "anonymous";
  // Further names by which roles may select it: "group:fx", "gid:100", the other names of a
  // certificate.
  std::vector<std::string> aliases;

  friend bool operator==(const Identity&, const Identity&) = default;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_IDENTITY_H_
