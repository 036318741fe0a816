#include "server/rpc/wire_writer.h"

#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "server/testing/byte_buffers.h"

namespace stagedoor::server {
namespace {

using google::rpc::ErrorInfo;

std::string Written(WireWriter writer) {
  const std::string copied = writer.ToString();
  const std::string sent = BytesOf(std::move(writer).Finish());
  EXPECT_EQ(copied, sent);
  return sent;
}

std::vector<grpc::Slice> SlicesOf(WireWriter writer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(std::move(writer).Finish().Dump(&slices).ok());
  return slices;
}

std::string Number(int field, uint64_t number) {
  WireWriter writer;
  writer.Number(field, number);
  return Written(std::move(writer));
}

PinnedChunk ChunkOf(std::shared_ptr<const std::string> text) {
  return {.bytes = *text, .pin = std::move(text)};
}

TEST(WireWriterTest, NumbersAreVarints) {
  EXPECT_EQ(Number(1, 0), "") << "defaults are omitted";
  EXPECT_EQ(Number(1, 127), "\x08\x7f");
  EXPECT_EQ(Number(1, 128), "\x08\x80\x01");
  EXPECT_EQ(Number(16, 300), "\x80\x01\xac\x02");
}

TEST(WireWriterTest, BytesFollowTheirLength) {
  WireWriter writer;
  writer.Reserve(100);
  EXPECT_TRUE(writer.empty());
  writer.Bytes(2, "abc");
  writer.Bytes(2, "");
  EXPECT_EQ(writer.size(), 7u);
  EXPECT_FALSE(writer.empty());
  EXPECT_EQ(Written(std::move(writer)), std::string("\x12\x03"
                                                    "abc\x12\x00",
                                                    7));
  WireWriter longer;
  longer.Bytes(2, std::string(200, 'x'));
  EXPECT_EQ(Written(std::move(longer)), "\x12\xc8\x01" + std::string(200, 'x'));
}

TEST(WireWriterTest, ChunksAreSentWithoutACopyAndStayAlive) {
  auto text = std::make_shared<const std::string>(std::string(300, 'd'));
  const std::weak_ptr<const std::string> alive = text;
  {
    WireWriter writer;
    writer.Chunk(2, ChunkOf(text));
    EXPECT_EQ(writer.size(), 303u);
    const std::vector<grpc::Slice> slices = SlicesOf(std::move(writer));
    ASSERT_EQ(slices.size(), 2u);
    EXPECT_EQ(reinterpret_cast<const char*>(slices[1].begin()), text->data());
    text.reset();
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

TEST(WireWriterTest, ShortAndLongTextsAreWritten) {
  for (const size_t bytes : {size_t{100}, size_t{5000}}) {
    WireWriter writer;
    writer.Bytes(1, std::string(bytes, 'x'));
    EXPECT_EQ(Written(std::move(writer)).substr(3 - (bytes < 128)), std::string(bytes, 'x'));
  }
}

TEST(WireWriterTest, AnEmptyChunkIsOmitted) {
  WireWriter writer;
  writer.Chunk(2, {});
  EXPECT_TRUE(writer.empty());
  const grpc::ByteBuffer none = std::move(writer).Finish();
  EXPECT_TRUE(none.Valid());
  EXPECT_EQ(none.Length(), 0u);
}

TEST(WireWriterTest, FieldsKeepTheirOrder) {
  const auto chunk = std::make_shared<const std::string>("chunk");
  WireWriter writer;
  writer.Number(1, 5);
  writer.Chunk(2, ChunkOf(chunk));
  writer.Chunk(2, ChunkOf(chunk));
  writer.Bytes(3, "end");
  EXPECT_EQ(writer.size(), 21u);
  EXPECT_EQ(Written(std::move(writer)),
            "\x08\x05\x12\x05"
            "chunk\x12\x05"
            "chunk\x1a\x03"
            "end");
  EXPECT_EQ(chunk.use_count(), 1);
}

TEST(WireWriterTest, MessagesAreWrittenWithTheirLength) {
  ErrorInfo info;
  info.set_reason("why");
  const auto chunk = std::make_shared<const std::string>("chunk");
  WireWriter inner;
  inner.Fields(info);
  inner.Chunk(ErrorInfo::kDomainFieldNumber, ChunkOf(chunk));
  inner.Bytes(15, "end");
  info.set_domain("chunk");
  WireWriter outer;
  outer.Message(7, info);
  outer.Message(7, std::move(inner));
  outer.Number(8, 1);
  const std::string fields = info.SerializeAsString();
  EXPECT_EQ(Written(std::move(outer)),
            "\x3a\x0c" + fields + "\x3a\x11" + fields + "\x7a\x03" + "end" + "\x40\x01");
}

}  // namespace
}  // namespace stagedoor::server
