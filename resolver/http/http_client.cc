#include "resolver/http/http_client.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/status.h"
#include "resolver/http/http_call.h"

namespace stagedoor {
namespace {

// libcurl wants to be initialized once in a process.
bool InitializeCurl() {
  static const bool initialized = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return initialized;
}

absl::Status CheckProxy(const std::string& proxy) {
  if (proxy.empty()) return absl::OkStatus();
  if (!proxy.starts_with("http://") && !proxy.starts_with("https://")) {
    return InvalidArgumentError(
        "the HTTP proxy must be a URL that begins with http:// or https://");
  }
  return absl::OkStatus();
}

// The file of the authorities to trust, by the variable that OpenSSL reads: libcurl only knows the
// path that its distribution compiled in, which other systems do not have. Not checked before it is
// needed, since the variable may be meant for others.
std::string CaFileOfEnvironment() {
  const char* const file = std::getenv("SSL_CERT_FILE");
  return file == nullptr ? std::string() : file;
}

}  // namespace

absl::StatusOr<std::shared_ptr<HttpClient>> HttpClient::Create(HttpClientOptions options) {
  if (!InitializeCurl()) return absl::Status(absl::StatusCode::kInternal, "cannot start libcurl");
  if (absl::Status proxy = CheckProxy(options.transfers.proxy); !proxy.ok()) return proxy;
  std::string& ca_file = options.transfers.ca_file;
  if (ca_file.empty()) {
    ca_file = CaFileOfEnvironment();
  } else if (access(ca_file.c_str(), R_OK) != 0) {
    return InvalidArgumentError("cannot read the CA file ", Quoted(ca_file), "; check --ca-file");
  }
  return std::make_shared<HttpClient>(std::move(options));
}

HttpClient::HttpClient(HttpClientOptions options) {
  engine_.allowed_urls = std::move(options.allowed_urls);
  engine_.retry = std::move(options.retry);
  engine_.transfers = std::make_shared<const HttpTransferSettings>(std::move(options.transfers));
  for (size_t i = 0; i < std::max<size_t>(options.io_threads, 1); ++i) {
    engine_.threads.push_back(std::make_unique<HttpIoThread>());
  }
}

std::vector<absl::Status> HttpClient::Run(RequestContext& context,
                                          std::span<HttpExchange* const> exchanges,
                                          size_t max_parallel, bool stop_at_error) {
  return HttpCall(engine_, context, exchanges).Run(max_parallel, stop_at_error);
}

absl::Status HttpClient::Run(RequestContext& context, HttpExchange& exchange) {
  HttpExchange* const one[] = {&exchange};
  return Run(context, one, 1, false).front();
}

absl::Status HttpStatusError(int status) {
  switch (status) {
    case 404:
    case 410:
      return NotFoundError("the server does not have it (HTTP status ", status, ")");
    case 401:
    case 403:
    case 407:
      return PermissionDeniedError("the server denies access (HTTP status ", status, ")");
    case 408:
    case 429:
      return UnavailableError("the server is busy (HTTP status ", status, ")");
    default:
      break;
  }
  if (status >= 400 && status < 500) {
    return InvalidArgumentError("the server rejects the request (HTTP status ", status, ")");
  }
  return UnavailableError("the server answered with HTTP status ", status);
}

}  // namespace stagedoor
