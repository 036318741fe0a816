#ifndef STAGEDOOR_SERVER_HANDSHAKE_FAILURES_H_
#define STAGEDOOR_SERVER_HANDSHAKE_FAILURES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stagedoor::server {

// The TLS handshakes of clients that fail, as far as gRPC tells: it logs a message for each that
// breaks TLS (plain text, no client certificate or one that is not trusted, a client that does not
// trust ours), without the client's address, and none for a client that goes away in the middle.

// Receives the reason of a failure, in words, on a thread of gRPC. `more` is how many others there
// were since the last one that was reported.
using HandshakeFailureHandler = std::function<void(std::string_view reason, uint64_t more)>;

// Takes the messages about failed handshakes from gRPC's log, for the rest of the process's life: a
// burst of 20 and then one per second goes to `handler`. All other messages go to our log. Call it
// once, after InitializeLog.
void TakeHandshakeFailures(HandshakeFailureHandler handler);

// Why a handshake failed, if a message of gRPC says that one did; else empty.
std::string HandshakeFailureOf(std::string_view message);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDSHAKE_FAILURES_H_
