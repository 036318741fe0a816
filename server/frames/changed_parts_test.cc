#include "server/frames/changed_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/request_context.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {
namespace {

constexpr size_t kPlenty = size_t{1} << 20;

// Two objects with a part each, and a header.
struct Parts {
  std::string first = "1";
  std::string second = "2";
  std::string header = "h";
};

class ChangedPartsTest : public ::testing::Test {
 protected:
  static FramePartId PartOf(FrameId object) {
    return {.object = object,
            .kind = object == 0 ? FramePartKind::kCamera : FramePartKind::kSubset};
  }
  static bool Wants(ChangedParts& filter, FrameId object, const std::string& text) {
    RequestContext context;
    v1::FrameSubset message;
    message.set_path(text);
    const auto wanted = filter.Wants(context, FramePart(PartOf(object), message));
    EXPECT_TRUE(wanted.ok()) << wanted.status();
    return wanted.ok() && *wanted;
  }

  // Sends a frame to a client that holds another one, and returns which of its parts are sent.
  std::string Send(const Parts& parts, const FrameMemory::Pointer& held,
                   const FrameMemory::Pointer& base = nullptr) {
    FrameDigestsBuilder digests(context_, base, kPlenty);
    ChangedParts filter(context_, memory_, held, digests);
    std::string sent;
    if (Wants(filter, 0, parts.header)) sent += 'h';
    filter.AddObject(1);
    if (Wants(filter, 1, parts.first)) sent += '1';
    if (!parts.second.empty()) {
      filter.AddObject(2);
      if (Wants(filter, 2, parts.second)) sent += '2';
    }
    const auto gone = filter.ObjectsGone(context_);
    EXPECT_TRUE(gone.ok()) << gone.status();
    for (const FrameId object : *gone) sent += "-" + std::to_string(object);
    made_ = *digests.Finish(context_, nullptr);
    return sent;
  }

  RequestContext context_;
  FrameMemory memory_{nullptr, FrameMemory::Options()};
  FrameMemory::Pointer made_;  // of the latest frame
};

TEST_F(ChangedPartsTest, WithoutWhatIsHeldEverythingIsSent) { EXPECT_EQ(Send({}, nullptr), "h12"); }

TEST_F(ChangedPartsTest, PartsThatAreHeldAreNotSent) {
  Send({}, nullptr);
  EXPECT_EQ(Send({}, made_), "");
  EXPECT_EQ(Send({.second = "two"}, made_), "2");
  EXPECT_EQ(Send({.second = "two", .header = "H"}, made_), "h");
  EXPECT_EQ(Send({}, made_), "h2") << "the parts of before count no more";
}

TEST_F(ChangedPartsTest, ObjectsThatAreNotInTheFrameAreGone) {
  Send({}, nullptr);
  EXPECT_EQ(Send({.second = ""}, made_), "-2");
  EXPECT_EQ(Send({.second = ""}, made_), "");
  EXPECT_EQ(Send({}, made_), "2") << "it is new again";
}

// As in a frame of the same snapshot.
TEST_F(ChangedPartsTest, WhatIsSentIsAddedToWhatIsHeld) {
  Send({}, nullptr);
  FrameDigestsBuilder digests(context_, made_, kPlenty);
  ChangedParts filter(context_, memory_, nullptr, digests);
  EXPECT_TRUE(Wants(filter, 1, "one"));
  const FrameMemory::Pointer held = *digests.Finish(context_, nullptr);
  EXPECT_EQ(Send({.first = "one"}, held), "");
  EXPECT_EQ(Send({}, held), "1");
}

TEST_F(ChangedPartsTest, WhatIsRemovedOrForgottenIsSentAgain) {
  Send({}, nullptr);
  FrameDigestsBuilder digests(context_, made_, kPlenty);
  ChangedParts filter(context_, memory_, nullptr, digests);
  filter.RemoveObject(2);
  filter.Forget(PartOf(1));
  const FrameMemory::Pointer held = *digests.Finish(context_, nullptr);
  EXPECT_EQ(Send({}, held), "12");
  EXPECT_EQ(Send({.second = ""}, held), "1") << "2 is gone already";
}

TEST_F(ChangedPartsTest, ObjectsAreReservedUntilTheFrameIsSent) {
  Send({}, nullptr);
  {
    FrameDigestsBuilder digests(context_, nullptr, /*max_bytes=*/0);
    ChangedParts filter(context_, memory_, made_, digests);
    for (FrameId object = 1; object < 10000; ++object) filter.AddObject(object);
    EXPECT_GE(context_.reserved_bytes(), 10000 * sizeof(FrameId));
  }
  EXPECT_EQ(context_.reserved_bytes(), 0u);
}

}  // namespace
}  // namespace stagedoor::server
