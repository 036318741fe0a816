#include "server/handshake_failures.h"

#include <grpc/support/log.h>
#include <spdlog/common.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "server/log/logging.h"
#include "server/log/rate_limiter.h"

namespace stagedoor::server {
namespace {

// Never destroyed, because gRPC may log until the process ends.
struct Reporter {
  HandshakeFailureHandler handler;
  RateLimiter limiter{20, std::chrono::seconds(1)};
};
Reporter* the_reporter = nullptr;

void TakeMessage(gpr_log_func_args* args) {
  const std::string reason = HandshakeFailureOf(args->message);
  if (reason.empty()) {
    const auto level = args->severity == GPR_LOG_SEVERITY_DEBUG  ? spdlog::level::debug
                       : args->severity == GPR_LOG_SEVERITY_INFO ? spdlog::level::info
                                                                 : spdlog::level::err;
    return LogLibraryMessage(LogLibrary::kGrpc, level, args->message);
  }
  const std::optional<uint64_t> more = the_reporter->limiter.Admit(RateLimiter::Clock::now());
  if (more.has_value()) the_reporter->handler(reason, *more);
}

}  // namespace

void TakeHandshakeFailures(HandshakeFailureHandler handler) {
  auto* const reporter = new Reporter;
  reporter->handler = std::move(handler);
  the_reporter = reporter;
  gpr_set_log_function(TakeMessage);
}

std::string HandshakeFailureOf(std::string_view message) {
  constexpr std::string_view kFailed = "Handshake failed with fatal error ";
  if (!message.starts_with(kFailed)) return {};
  // "…: error:0A0000C7:SSL routines::peer did not return a certificate."
  std::string_view words = message.substr(message.rfind(':') + 1);
  if (words.ends_with('.')) words.remove_suffix(1);
  while (words.starts_with(' ')) words.remove_prefix(1);
  while (words.ends_with(' ')) words.remove_suffix(1);
  // The first bytes of HTTP/2, and of requests of HTTP/1.
  if (words == "wrong version number" || words == "http request" ||
      words == "https proxy request") {
    return Concat("the client does not use TLS (", words, ")");
  }
  return std::string(words.empty() ? kFailed.substr(0, kFailed.size() - 1) : words);
}

}  // namespace stagedoor::server
