#include "server/converters/array_outbox.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/status.h"
#include "scene/values/source_bytes.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "stagedoor/v1/streams.pb.h"

namespace stagedoor::server {
namespace {

Array<double> Count(size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return Array<double>::FromVector(std::move(numbers));
}

// The stream_parts that an outbox writes into an empty message.
absl::StatusOr<v1::StreamParts> Write(ArrayOutbox& outbox) {
  WireWriter message;
  if (absl::Status status = outbox.WriteParts(&message); !status.ok()) return status;
  std::string bytes = message.ToString();
  v1::StreamParts parts;
  if (bytes.empty()) return parts;
  size_t at = 1;
  while ((bytes[at++] & 0x80) != 0) {
  }
  EXPECT_TRUE(parts.ParseFromString(bytes.substr(at)));
  return parts;
}

TEST(ArrayOutboxTest, ArraysThatAreNotSentAreReturned) {
  RequestContext context;
  {
    ArrayOutbox outbox(context, 100);
    uint32_t id = 9;
    ASSERT_TRUE(outbox.Add(Count(10), 80, &id).ok());
    ASSERT_TRUE(outbox.Add(Count(5), 40, &id).ok());
    outbox.Shrink(1);
    EXPECT_EQ(context.reserved_bytes(), 80u);
  }
  EXPECT_EQ(context.reserved_bytes(), 0u);
}

TEST(ArrayOutboxTest, ChunksOfSeveralArraysFillAMessage) {
  RequestContext context;
  ArrayOutbox outbox(context, 100);
  uint32_t a = 9, b = 9;
  ASSERT_TRUE(outbox.Add(Count(10), 80, &a).ok());
  ASSERT_TRUE(outbox.Add(Count(5), 40, &b).ok());
  EXPECT_EQ(a, 0u);
  EXPECT_EQ(b, 1u);
  EXPECT_EQ(outbox.pending_bytes(), 120u);
  EXPECT_EQ(context.reserved_bytes(), 120u);
  const auto first = Write(outbox);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->array_count(), 2u);
  ASSERT_EQ(first->chunks_size(), 2);
  EXPECT_EQ(first->chunks(0).data().size(), 80u);
  EXPECT_EQ(first->chunks(1).array_id(), 1u);
  EXPECT_EQ(first->chunks(1).data().size(), 20u);
  EXPECT_EQ(context.reserved_bytes(), 40u) << "until all of the array is sent";
  const auto second = Write(outbox);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->array_count(), 0u);
  ASSERT_EQ(second->chunks_size(), 1);
  EXPECT_EQ(second->chunks(0).offset(), 20u);
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(context.reserved_bytes(), 0u);
  uint32_t c = 9;
  ASSERT_TRUE(outbox.Add(Count(1), 8, &c).ok());
  EXPECT_EQ(c, 2u);
}

TEST(ArrayOutboxTest, AMessageWithoutRoomAnnouncesOnly) {
  RequestContext context;
  ArrayOutbox outbox(context, 100);
  uint32_t id = 9;
  ASSERT_TRUE(outbox.Add(Count(10), 80, &id).ok());
  WireWriter message;
  message.Bytes(1, std::string(200, 'x'));
  const size_t before = message.size();
  ASSERT_TRUE(outbox.WriteParts(&message).ok());
  EXPECT_LT(message.size(), before + 10);
  EXPECT_EQ(outbox.pending_bytes(), 80u);
  EXPECT_EQ(Write(outbox)->chunks(0).data().size(), 80u);
}

TEST(ArrayOutboxTest, SmallArraysThatHaveRoomBelongIntoTheMessage) {
  RequestContext context;
  ArrayOutbox outbox(context, size_t{1} << 20);
  EXPECT_TRUE(outbox.Inlines(kMaxInlineBytes, 0));
  EXPECT_FALSE(outbox.Inlines(kMaxInlineBytes + 1, 0));
  EXPECT_TRUE(outbox.Inlines(1000, (size_t{1} << 20) - 1000));
  EXPECT_FALSE(outbox.Inlines(1000, (size_t{1} << 20) - 999));
  EXPECT_TRUE(outbox.Inlines(0, size_t{2} << 20)) << "no bytes fit always";
}

TEST(ArrayOutboxTest, DiscardedArraysAreForgotten) {
  RequestContext context;
  ArrayOutbox outbox(context, 100);
  ReplyBudget budget(context, 10000, "ask for less", &outbox);
  v1::PackedValues kept, discarded, next;
  budget.StartItem();
  FillPackedArray(ValueType::kDouble, Count(20), budget, &kept);
  budget.StartItem();
  FillPackedArray(ValueType::kDouble, Count(30), budget, &discarded);
  budget.RestartItem();
  FillPackedArray(ValueType::kDouble, Count(40), budget, &next);
  EXPECT_EQ(kept.streamed().id(), 0u);
  EXPECT_EQ(next.streamed().id(), 1u);
  EXPECT_EQ(next.streamed().total_bytes(), 320u);
  EXPECT_EQ(outbox.pending_bytes(), 480u);
  EXPECT_EQ(Write(outbox)->array_count(), 2u);
}

TEST(ArrayOutboxTest, OneArrayOfAnItemMayBeOfAnySize) {
  RequestContext context;
  ArrayOutbox outbox(context, 100);
  ReplyBudget budget(context, 1000, "ask for less", &outbox);
  v1::PackedValues first, second;
  budget.StartItem();
  FillPackedArray(ValueType::kDouble, Count(1000), budget, &first);
  EXPECT_TRUE(budget.ok()) << budget.status();
  FillPackedArray(ValueType::kDouble, Count(20), budget, &second);
  EXPECT_EQ(GetReason(budget.status()), v1::ERROR_REASON_REQUEST_TOO_LARGE);
  budget.RestartItem();
  FillPackedArray(ValueType::kDouble, Count(50), budget, &first);
  FillPackedArray(ValueType::kDouble, Count(50), budget, &second);
  EXPECT_TRUE(budget.ok()) << budget.status();
}

TEST(ArrayOutboxTest, WhatTheRequestMayNotHoldIsNotTaken) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 1000});
  ArrayOutbox outbox(context, 100);
  uint32_t id = 0;
  EXPECT_EQ(outbox.Add(Count(200), 1600, &id).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(outbox.empty());
  RequestContext same(RequestContext::Clock::time_point::max(), {.max_bytes = 1000});
  ArrayOutbox unreserved(same, 100, /*reserves=*/false);
  EXPECT_TRUE(unreserved.Add(Count(200), 1600, &id).ok());
}

TEST(ArrayOutboxTest, ArraysOfChangedFilesAreNotSent) {
  RequestContext context;
  ArrayOutbox outbox(context, 100);
  bool changed = false;
  const double numbers[] = {1, 2, 3};
  const auto source = MakeRef<SourceBytes>(
      "file", [&] { return changed ? DataLossError("changed") : absl::OkStatus(); }, nullptr,
      nullptr);
  const auto view = Array<double>::View(numbers, 3, source);
  uint32_t id = 0;
  ASSERT_TRUE(outbox.Add(view, 24, &id).ok());
  EXPECT_EQ(context.reserved_bytes(), 0u) << "mapped files take no memory";
  changed = true;
  EXPECT_EQ(Write(outbox).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace stagedoor::server
