#include "server/rpc/message_fragments.h"

#include <google/protobuf/io/coded_stream.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/request_context.h"
#include "server/rpc/wire_stream.h"
#include "server/testing/byte_buffers.h"
#include "stagedoor/v1/streams.pb.h"

namespace stagedoor::server {
namespace {

std::string Pattern(size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 7 + i / 1000);
  return text;
}

// The fragment in a message that has nothing but stream_parts as its field 15.
v1::MessageFragment FragmentIn(const grpc::ByteBuffer& message) {
  // Any message of a stream would do; StreamOptions has no field 15, so the tag and the length are
  // read by hand.
  const std::string bytes = BytesOf(message);
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  uint32_t length = 0;
  EXPECT_EQ(in.ReadTag(), uint32_t{kStreamPartsField} << 3 | 2);
  EXPECT_TRUE(in.ReadVarint32(&length));
  const auto at = static_cast<size_t>(in.CurrentPosition());
  EXPECT_EQ(length, bytes.size() - at);
  v1::StreamParts parts;
  EXPECT_TRUE(parts.ParseFromString(bytes.substr(at)));
  EXPECT_TRUE(parts.has_fragment());
  return parts.fragment();
}

TEST(MessageFragmentsTest, FragmentsMakeUpTheMessage) {
  const size_t kSizes[] = {1, kFragmentBytes, kFragmentBytes + 1, 3 * kFragmentBytes};
  for (const size_t size : kSizes) {
    const std::string whole = Pattern(size);
    // Two slices, so that fragments span them.
    const grpc::Slice slices[] = {grpc::Slice(whole.substr(0, size / 3)),
                                  grpc::Slice(whole.substr(size / 3))};
    MessageFragments fragments;
    EXPECT_TRUE(fragments.empty());
    ASSERT_TRUE(fragments.Put(grpc::ByteBuffer(slices, 2)).ok());
    std::string joined;
    size_t count = 0;
    while (!fragments.empty()) {
      const grpc::ByteBuffer message = fragments.Next();
      EXPECT_LE(message.Length(), kMaxMessageBytes);
      const v1::MessageFragment fragment = FragmentIn(message);
      EXPECT_EQ(fragment.total_bytes(), count++ == 0 ? size : 0) << size;
      joined += fragment.data();
    }
    EXPECT_EQ(count, (size + kFragmentBytes - 1) / kFragmentBytes) << size;
    EXPECT_TRUE(joined == whole) << size;
  }
}

// Yields messages of given sizes.
class SizedStream final : public ResponseStream<WireWriter> {
 public:
  explicit SizedStream(std::vector<size_t> sizes) : sizes_(std::move(sizes)) {}
  absl::StatusOr<bool> Next(RequestContext&, WireWriter* out) override {
    if (AtEnd()) return false;
    out->Bytes(1, Pattern(sizes_[next_++]));
    return true;
  }
  bool AtEnd() const override { return next_ == sizes_.size(); }

 private:
  const std::vector<size_t> sizes_;
  size_t next_ = 0;
};

TEST(MessageFragmentsTest, OnlyMessagesThatAClientWouldRejectAreSplit) {
  constexpr size_t kHead = 5;  // tag and length of the field
  RequestContext context;
  const auto stream = ToWireStream<WireWriter>(std::make_unique<SizedStream>(
      std::vector{kMaxMessageBytes - kHead, kMaxMessageBytes - kHead + 1, size_t{1}}));
  std::vector<size_t> lengths;
  grpc::ByteBuffer message;
  while (!stream->AtEnd()) {
    const auto more = stream->Next(context, &message);
    ASSERT_TRUE(more.ok() && *more);
    lengths.push_back(message.Length());
    EXPECT_EQ(context.reserved_bytes() == 0, lengths.size() != 2 && lengths.size() != 3 &&
                                                 lengths.size() != 4 && lengths.size() != 5)
        << "a split message is held until its last fragment, after " << lengths.size();
  }
  ASSERT_EQ(lengths.size(), 1u + 5 + 1);
  EXPECT_EQ(lengths[0], kMaxMessageBytes);
  EXPECT_EQ(lengths.back(), 3u);
  for (const size_t length : lengths) EXPECT_LE(length, kMaxMessageBytes);
  EXPECT_FALSE(*stream->Next(context, &message));
}

}  // namespace
}  // namespace stagedoor::server
