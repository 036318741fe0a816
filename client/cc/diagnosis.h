#ifndef STAGEDOOR_CLIENT_CC_DIAGNOSIS_H_
#define STAGEDOOR_CLIENT_CC_DIAGNOSIS_H_

#include <chrono>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "client/cc/security_options.h"

namespace stagedoor {

// Why a daemon cannot be reached, where gRPC's messages do not say it. Python has the same words.
struct Diagnosis {
  // UNAVAILABLE if nothing listens; FAILED_PRECONDITION for settings that do not fit the daemon.
  absl::Status status;
  // Whether waiting may help: nothing listens at the address, which is one of this machine, or a
  // proxy does not reach it.
  bool refused = false;
};

// How long finding out may take.
inline constexpr std::chrono::milliseconds kDiagnosisTime{2000};

// Connects to the address once more to find out why a daemon cannot be reached; nothing if that is
// not known. Blocks for `limit` at most, and while the name of the host is looked up.
std::optional<Diagnosis> Diagnose(const std::string& address, const SecurityOptions& security,
                                  std::chrono::milliseconds limit);

// As Diagnose, for a daemon that is reached through the proxy with this URL: whether the proxy
// listens, and connects to the address.
std::optional<Diagnosis> DiagnoseProxy(const std::string& proxy, const std::string& address,
                                       std::chrono::milliseconds limit);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_DIAGNOSIS_H_
