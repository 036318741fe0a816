#ifndef STAGEDOOR_SERVER_STREAMS_CHUNKED_STREAM_H_
#define STAGEDOOR_SERVER_STREAMS_CHUNKED_STREAM_H_

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "server/converters/array_outbox.h"
#include "server/converters/reply_budget.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "server/server_limits.h"

namespace stagedoor::server {

// Base of streams whose messages refer to arrays that follow in chunks: see streams.proto.
// `Response` is what the derived class makes: a protobuf message or, in wire form, a WireWriter.
template <typename Response>
class ChunkedStream : public ResponseStream<WireWriter> {
 public:
  // `advice`: see ReplyBudget. `reserves`: see ArrayOutbox; false for a stream that holds one value
  // at a time, which it would hold as well if it did not send it.
  ChunkedStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
                std::string_view advice, bool reserves = true)
      : arrays_(context, chunk_bytes, reserves),
        budget_(context, limits.max_item_bytes(), advice, &arrays_),
        chunk_bytes_(chunk_bytes) {}

  // See ReplyBudget.
  template <typename Request>
  absl::Status UseDigestOptions(const Request& request) {
    return budget_.UseDigestOptions(request);
  }

  absl::StatusOr<bool> Next(RequestContext& context, WireWriter* out) final {
    if (arrays_.empty()) {
      budget_.StartMessage();
      SD_ASSIGN_OR_RETURN(const bool more, MakeInto(context, out));
      if (!more) return false;
    }
    SD_RETURN_IF_ERROR(arrays_.WriteParts(out));
    return true;
  }
  bool AtEnd() const final { return arrays_.empty() && NoMoreItems(); }

 protected:
  // Makes the next message with its items, except for the chunks. False at the end.
  virtual absl::StatusOr<bool> Make(RequestContext& context, Response* out) = 0;
  // See ResponseStream::AtEnd.
  virtual bool NoMoreItems() const { return false; }

  // The budget of the message; its arrays go to the outbox.
  ReplyBudget& budget() { return budget_; }
  // Whether the message gets further items.
  bool HasRoom() const { return budget_.message_bytes() + arrays_.pending_bytes() < chunk_bytes_; }
  size_t chunk_bytes() const { return chunk_bytes_; }

 private:
  absl::StatusOr<bool> MakeInto(RequestContext& context, WireWriter* out) {
    if constexpr (std::is_same_v<Response, WireWriter>) {
      return Make(context, out);
    } else {
      Response response;
      absl::StatusOr<bool> more = Make(context, &response);
      if (more.ok() && *more) out->Fields(response);
      return more;
    }
  }

  ArrayOutbox arrays_;
  ReplyBudget budget_;
  const size_t chunk_bytes_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STREAMS_CHUNKED_STREAM_H_
