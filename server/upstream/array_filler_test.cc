#include "server/upstream/array_filler.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "client/cc/client_options.h"
#include "server/rpc/message_fragments.h"
#include "server/rpc/message_serialization.h"
#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

using Message = v1::ExtractFrameResponse;

// An array of bytes, of which only the digest may come.
v1::PackedValues Packed(const std::string& digest, size_t count) {
  v1::PackedValues packed;
  packed.set_component_type(v1::COMPONENT_TYPE_UINT8);
  packed.set_shape(v1::ELEMENT_SHAPE_SCALAR);
  packed.set_rows(1);
  packed.set_columns(1);
  packed.set_count(count);
  packed.set_digest(digest);
  return packed;
}
v1::PackedValues Sent(const std::string& digest, const std::string& data) {
  v1::PackedValues packed = Packed(digest, data.size());
  packed.set_data(data);
  return packed;
}
v1::PackedValues Unchanged(const std::string& digest, size_t count) {
  v1::PackedValues packed = Packed(digest, count);
  packed.set_unchanged(true);
  return packed;
}
v1::PackedValues Streamed(const std::string& digest, uint32_t id, size_t bytes) {
  v1::PackedValues packed = Packed(digest, bytes);
  packed.mutable_streamed()->set_id(id);
  packed.mutable_streamed()->set_total_bytes(bytes);
  return packed;
}

// A message with arrays, of which the last ones are streamed.
Message With(const std::vector<v1::PackedValues>& arrays) {
  Message message;
  uint32_t streamed = 0;
  for (const v1::PackedValues& array : arrays) {
    *message.add_subsets()->mutable_indices() = array;
    streamed += array.has_streamed();
  }
  if (streamed != 0) message.mutable_stream_parts()->set_array_count(streamed);
  return message;
}
void AddChunk(uint32_t id, uint64_t offset, const std::string& data, Message* message) {
  v1::ArrayChunk* const chunk = message->mutable_stream_parts()->add_chunks();
  chunk->set_array_id(id);
  chunk->set_offset(offset);
  chunk->set_data(data);
}

class ArrayFillerTest : public testing::Test {
 protected:
  // A filler for a process that has the arrays `known`, while the store expects those of "kind".
  std::unique_ptr<ArrayFiller> Filler(std::unordered_set<std::string> known = {}) {
    ArrayFiller::Request request{.response = &Message::default_instance(),
                                 .kind = "kind",
                                 .known = std::move(known),
                                 .expected = store_.Expect("kind")};
    return std::make_unique<ArrayFiller>(std::move(request), store_, counters_);
  }
  // Passes messages on, and returns the arrays that a client has then, as "digest=length" or
  // "digest unchanged", or the error. Checks the rules of streams as clients do.
  std::string Pass(ArrayFiller& filler, const std::vector<Message>& messages) {
    StreamAssembler<Message> client{ClientOptions()};
    std::string text;
    for (const Message& message : messages) {
      const auto filled = filler.Take(*SerializeMessage(message));
      if (!filled.ok()) return filled.status().ToString();
      sent_ += filled->size();
      for (grpc::ByteBuffer bytes : *filled) {
        EXPECT_LE(bytes.Length(), kMaxMessageBytes);
        Message part;
        EXPECT_TRUE(ParseMessage(&bytes, &part).ok());
        const auto whole = client.Take(&part);
        if (!whole.ok()) return whole.status().ToString();
        if (*whole) text += TextOf(part);
      }
    }
    EXPECT_FALSE(client.in_progress());
    return text;
  }
  static std::string TextOf(const Message& message) {
    std::string text;
    for (const v1::FrameSubset& subset : message.subsets()) {
      const v1::PackedValues& array = subset.indices();
      text += array.has_unchanged() ? Concat(array.digest(), " unchanged,")
                                    : Concat(array.digest(), "=", array.data().size(),
                                             array.data().substr(0, 1), ",");
    }
    return text;
  }
  // Puts arrays into the store, as those of the last reply.
  void Hold(const std::vector<std::pair<std::string, std::string>>& arrays) {
    std::vector<std::string> digests;
    for (const auto& [digest, bytes] : arrays) {
      store_.Keep(digest, bytes);
      digests.push_back(digest);
    }
    store_.Remember("kind", digests);
  }

  MemoryPool pool_{"replies", size_t{64} << 20};
  ArrayStore store_{pool_, size_t{32} << 20};
  UpstreamCounters counters_;
  size_t sent_ = 0;  // messages
};

TEST_F(ArrayFillerTest, KeepsArraysThatHaveCome) {
  Message chunks;
  AddChunk(0, 3, "bb", &chunks);
  Message message = With({Sent("a", "aa"), Streamed("b", 0, 5), Sent("", "none")});
  AddChunk(0, 0, "bbb", &message);
  const auto filler = Filler();
  EXPECT_EQ(Pass(*filler, {message, chunks}), "a=2a,b=5b,=4n,");
  EXPECT_TRUE(store_.Expect("kind").empty());  // the reply is not complete
  filler->Finish();
  const ArrayStore::Arrays kept = store_.Expect("kind");
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept.at("a")->bytes, "aa");
  EXPECT_EQ(kept.at("b")->bytes, "bbbbb");
}

TEST_F(ArrayFillerTest, PutsArraysWhereUpstreamLeftThemOut) {
  Hold({{"a", "aa"}, {"b", "bbb"}});
  const auto filler = Filler({"c"});
  EXPECT_EQ(Pass(*filler, {With({Unchanged("b", 3), Sent("n", "new"), Unchanged("c", 9)})}),
            "b=3b,n=3n,c unchanged,");
  EXPECT_EQ(counters_.saved_bytes, 3u);
  filler->Finish();
  EXPECT_EQ(store_.Expect("kind").size(), 2u);  // b and n
}

TEST_F(ArrayFillerTest, ArraysThatTheProcessHasStayAway) {
  Hold({{"a", "aa"}});
  EXPECT_EQ(Pass(*Filler({"a"}), {With({Unchanged("a", 2)})}), "a unchanged,");
  EXPECT_EQ(counters_.saved_bytes, 0u);
}

TEST_F(ArrayFillerTest, LargeArraysFollowInChunksAfterThoseOfUpstream) {
  const std::string large(size_t{5} << 20, 'L');
  const std::string medium(size_t{100} << 10, 'M');
  Hold({{"l", large}, {"m", medium}});
  Message first = With({Unchanged("l", large.size()), Streamed("s", 0, 4), Unchanged("m", 102400)});
  AddChunk(0, 0, "ss", &first);
  Message rest;
  AddChunk(0, 2, "ss", &rest);
  // IDs of later arrays are others than those of upstream.
  Message second = With({Streamed("t", 1, 2), Unchanged("m", 102400)});
  AddChunk(1, 0, "tt", &second);
  EXPECT_EQ(Pass(*Filler(), {first, rest, second, With({Sent("u", "u")})}),
            "l=5242880L,s=4s,m=102400M,t=2t,m=102400M,u=1u,");
}

TEST_F(ArrayFillerTest, MessagesOfManySmallArraysStayBelowTheLimit) {
  Hold({{"k", std::string(60000, 'k')}});
  std::string expected;
  std::vector<v1::PackedValues> arrays;
  for (int i = 0; i < 200; ++i) {
    arrays.push_back(Unchanged("k", 60000));
    expected += "k=60000k,";
  }
  EXPECT_EQ(Pass(*Filler(), {With(arrays)}), expected);
}

TEST_F(ArrayFillerTest, FragmentsAreReadAsOneMessage) {
  Hold({{"a", "aa"}});
  Message large = With({Unchanged("a", 2)});
  large.add_error_paths(std::string(size_t{5} << 20, 'p'));
  MessageFragments fragments;
  ASSERT_TRUE(fragments.Put(*SerializeMessage(large)).ok());
  std::vector<Message> messages;
  while (!fragments.empty()) {
    grpc::ByteBuffer bytes = fragments.Next();
    ASSERT_TRUE(ParseMessage(&bytes, &messages.emplace_back()).ok());
  }
  EXPECT_EQ(Pass(*Filler(), messages), "a=2a,");
}

TEST_F(ArrayFillerTest, MessagesWithoutArraysToPutPassAsTheyAre) {
  const grpc::ByteBuffer bytes = *SerializeMessage(With({Sent("a", "aa")}));
  const auto filled = Filler()->Take(bytes);
  ASSERT_TRUE(filled.ok());
  ASSERT_EQ(filled->size(), 1u);
  grpc::Slice before;
  grpc::Slice after;
  ASSERT_TRUE(bytes.DumpToSingleSlice(&before).ok());
  ASSERT_TRUE(filled->front().DumpToSingleSlice(&after).ok());
  EXPECT_EQ(std::string(before.begin(), before.end()), std::string(after.begin(), after.end()));
}

// Passes one message of a stream of values on, whose array is that of the store.
template <typename T>
T Passed(const T& message, ArrayStore& store, UpstreamCounters& counters) {
  ArrayFiller filler({.response = &T::default_instance(),
                      .kind = "kind",
                      .known = {},
                      .expected = store.Expect("kind")},
                     store, counters);
  auto filled = filler.Take(*SerializeMessage(message));
  EXPECT_TRUE(filled.ok()) << filled.status();
  T passed;
  EXPECT_TRUE(ParseMessage(&filled->front(), &passed).ok());
  return passed;
}

TEST_F(ArrayFillerTest, StatesAreThoseOfValuesThatAreThere) {
  Hold({{"a", "aa"}});
  v1::StreamValuesResponse value;
  value.set_state(v1::ITEM_STATE_UNCHANGED);
  *value.mutable_value()->mutable_array_value() = Unchanged("a", 2);
  EXPECT_EQ(Passed(value, store_, counters_).state(), v1::ITEM_STATE_VALUE);
  v1::SampleValuesResponse samples;
  v1::SampledItem& item = *samples.add_items();
  for (const v1::ItemState state : {v1::ITEM_STATE_UNCHANGED, v1::ITEM_STATE_BLOCKED}) {
    item.add_samples()->set_state(state);
  }
  *item.mutable_samples(0)->mutable_value()->mutable_array_value() = Unchanged("a", 2);
  const v1::SampleValuesResponse passed = Passed(samples, store_, counters_);
  EXPECT_EQ(passed.items(0).samples(0).state(), v1::ITEM_STATE_VALUE);
  EXPECT_EQ(passed.items(0).samples(1).state(), v1::ITEM_STATE_BLOCKED);
}

TEST_F(ArrayFillerTest, ArraysThatTheProcessHasStayUnchanged) {
  Hold({{"a", "aa"}});
  ArrayFiller filler({.response = &v1::StreamValuesResponse::default_instance(),
                      .kind = "kind",
                      .known = {"a"},
                      .expected = store_.Expect("kind")},
                     store_, counters_);
  v1::StreamValuesResponse value;
  value.set_state(v1::ITEM_STATE_UNCHANGED);
  *value.mutable_value()->mutable_array_value() = Unchanged("a", 2);
  auto filled = filler.Take(*SerializeMessage(value));
  ASSERT_TRUE(filled.ok()) << filled.status();
  v1::StreamValuesResponse passed;
  ASSERT_TRUE(ParseMessage(&filled->front(), &passed).ok());
  EXPECT_EQ(passed.state(), v1::ITEM_STATE_UNCHANGED);
}

TEST_F(ArrayFillerTest, InconsistentRepliesAreErrors) {
  Hold({{"a", "aa"}});
  const auto chunk = [](uint32_t id, uint64_t offset, const std::string& data) {
    Message message = With({Streamed("s", 0, 4)});
    AddChunk(id, offset, data, &message);
    return message;
  };
  Message alone;
  AddChunk(0, 0, "x", &alone);
  Message miscounted = With({Streamed("s", 0, 4)});
  miscounted.mutable_stream_parts()->set_array_count(2);
  const std::vector<std::vector<Message>> cases = {
      {With({Unchanged("never sent", 2)})},
      {With({Unchanged("a", 3)})},  // another size
      {With({Streamed("s", 1, 4)})},
      {miscounted},
      {alone},
      {chunk(1, 0, "s")},
      {chunk(0, 1, "s")},
      {chunk(0, 0, "sssss")},
      {With({Streamed("s", 0, 4)}), With({Sent("b", "b")})},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string text = Pass(*Filler(), cases[i]);
    EXPECT_NE(text.find("a reply from upstream is inconsistent"), std::string::npos)
        << "case " << i << ": " << text;
  }
}

}  // namespace
}  // namespace stagedoor::server
