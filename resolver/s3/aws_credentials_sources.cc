#include "resolver/s3/aws_credentials_sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/http/http_exchange.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxAnswerBytes = size_t{64} << 10;

// Reads a file of up to kMaxCredentialsBytes. A pipe or a device must not block the caller.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return PermissionDeniedError(std::strerror(errno));
  struct stat info;
  std::string text;
  ssize_t count = -1;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    char buffer[4096];
    while ((count = read(fd, buffer, sizeof(buffer))) > 0 && text.size() <= kMaxCredentialsBytes) {
      text.append(buffer, static_cast<size_t>(count));
    }
  }
  close(fd);
  if (count < 0) return PermissionDeniedError("it is not a readable file");
  if (text.size() > kMaxCredentialsBytes) return PermissionDeniedError("it is too large");
  return text;
}

// One GET of a small document.
class DocumentExchange final : public HttpExchange {
 public:
  explicit DocumentExchange(const Url& url) {
    request_.url = url;
    request_.is_allowed_url = true;
    request_.is_allowed_host = true;
    request_.use_proxy = false;
  }

  const std::string& document() const { return document_; }

  absl::StatusOr<HttpRequest> MakeRequest(RequestContext&) override {
    document_.clear();
    return request_;
  }
  absl::StatusOr<HttpNext> OnHead(const HttpResponseHead& head) override {
    if (head.status != 200) return HttpStatusError(head.status);
    return HttpNext::kContinue;
  }
  absl::StatusOr<HttpNext> OnBody(std::string_view bytes) override {
    if (bytes.size() > kMaxAnswerBytes - document_.size()) {
      return FailedPreconditionError("the answer is too large");
    }
    document_.append(bytes);
    return HttpNext::kContinue;
  }
  absl::StatusOr<HttpNext> OnEnd() override { return HttpNext::kDone; }

 private:
  HttpRequest request_;
  std::string document_;
};

// Errors about credentials must not look like errors about an object: UNAVAILABLE ones may be
// retried by the caller, others deny access.
absl::Status CredentialsError(const absl::Status& status, std::string_view from) {
  const std::string message = Concat("cannot get credentials from ", from, ": ", Message(status));
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return status;
    case absl::StatusCode::kUnavailable:
      return FailedPreconditionError(message);  // it has been retried already
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return MakeStatus(status.code(), message);
    default:
      return PermissionDeniedError(message);
  }
}

}  // namespace

absl::StatusOr<AwsCredentials> LoadCredentialsFile(const std::string& path,
                                                   const std::string& profile) {
  absl::StatusOr<std::string> text = ReadSmallFile(path);
  absl::StatusOr<AwsCredentials> keys =
      text.ok() ? ParseCredentialsFile(*text, profile) : text.status();
  if (keys.ok()) return keys;
  return CredentialsError(keys.status(), Concat("the file ", Quoted(path), " (--s3-credentials)"));
}

absl::StatusOr<AwsCredentials> LoadCredentialsFromUrl(RequestContext& context, HttpClient& client,
                                                      const Url& url) {
  DocumentExchange exchange(url);
  absl::Status status = client.Run(context, exchange);
  if (status.ok()) {
    absl::StatusOr<AwsCredentials> keys = ParseCredentialsJson(exchange.document());
    if (keys.ok()) return keys;
    status = keys.status();
  }
  return CredentialsError(status, Concat(Quoted(url.Origin()), " (--s3-credentials-url)"));
}

}  // namespace stagedoor
