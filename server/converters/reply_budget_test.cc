#include "server/converters/reply_budget.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "server/error_info.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kAdvice = "ask for less";

TEST(ReplyBudgetTest, AllBytesCanBeChargedAndNoMore) {
  RequestContext context;
  ReplyBudget budget(context, 1000, kAdvice);
  EXPECT_TRUE(budget.Charge(999));
  EXPECT_TRUE(budget.Charge(1));
  EXPECT_TRUE(budget.Charge(0));
  EXPECT_FALSE(budget.Charge(1));
  EXPECT_EQ(budget.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(budget.status()), v1::ERROR_REASON_REQUEST_TOO_LARGE);
  EXPECT_NE(budget.status().ToString().find("exceed 1000 bytes; ask for less"), std::string::npos);
  EXPECT_TRUE(context.Check().ok()) << "only this reply is over";
}

TEST(ReplyBudgetTest, AllChargesFailAfterTheFirstFailure) {
  RequestContext context;
  ReplyBudget budget(context, 1000, kAdvice);
  EXPECT_FALSE(budget.Charge(1001));
  EXPECT_FALSE(budget.Charge(1));
  EXPECT_FALSE(budget.Charge(0));
  EXPECT_EQ(budget.Text("x"), "");
}

TEST(ReplyBudgetTest, ChargesAreReservedInTheContext) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 300000});
  ReplyBudget budget(context, 1 << 20, kAdvice);
  EXPECT_TRUE(budget.Charge(200000));
  EXPECT_GE(context.reserved_bytes(), 200000u);
  EXPECT_FALSE(budget.Charge(200000));
  EXPECT_FALSE(context.Check().ok()) << "the whole request is over";
  EXPECT_EQ(budget.status(), context.Check());
}

TEST(ReplyBudgetTest, SmallChargesObserveTheContext) {
  RequestContext context;
  ReplyBudget budget(context, size_t{1} << 40, kAdvice);
  ASSERT_TRUE(budget.Charge(1));
  context.Cancel();
  int64_t charges = 0;
  while (budget.Charge(0)) ASSERT_LE(++charges, Pacer::kStride);
  EXPECT_EQ(budget.status().code(), absl::StatusCode::kCancelled);
}

TEST(ReplyBudgetTest, TextIsChargedAsItIsSent) {
  RequestContext context;
  ReplyBudget budget(context, 7, kAdvice);
  EXPECT_EQ(budget.Text("abc"), "abc");
  EXPECT_EQ(budget.Text("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(budget.message_bytes(), 6u);
  EXPECT_EQ(budget.Text("\xff"), "") << "three bytes on the wire";
  EXPECT_FALSE(budget.ok());
}

TEST(ReplyBudgetTest, EachMessageAndItemStartsAgain) {
  RequestContext context;
  ReplyBudget budget(context, 100000, kAdvice);
  EXPECT_TRUE(budget.Charge(90000));
  EXPECT_FALSE(budget.Charge(90000));
  budget.StartItem();
  EXPECT_TRUE(budget.Charge(90000));
  EXPECT_GE(budget.message_bytes(), 180000u);
  budget.StartMessage();
  EXPECT_EQ(budget.message_bytes(), 0u);
  EXPECT_EQ(context.reserved_bytes(), 0u) << "the message was sent";
  EXPECT_TRUE(budget.Charge(90000));
}

TEST(ReplyBudgetTest, RolledBackChargesAreNotCounted) {
  RequestContext context;
  ReplyBudget budget(context, 1000, kAdvice);
  ASSERT_TRUE(budget.Charge(300));
  const size_t before = budget.message_bytes();
  for (int attempt = 0; attempt < 10; ++attempt) {
    budget.RollBackTo(before);
    EXPECT_TRUE(budget.Charge(700)) << attempt;
  }
  EXPECT_EQ(budget.message_bytes(), 1000u);
  EXPECT_FALSE(budget.Charge(1));
  budget.RollBackTo(before);
  EXPECT_FALSE(budget.Charge(1)) << "no effect after a failed charge";
}

TEST(ReplyBudgetTest, ElementsAndErrorsAreCharged) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, kAdvice);
  google::protobuf::RepeatedPtrField<v1::Value> values;
  budget.Add(&values);
  EXPECT_GE(budget.message_bytes(), sizeof(v1::Value));
  const size_t before = budget.message_bytes();
  v1::ItemStatus error;
  budget.FillError(absl::NotFoundError(std::string(500, 'x')), 3, &error);
  EXPECT_GE(budget.message_bytes() - before, error.ByteSizeLong());
  EXPECT_EQ(error.item(), 3u);
}

TEST(ReplyBudgetTest, AnErrorIsChargedWithItsMessage) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, kAdvice);
  v1::ItemStatus error;
  budget.FillError(absl::NotFoundError(std::string(500, 'x')), 3, &error);
  EXPECT_EQ(budget.message_bytes(), sizeof(v1::ItemStatus) + 64 + 500);
  ReplyBudget small(context, sizeof(v1::ItemStatus) + 64 + 499, kAdvice);
  v1::ItemStatus none;
  small.FillError(absl::NotFoundError(std::string(500, 'x')), 3, &none);
  EXPECT_EQ(none.ByteSizeLong(), 0u);
  EXPECT_FALSE(small.ok());
}

TEST(ReplyBudgetTest, TextsAreChargedWithTheirElements) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, kAdvice);
  google::protobuf::RepeatedPtrField<std::string> texts;
  budget.AddText("abc", &texts);
  EXPECT_EQ(budget.message_bytes(), sizeof(std::string) + sizeof(void*) + 3);
  ASSERT_EQ(texts.size(), 1);
  EXPECT_EQ(texts[0], "abc");
  ReplyBudget none(context, sizeof(std::string), kAdvice);
  none.AddText("", &texts);
  EXPECT_EQ(texts.size(), 1);
}

TEST(ReplyBudgetTest, ReservesSlabsOf64Kibibytes) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, kAdvice);
  EXPECT_TRUE(budget.Charge(1));
  EXPECT_EQ(context.reserved_bytes(), 64u << 10);
  EXPECT_TRUE(budget.Charge((64 << 10) - 2));
  EXPECT_EQ(context.reserved_bytes(), 64u << 10);
  EXPECT_TRUE(budget.Charge(100000));
  EXPECT_EQ(context.reserved_bytes(), (64u << 10) - 1 + 100000);
  EXPECT_EQ(budget.message_bytes(), (64u << 10) - 1 + 100000);
  budget.StartMessage();
  EXPECT_EQ(context.reserved_bytes(), 0u);
  RequestContext other;
  ReplyBudget small(other, 1000, kAdvice);
  EXPECT_TRUE(small.Charge(1));
  EXPECT_EQ(other.reserved_bytes(), 1000u) << "no more than the reply may have";
}

TEST(ReplyBudgetTest, ReportsAnItemThatIsTooLarge) {
  RequestContext context;
  ReplyBudget budget(context, 1000, kAdvice);
  struct Item {
    std::string content;
    v1::ItemStatus error;
    v1::ItemStatus* mutable_error() { return &error; }
    void Swap(Item* other) { std::swap(*this, *other); }
  };
  Item item{"content", {}};
  EXPECT_TRUE(ReportIfTooLarge(budget, 5, &item).ok());
  EXPECT_EQ(item.content, "content");
  EXPECT_FALSE(budget.Charge(1001));
  EXPECT_TRUE(ReportIfTooLarge(budget, 5, &item).ok());
  EXPECT_EQ(item.content, "");
  EXPECT_EQ(item.error.item(), 5u);
  EXPECT_EQ(item.error.code(), 8);
  EXPECT_TRUE(budget.ok()) << "the next one may fit";
}

TEST(ReplyBudgetTest, ItemsFailOnceTheRequestIsOver) {
  RequestContext context;
  ReplyBudget budget(context, 1000, kAdvice);
  EXPECT_FALSE(budget.Charge(1001));
  context.Cancel();
  struct Item {
    v1::ItemStatus error;
    v1::ItemStatus* mutable_error() { return &error; }
    void Swap(Item* other) { std::swap(*this, *other); }
  };
  Item item;
  EXPECT_EQ(ReportIfTooLarge(budget, 5, &item).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(item.error.code(), 0);
}

}  // namespace
}  // namespace stagedoor::server
