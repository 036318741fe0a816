#include "client/cc/proxy.h"

#include <algorithm>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr std::string_view kScheme = "http://";

bool IsDigitOfPort(char c) { return c >= '0' && c <= '9'; }

std::string_view AuthorityOf(std::string_view url) {
  if (url.starts_with(kScheme)) url.remove_prefix(kScheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

struct HttpAnswer {
  int status;
  std::string_view phrase;
  std::string_view hint;
};

constexpr std::string_view kDaemonIsAway =
    "the proxy cannot reach the daemon: check whether it runs";

constexpr HttpAnswer kHttpAnswers[] = {
    {400, "Bad Request", ""},
    {401, "Unauthorized", ""},
    {403, "Forbidden", ""},
    {404, "Not Found", "check the address: the proxy does not send calls of gRPC to a daemon"},
    {405, "Method Not Allowed", ""},
    {407, "Proxy Authentication Required", ""},
    {408, "Request Timeout", ""},
    {411, "Length Required", ""},
    {413, "Content Too Large",
     "ask for fewer paths at a time, or raise the proxy's limit for the size of requests"},
    {415, "Unsupported Media Type", ""},
    {421, "Misdirected Request", ""},
    {429, "Too Many Requests", ""},
    {431, "Request Header Fields Too Large", ""},
    {500, "Internal Server Error", ""},
    {501, "Not Implemented", ""},
    {502, "Bad Gateway", kDaemonIsAway},
    {503, "Service Unavailable", kDaemonIsAway},
    {504, "Gateway Timeout", "the daemon did not answer in the time that the proxy allows"},
};

// Such as "502 (Bad Gateway)", and what to do about it.
struct Answer {
  explicit Answer(int status) : text(Concat(status)) {
    const auto* const known =
        std::find_if(std::begin(kHttpAnswers), std::end(kHttpAnswers),
                     [&](const HttpAnswer& answer) { return answer.status == status; });
    if (known == std::end(kHttpAnswers)) return;
    text += Concat(" (", known->phrase, ")");
    if (!known->hint.empty()) hint = known->hint;
  }

  std::string text;
  std::string_view hint = "ask the operator of the proxy";
};

}  // namespace

std::string_view ProxyAddress(std::string_view url) {
  const std::string_view authority = AuthorityOf(url);
  return authority.substr(authority.rfind('@') + 1);  // npos + 1 is 0
}

std::string_view ProxyCredentials(std::string_view url) {
  const std::string_view authority = AuthorityOf(url);
  const size_t at = authority.rfind('@');
  return at == std::string_view::npos ? std::string_view() : authority.substr(0, at);
}

absl::Status CheckProxy(const std::string& proxy) {
  if (proxy.empty() || proxy == "environment") return absl::OkStatus();
  const std::string_view authority = ProxyAddress(proxy);
  const size_t colon = authority.rfind(':');
  if (proxy.starts_with(kScheme) && colon != 0 && colon != std::string_view::npos) {
    const std::string_view port = authority.substr(colon + 1);
    const size_t slash = proxy.find('/', kScheme.size());
    const bool has_path = slash != std::string::npos && slash + 1 != proxy.size();
    const bool number = !port.empty() && std::all_of(port.begin(), port.end(), IsDigitOfPort);
    if (number && !has_path) return absl::OkStatus();
  }
  return InvalidArgumentError(
      "the proxy must be 'environment' or a URL such as 'http://proxy:3128'");
}

std::string ProxyText(const std::string& proxy) {
  if (proxy.empty()) return "";
  if (proxy == "environment") return " through the proxy of the environment";
  return Concat(" through the proxy ", ProxyAddress(proxy));
}

std::optional<int> HttpStatusOf(const grpc::Status& status) {
  constexpr std::string_view kText = "http2 header with status: ";
  if (status.ok() || !status.error_details().empty()) return std::nullopt;
  const std::string& message = status.error_message();
  const size_t found = message.find(kText);
  if (found == std::string::npos) return std::nullopt;
  return ParseNumber<int>(message.substr(found + kText.size(), 3));
}

absl::Status ProxyError(int http_status, absl::StatusCode code) {
  if (http_status == 413) code = absl::StatusCode::kResourceExhausted;
  if (http_status >= 500) code = absl::StatusCode::kUnavailable;
  const Answer answer(http_status);
  return MakeStatus(
      code, Concat("a proxy in front of the daemon refused the call with HTTP status ", answer.text,
                   "; ", answer.hint));
}

absl::Status ConnectError(std::string_view proxy, std::string_view address, int http_status) {
  const Answer answer(http_status);
  return MakeStatus(
      http_status >= 500 ? absl::StatusCode::kUnavailable : absl::StatusCode::kFailedPrecondition,
      Concat("the proxy ", ProxyAddress(proxy), " refused to connect to ", address,
             " with HTTP status ", answer.text, "; ", answer.hint));
}

}  // namespace stagedoor
