#include "resolver/s3/aws_credentials_sources.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/secret_file.h"
#include "resolver/http/http_exchange.h"
#include "resolver/s3/aws_signature.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxAnswerBytes = size_t{64} << 10;

// A request to a configured endpoint, without a proxy.
HttpRequest EndpointRequest(const Url& url) {
  HttpRequest request;
  request.url = url;
  request.is_allowed_url = true;
  request.is_allowed_host = true;
  request.use_proxy = false;
  return request;
}

// One request for a small document.
class DocumentExchange final : public HttpExchange {
 public:
  explicit DocumentExchange(HttpRequest request) : request_(std::move(request)) {}

  const std::string& document() const { return document_; }
  int status() const { return status_; }

  absl::StatusOr<HttpRequest> MakeRequest(RequestContext&) override {
    document_.clear();
    return request_;
  }
  absl::StatusOr<HttpNext> OnHead(const HttpResponseHead& head) override {
    status_ = head.status;
    return HttpNext::kContinue;
  }
  absl::StatusOr<HttpNext> OnBody(std::string_view bytes) override {
    if (bytes.size() > kMaxAnswerBytes - document_.size()) {
      if (status_ != 200) return HttpStatusError(status_);
      return FailedPreconditionError("the answer is too large");
    }
    document_.append(bytes);
    return HttpNext::kContinue;
  }
  absl::StatusOr<HttpNext> OnEnd() override {
    if (status_ == 200) return HttpNext::kDone;
    const absl::Status error = HttpStatusError(status_);
    const std::string_view code = S3ErrorCode(document_);
    return code.empty() ? error : Annotate(error, Concat("it answers ", code));
  }

 private:
  const HttpRequest request_;
  int status_ = 0;
  std::string document_;
};

// A request to STS for credentials of a role. The token is in the query, which no message shows.
HttpRequest WebIdentityRequest(const AwsWebIdentity& identity, std::string_view token) {
  const std::string session = identity.session_name.empty() ? "stagedoor" : identity.session_name;
  HttpRequest request;
  request.url = identity.endpoint;
  request.url.query = Concat("?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=",
                             EncodeForAws(identity.role_arn, /*keep_slash=*/false),
                             "&RoleSessionName=", EncodeForAws(session, /*keep_slash=*/false),
                             "&WebIdentityToken=", EncodeForAws(token, /*keep_slash=*/false));
  request.is_allowed_url = true;
  request.is_allowed_host = true;
  return request;
}

absl::StatusOr<std::string> ReadTokenFile(const std::string& path) {
  absl::StatusOr<std::string> token = ReadSecretLine(path);
  std::string why(Message(token.status()));
  if (token.ok() && token->find(' ') == token->npos) return token;
  if (token.ok()) why = "its first line is not a token";
  return PermissionDeniedError("cannot read the token file ", Quoted(path), ": ", why);
}

// A token of the instance metadata service at the origin of `url`.
absl::StatusOr<std::string> GetMetadataToken(RequestContext& context, HttpClient& client,
                                             const Url& url) {
  HttpRequest request = EndpointRequest(url);
  request.put_empty = true;
  request.url.path = "/latest/api/token";
  request.url.query.clear();
  request.headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "60"}};
  DocumentExchange exchange(std::move(request));
  SD_RETURN_IF_ERROR(client.Run(context, exchange));
  const std::string& token = exchange.document();
  const bool plain =
      std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (token.empty() || !plain) return InvalidArgumentError("it sent an invalid session token");
  return token;
}

absl::StatusOr<std::string> GetDocument(RequestContext& context, HttpClient& client,
                                        const Url& url) {
  DocumentExchange plain(EndpointRequest(url));
  absl::Status status = client.Run(context, plain);
  if (status.ok()) return plain.document();
  if (plain.status() != 401) return status;
  HttpRequest request = EndpointRequest(url);
  SD_ASSIGN_OR_RETURN(std::string token, GetMetadataToken(context, client, url));
  request.credentials = {{"X-aws-ec2-metadata-token", std::move(token)}};
  DocumentExchange with_token(std::move(request));
  SD_RETURN_IF_ERROR(client.Run(context, with_token));
  return with_token.document();
}

// Errors about credentials must not look like errors about an object: those that may pass are
// ABORTED, which HttpClient does not retry; others deny access.
absl::Status CredentialsError(const absl::Status& status, std::string_view from) {
  const std::string message = Concat("cannot get credentials from ", from, ": ", Message(status));
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return status;
    case absl::StatusCode::kUnavailable:
      return AbortedError(message);  // UNAVAILABLE for callers; it has been retried already
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
  absl::StatusOr<std::string> text = ReadSecretFile(path);
  absl::StatusOr<AwsCredentials> keys =
      text.ok() ? ParseCredentialsFile(*text, profile) : text.status();
  if (keys.ok()) return keys;
  return CredentialsError(keys.status(), Concat("the file ", Quoted(path), " (--s3-credentials)"));
}

absl::StatusOr<AwsCredentials> LoadCredentialsFromWebIdentity(RequestContext& context,
                                                              HttpClient& client,
                                                              const AwsWebIdentity& identity) {
  const auto load = [&]() -> absl::StatusOr<AwsCredentials> {
    SD_ASSIGN_OR_RETURN(const std::string token, ReadTokenFile(identity.token_file));
    DocumentExchange exchange(WebIdentityRequest(identity, token));
    SD_RETURN_IF_ERROR(client.Run(context, exchange));
    return ParseStsAnswer(exchange.document());
  };
  absl::StatusOr<AwsCredentials> keys = load();
  if (keys.ok()) return keys;
  return CredentialsError(
      keys.status(), Concat(Quoted(identity.endpoint.Origin()), " (AWS_WEB_IDENTITY_TOKEN_FILE)"));
}

absl::StatusOr<AwsCredentials> LoadCredentialsFromContainer(RequestContext& context,
                                                            HttpClient& client,
                                                            const AwsContainer& container) {
  const auto load = [&]() -> absl::StatusOr<AwsCredentials> {
    std::string token = container.token;
    if (!container.token_file.empty()) {
      SD_ASSIGN_OR_RETURN(token, ReadTokenFile(container.token_file));
    }
    HttpRequest request = EndpointRequest(container.url);
    if (!token.empty()) request.credentials = {{"Authorization", std::move(token)}};
    DocumentExchange exchange(std::move(request));
    SD_RETURN_IF_ERROR(client.Run(context, exchange));
    return ParseCredentialsJson(exchange.document());
  };
  absl::StatusOr<AwsCredentials> keys = load();
  if (keys.ok()) return keys;
  return CredentialsError(keys.status(), Concat(Quoted(container.url.Origin()),
                                                " (AWS_CONTAINER_CREDENTIALS_FULL_URI)"));
}

absl::StatusOr<AwsCredentials> LoadCredentialsFromUrl(RequestContext& context, HttpClient& client,
                                                      const Url& url) {
  const absl::StatusOr<std::string> document = GetDocument(context, client, url);
  absl::StatusOr<AwsCredentials> keys =
      document.ok() ? ParseCredentialsJson(*document) : document.status();
  if (keys.ok()) return keys;
  return CredentialsError(keys.status(), Concat(Quoted(url.Origin()), " (--s3-credentials-url)"));
}

}  // namespace stagedoor
