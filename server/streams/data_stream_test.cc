#include "server/streams/data_stream.h"

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {
namespace {

// Returns pieces of the given sizes, whatever size it is asked for, and counts them.
class Uncut final : public ByteSource {
 public:
  Uncut(std::vector<size_t> sizes, size_t* given) : sizes_(std::move(sizes)), given_(*given) {}

  absl::StatusOr<bool> Next(RequestContext&, size_t, std::string* out) override {
    if (at_ == sizes_.size()) return false;
    out->append(sizes_[at_], static_cast<char>('a' + at_));
    ++at_;
    ++given_;
    return true;
  }

 private:
  const std::vector<size_t> sizes_;
  size_t at_ = 0;
  size_t& given_;
};

using Data = DataStream<v1::FlattenStageResponse>;

std::vector<size_t> Sizes(Data& stream, RequestContext& context) {
  std::vector<size_t> sizes;
  for (v1::FlattenStageResponse message; stream.Next(context, &message).value(); message.Clear()) {
    sizes.push_back(message.data().size());
  }
  return sizes;
}

TEST(DataStreamTest, SplitsPiecesThatAreTooLarge) {
  RequestContext context;
  size_t given = 0;
  Data stream(std::make_unique<Uncut>(std::vector<size_t>{3, 3, 25, 1}, &given), 10);
  EXPECT_EQ(Sizes(stream, context), (std::vector<size_t>{10, 10, 10, 2}));
  EXPECT_EQ(context.reserved_bytes(), 0u);
}

TEST(DataStreamTest, ReadsTheSourceOnDemand) {
  RequestContext context;
  size_t given = 0;
  Data stream(std::make_unique<Uncut>(std::vector<size_t>(1000, 10), &given), 100);
  v1::FlattenStageResponse message;
  ASSERT_TRUE(stream.Next(context, &message).value());
  EXPECT_EQ(message.data().size(), 100u);
  EXPECT_EQ(given, 10u);
}

TEST(DataStreamTest, ReservesBufferedBytes) {
  RequestContext context;
  size_t given = 0;
  Data stream(std::make_unique<Uncut>(std::vector<size_t>{1000}, &given), 10);
  v1::FlattenStageResponse message;
  ASSERT_TRUE(stream.Next(context, &message).value());
  EXPECT_GE(context.reserved_bytes(), 1000u);
  RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = 100});
  Data refused(std::make_unique<Uncut>(std::vector<size_t>{1000}, &given), 10);
  EXPECT_EQ(refused.Next(small, &message).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(DataStreamTest, AStreamThatIsNotReadToItsEndReturnsItsBytes) {
  RequestContext context;
  size_t given = 0;
  {
    Data stream(std::make_unique<Uncut>(std::vector<size_t>{1000, 3000}, &given), 10);
    v1::FlattenStageResponse message;
    ASSERT_TRUE(stream.Next(context, &message).value());
    EXPECT_GE(context.reserved_bytes(), 1000u);
  }
  EXPECT_EQ(context.reserved_bytes(), 0u);
}

TEST(DataStreamTest, PiecesOfTheSizeOfAMessageAreNotBuffered) {
  RequestContext context;
  size_t given = 0;
  Data stream(std::make_unique<Uncut>(std::vector<size_t>{10, 10}, &given), 10);
  v1::FlattenStageResponse message;
  ASSERT_TRUE(stream.Next(context, &message).value());
  EXPECT_EQ(message.data().size(), 10u);
  EXPECT_EQ(context.reserved_bytes(), 0u);
}

TEST(DataStreamTest, AnEmptyFileIsOneEmptyMessage) {
  RequestContext context;
  Data stream(std::make_unique<MemoryByteSource>(""), 10);
  EXPECT_EQ(Sizes(stream, context), (std::vector<size_t>{0}));
}

TEST(MultiFileStreamTest, OpensOneFileAfterAnother) {
  RequestContext context;
  std::vector<std::string> opened;
  const auto file = [&](const std::string& name, const std::string& content) {
    return GeneratedFile{name,
                         [&, name, content](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
                           opened.push_back(name);
                           if (content == "missing") return NotFoundError(name);
                           return std::make_unique<MemoryByteSource>(content);
                         }};
  };
  MultiFileStream<v1::LocalizeStageResponse> stream(
      {file("a", "12345678"), file("empty", ""), file("b", "9"), file("c", "missing")}, 5);
  std::string all;
  for (;;) {
    v1::LocalizeStageResponse message;
    const auto more = stream.Next(context, &message);
    if (!more.ok()) {
      EXPECT_EQ(more.status().code(), absl::StatusCode::kNotFound);
      break;
    }
    ASSERT_TRUE(*more);
    if (all.empty()) {
      EXPECT_EQ(opened, std::vector<std::string>{"a"});
    }
    all += "[" + message.chunk().name() + ":" + message.chunk().data() + "]";
  }
  EXPECT_EQ(all, "[a:12345][:678][empty:][b:9]");
}

}  // namespace
}  // namespace stagedoor::server
