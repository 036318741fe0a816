#ifndef STAGEDOOR_RESOLVER_HTTP_OBJECT_EXCHANGE_H_
#define STAGEDOOR_RESOLVER_HTTP_OBJECT_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "resolver/http/http_exchange.h"
#include "resolver/http/http_object_protocol.h"

namespace stagedoor {

// An exchange about one object: what all of them do with credentials and error responses.
class ObjectExchange : public HttpExchange {
 public:
  static constexpr size_t kMaxErrorBytes = size_t{16} << 10;

  // `protocol` must outlive the exchange. `request` is what it made for the object.
  ObjectExchange(const HttpObjectProtocol& protocol, HttpRequest request)
      : protocol_(protocol), request_(std::move(request)) {}

  absl::StatusOr<HttpRequest> MakeRequest(RequestContext& context) final;
  absl::StatusOr<HttpNext> OnHead(const HttpResponseHead& head) final;
  absl::StatusOr<HttpNext> OnBody(std::string_view bytes) final;
  absl::StatusOr<HttpNext> OnEnd() final;

 protected:
  const HttpObjectProtocol& protocol() const { return protocol_; }

  // Adds range and conditions to the request for the object, and forgets a failed attempt.
  virtual void Prepare(HttpRequest* request) = 0;
  // Whether a status is an answer; others are errors.
  virtual bool Accepts(int status) const = 0;
  // As for HttpExchange, for accepted responses.
  virtual absl::StatusOr<HttpNext> OnResponse(const HttpResponseHead& head) = 0;
  virtual absl::StatusOr<HttpNext> OnContent(std::string_view bytes) = 0;
  virtual absl::StatusOr<HttpNext> OnComplete() = 0;
  // Handles an error response, and returns the next step.
  virtual absl::StatusOr<HttpNext> OnError(int status, const absl::Status& error);

 private:
  absl::StatusOr<HttpNext> HandleError();

  const HttpObjectProtocol& protocol_;
  const HttpRequest request_;
  HttpRequest sent_;
  bool renewed_ = false;
  int error_status_ = 0;
  HttpHeaders error_headers_;
  std::string error_body_;
};

// The largest object that is read from a server which tells neither its version nor its size: such
// an object is always read whole, because ranges of it might belong to different versions.
inline constexpr uint64_t kMaxWholeBytes = uint64_t{16} << 20;

// Finds the version and size of an object, and its first bytes.
class InspectExchange final : public ObjectExchange {
 public:
  // `known` may be null; must outlive the exchange. Without head bytes it begins with HEAD.
  InspectExchange(const HttpObjectProtocol& protocol, HttpRequest request, const ObjectInfo* known,
                  size_t head_bytes);

  // ---- The result, once the exchange is done. ----
  ObjectStore::Opened TakeOpened() { return std::move(opened_); }
  // The whole content, if it had to be read.
  const std::shared_ptr<std::string>& whole() const { return whole_; }

 protected:
  void Prepare(HttpRequest* request) override;
  bool Accepts(int status) const override;
  absl::StatusOr<HttpNext> OnResponse(const HttpResponseHead& head) override;
  absl::StatusOr<HttpNext> OnContent(std::string_view bytes) override;
  absl::StatusOr<HttpNext> OnComplete() override;
  absl::StatusOr<HttpNext> OnError(int status, const absl::Status& error) override;

 private:
  enum class Mode {
    kHead,
    kRange,  // GET of the first bytes
    kPlain,  // GET without a range, for objects that may be empty
    kWhole,  // GET of all bytes
  };

  // The size of the object, if the response tells it.
  absl::StatusOr<std::optional<uint64_t>> SizeOf(const HttpResponseHead& head) const;
  absl::StatusOr<HttpNext> ReadWhole(const HttpResponseHead& head);
  absl::StatusOr<HttpNext> Again(Mode mode);
  bool IsKnown() const { return known_ != nullptr && opened_.info.version == known_->version; }

  const ObjectInfo* const known_;
  const size_t head_bytes_;
  Mode mode_;
  bool not_modified_ = false;
  uint64_t expected_ = 0;  // bytes of the head that are wanted
  bool stop_early_ = false;
  HttpHeaders headers_;  // of a response that is read whole
  std::shared_ptr<std::string> whole_;
  ObjectStore::Opened opened_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_OBJECT_EXCHANGE_H_
