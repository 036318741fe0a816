#ifndef STAGEDOOR_CLIENT_CC_SECURITY_OPTIONS_H_
#define STAGEDOOR_CLIENT_CC_SECURITY_OPTIONS_H_

#include <string>

namespace stagedoor {

// How a client proves who it is, and finds out whether the daemon is the right one. All files but
// the token's are PEM and read when the client connects.
struct SecurityOptions {
  bool tls = false;              // encrypt the connection; also set by each of the next three
  std::string ca_file;           // certificates to trust; empty: those of the system
  std::string certificate_file;  // of the client, with its chain, for mutual TLS
  std::string key_file;          // of that certificate
  std::string server_name;       // in the daemon's certificate; empty: the host of the address
  // A file with a bearer token, read again when it changes. Sent only over TLS, or to this machine.
  std::string token_file;

  bool uses_tls() const { return tls || !ca_file.empty() || !certificate_file.empty(); }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_SECURITY_OPTIONS_H_
