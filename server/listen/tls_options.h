#ifndef STAGEDOOR_SERVER_LISTEN_TLS_OPTIONS_H_
#define STAGEDOOR_SERVER_LISTEN_TLS_OPTIONS_H_

#include <string>

namespace stagedoor::server {

// How TCP connections are encrypted, and how clients prove who they are in doing so. All files are
// PEM; they are read again when they change.
struct TlsOptions {
  std::string certificate_file;  // of the server, with its chain; empty: TCP is not encrypted
  std::string key_file;          // of that certificate
  std::string client_ca_file;  // certificates that sign those of clients; empty: clients need none
  // Whether connections without a client certificate are refused. Otherwise their clients have to
  // prove in another way who they are, or are anonymous.
  bool require_client_certificate = true;

  bool enabled() const { return !certificate_file.empty(); }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_TLS_OPTIONS_H_
