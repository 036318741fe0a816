#include "server/http_frames/frame_gateway.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/ip_address.h"
#include "base/status.h"
#include "base/strings.h"
#include "server/http_frames/frame_answer.h"
#include "server/http_frames/frame_query.h"
#include "server/http_frames/frame_transfer.h"
#include "server/metrics/metrics_connection.h"

namespace stagedoor::server {
namespace {

// An answer that is complete from the start.
class WholeAnswer final : public HttpStream {
 public:
  explicit WholeAnswer(std::string text) : text_(std::move(text)) {}
  State Next(std::string* piece) override {
    if (text_.empty()) return State::kEnd;
    *piece = std::exchange(text_, std::string());
    return State::kPiece;
  }

 private:
  std::string text_;
};

// The answer of a transfer, which ends with it.
class TransferAnswer final : public HttpStream {
 public:
  explicit TransferAnswer(std::shared_ptr<FrameTransfer> transfer)
      : transfer_(std::move(transfer)) {}
  ~TransferAnswer() override { transfer_->Abandon(); }
  State Next(std::string* piece) override { return transfer_->Next(piece); }

 private:
  const std::shared_ptr<FrameTransfer> transfer_;
};

std::string TextAnswer(std::string_view status, std::string_view text) {
  return RenderedAnswer({.status = status, .body = Concat(text, "\n")});
}

std::string Unavailable(std::string_view why) {
  return ErrorAnswer(grpc::Status(grpc::StatusCode::UNAVAILABLE, std::string(why)));
}

// Whether a gRPC metadata value may have the text.
bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

bool NamesThisMachine(std::string_view host) {
  // Without the port. An IPv6 address is in brackets.
  const size_t bracket = host.find(']');
  if (host.starts_with('[') && bracket != std::string_view::npos) {
    host = host.substr(1, bracket - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  return AsciiLower(host) == "localhost" || IpAddress::Parse(host).has_value();
}

FrameGateway::~FrameGateway() {
  // A channel that is released by a callback of one of its calls would make gRPC's thread wait for
  // itself. So this is the last one that has it.
  borrowers_.WaitForNone();
}

void FrameGateway::SetChannel(std::shared_ptr<grpc::Channel> channel) {
  MutexLock lock(mu_);
  channel_ = std::move(channel);
}

std::shared_ptr<grpc::Channel> FrameGateway::Borrow(std::shared_ptr<grpc::Channel> channel) {
  borrowers_.Begin();
  grpc::Channel* const borrowed = channel.get();
  // The last reference that a transfer, or its call to close the stage, gives back: after the
  // contexts of its calls, which have the channel, too.
  auto give_back = [this, channel = std::move(channel)](grpc::Channel*) mutable {
    channel = nullptr;
    borrowers_.End();
  };
  return {borrowed, std::move(give_back)};
}

std::string FrameGateway::Refusal(const HttpRequest& request) const {
  if (!request.knows_chunks()) {
    return TextAnswer("505 HTTP Version Not Supported",
                      "a frame is sent in chunks, which needs HTTP/1.1");
  }
  const std::string_view authorization = request.Header("authorization");
  if (!IsPrintable(authorization)) {
    return TextAnswer("400 Bad Request", "the header Authorization has control characters");
  }
  if (!authorization.empty()) return "";
  const std::string_view site = request.Header("sec-fetch-site");
  if (!site.empty() && site != "none" && site != "same-origin") {
    return TextAnswer("403 Forbidden", "web pages need a token to get frames");
  }
  if (only_local_ && !NamesThisMachine(request.Header("host"))) {
    return TextAnswer("421 Misdirected Request",
                      "without a token, the header Host must be localhost or an address");
  }
  return "";
}

std::unique_ptr<HttpStream> FrameGateway::Start(const HttpRequest& request,
                                                std::function<void()> wake) {
  std::string refusal = Refusal(request);
  if (!refusal.empty()) return std::make_unique<WholeAnswer>(std::move(refusal));
  absl::StatusOr<FrameQuery> query = ParseFrameQuery(request);
  if (!query.ok()) {
    return std::make_unique<WholeAnswer>(TextAnswer("400 Bad Request", Message(query.status())));
  }
  std::shared_ptr<grpc::Channel> channel;
  {
    MutexLock lock(mu_);
    channel = channel_;
  }
  if (channel == nullptr) {
    return std::make_unique<WholeAnswer>(Unavailable("the daemon is starting"));
  }
  if (!transfers_.TryBegin(kMostTransfers)) {
    return std::make_unique<WholeAnswer>(
        Unavailable(Concat(kMostTransfers, " frames are being sent; try again later")));
  }
  FrameTransfer::Options options;
  options.ended = [this] { transfers_.End(); };
  return std::make_unique<TransferAnswer>(FrameTransfer::Start(
      Borrow(std::move(channel)), *std::move(query), std::move(options), std::move(wake)));
}

}  // namespace stagedoor::server
