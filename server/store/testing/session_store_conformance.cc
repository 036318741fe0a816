#include "server/store/testing/session_store_conformance.h"

#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {

using namespace std::chrono_literals;

namespace {

constexpr SessionStore::Ttl kLong = 1h;
constexpr SessionStore::Ttl kShort = 60ms;
constexpr SessionStore::Ttl kLongerThanShort = 150ms;

testing::AssertionResult IsOk(const absl::Status& status) {
  return status.ok() ? testing::AssertionSuccess() : testing::AssertionFailure() << status;
}

template <typename T>
testing::AssertionResult IsOk(const absl::StatusOr<T>& result) {
  return IsOk(result.status());
}

// Collects what a listener hears.
class Heard {
 public:
  SessionStore::Listener listener() {
    return [this](std::optional<std::string_view> session) {
      MutexLock lock(mu_);
      heard_.emplace_back(session.has_value() ? std::string(*session) : "(anything)");
      changed_.NotifyAll();
    };
  }
  // Waits for the next one that is not to be skipped.
  std::string Next(std::string_view skip = {}) {
    MutexLock lock(mu_);
    for (;;) {
      while (heard_.empty()) changed_.Wait(mu_);
      std::string next = heard_.front();
      heard_.pop_front();
      if (next != skip) return next;
    }
  }
  bool empty() {
    MutexLock lock(mu_);
    return heard_.empty();
  }

 private:
  Mutex mu_;
  CondVar changed_;
  std::deque<std::string> heard_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

void SessionStoreConformance::Create(std::string_view session, std::string_view state) {
  const auto written = store_->WriteSession(context_, {.session = session,
                                                       .revision = 0,
                                                       .record = "r1",
                                                       .state = state,
                                                       .state_record = "first",
                                                       .ttl = kLong});
  ASSERT_TRUE(IsOk(written));
  ASSERT_TRUE(*written);
}

void SessionStoreConformance::Use(const std::vector<SessionStore::Use>& uses,
                                  SessionStore::Ttl slot) {
  EXPECT_TRUE(IsOk(store_->RecordUses(context_, uses, slot)));
}

std::vector<std::string> SessionStoreConformance::Hottest(size_t count, SessionStore::Ttl slot) {
  auto found = other_->HottestRecipes(context_, count, slot);
  EXPECT_TRUE(IsOk(found));
  return found.ok() ? *std::move(found) : std::vector<std::string>();
}

bool SessionStoreConformance::HasSession(std::string_view session) {
  const auto found = other_->FindSession(context_, session);
  EXPECT_TRUE(IsOk(found));
  return found.ok() && found->has_value();
}

bool SessionStoreConformance::HasState(std::string_view session, std::string_view state) {
  const auto found = other_->FindState(context_, session, state);
  EXPECT_TRUE(IsOk(found));
  return found.ok() && found->has_value();
}

bool SessionStoreConformance::HasLease(std::string_view lease) {
  const auto found = other_->FindLease(context_, lease);
  EXPECT_TRUE(IsOk(found));
  return found.ok() && found->has_value();
}

TEST_P(SessionStoreConformance, NothingIsFoundAtFirst) {
  EXPECT_FALSE(HasSession("a"));
  EXPECT_FALSE(HasState("a", "s1"));
  EXPECT_FALSE(HasLease("l"));
}

TEST_P(SessionStoreConformance, ASessionIsCreatedOnce) {
  Create("a");
  const auto again =
      other_->WriteSession(context_, {.session = "a", .revision = 0, .record = "x", .ttl = kLong});
  ASSERT_TRUE(IsOk(again));
  EXPECT_FALSE(*again);
  const auto found = other_->FindSession(context_, "a");
  ASSERT_TRUE(IsOk(found));
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->record, "r1");
  EXPECT_EQ((*found)->revision, 1u);
  const auto state = other_->FindState(context_, "a", "s1");
  ASSERT_TRUE(IsOk(state));
  EXPECT_EQ(*state, "first");
}

TEST_P(SessionStoreConformance, AWriteNeedsTheRevisionThatTheSessionHas) {
  Create("a");
  SessionStore::Update update{.session = "a",
                              .revision = 1,
                              .record = "r2",
                              .state = "s2",
                              .state_record = "second",
                              .ttl = kLong};
  EXPECT_EQ(*other_->WriteSession(context_, update), true);
  update.record = "r3";
  update.state = "s3";
  EXPECT_EQ(*store_->WriteSession(context_, update), false);
  EXPECT_FALSE(HasState("a", "s3"));  // neither of both
  EXPECT_TRUE(HasState("a", "s1"));   // states that were replaced remain
  EXPECT_EQ(*store_->FindState(context_, "a", "s2"), "second");
  const auto found = store_->FindSession(context_, "a");
  EXPECT_EQ((*found)->record, "r2");
  EXPECT_EQ((*found)->revision, 2u);
}

TEST_P(SessionStoreConformance, AMissingSessionHasNoRevision) {
  EXPECT_EQ(
      *store_->WriteSession(context_, {.session = "a", .revision = 3, .record = "r", .ttl = kLong}),
      false);
  EXPECT_FALSE(HasSession("a"));
}

TEST_P(SessionStoreConformance, RecordsAndIdsMayHaveAnyBytes) {
  const std::string id("a\0 {*}\r\n$\xff:", 11);
  std::string record(100000, '\0');
  for (size_t i = 0; i < record.size(); ++i) record[i] = static_cast<char>(i * 31);
  ASSERT_TRUE(IsOk(store_->WriteSession(context_, {.session = id,
                                                   .revision = 0,
                                                   .record = record,
                                                   .state = id,
                                                   .state_record = record,
                                                   .ttl = kLong})));
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, id, id, record, kLong)));
  EXPECT_EQ((*other_->FindSession(context_, id))->record, record);
  EXPECT_EQ(*other_->FindState(context_, id, id), record);
  EXPECT_EQ(*other_->FindLease(context_, id), record);
}

TEST_P(SessionStoreConformance, IdsAreNotMixedUp) {
  Create("a:b", "c");
  EXPECT_FALSE(HasState("a", "b:c"));
  EXPECT_FALSE(HasSession("a"));
}

TEST_P(SessionStoreConformance, ASessionEndsWithItsLastLease) {
  Create("a");
  Create("b");
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "a", "l1", "one", kLong)));
  ASSERT_TRUE(IsOk(other_->WriteLease(context_, "a", "l2", "two", kLong)));
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "b", "l3", "three", kLong)));
  ASSERT_TRUE(IsOk(other_->RemoveLease(context_, "a", "l1")));
  EXPECT_FALSE(HasLease("l1"));
  EXPECT_EQ(*other_->FindLease(context_, "l2"), "two");
  EXPECT_TRUE(HasSession("a"));
  ASSERT_TRUE(IsOk(store_->RemoveLease(context_, "a", "l2")));
  EXPECT_FALSE(HasLease("l2"));
  EXPECT_FALSE(HasSession("a"));
  EXPECT_FALSE(HasState("a", "s1"));
  EXPECT_TRUE(HasSession("b"));
  EXPECT_TRUE(HasLease("l3"));
  ASSERT_TRUE(IsOk(store_->RemoveLease(context_, "a", "l2")));  // no error, no effect
}

TEST_P(SessionStoreConformance, ExpiredLeasesHoldNothing) {
  Create("a");
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "a", "l1", "one", kShort)));
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "a", "l2", "two", kLong)));
  backend_->PassTime(kLongerThanShort);
  EXPECT_FALSE(HasLease("l1"));
  EXPECT_TRUE(HasSession("a"));
  ASSERT_TRUE(IsOk(store_->RemoveLease(context_, "a", "l2")));
  EXPECT_FALSE(HasSession("a"));
}

TEST_P(SessionStoreConformance, RecordsExpire) {
  ASSERT_TRUE(IsOk(store_->WriteSession(context_, {.session = "a",
                                                   .revision = 0,
                                                   .record = "r",
                                                   .state = "s",
                                                   .state_record = "x",
                                                   .ttl = kShort})));
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "a", "l", "one", kShort)));
  backend_->PassTime(kLongerThanShort);
  EXPECT_FALSE(HasSession("a"));
  EXPECT_FALSE(HasState("a", "s"));
  EXPECT_FALSE(HasLease("l"));
}

TEST_P(SessionStoreConformance, RenewedRecordsRemain) {
  for (const std::string id : {"a", "b"}) {
    ASSERT_TRUE(IsOk(store_->WriteSession(context_, {.session = id,
                                                     .revision = 0,
                                                     .record = "r",
                                                     .state = "s",
                                                     .state_record = "x",
                                                     .ttl = 3s})));
    ASSERT_TRUE(IsOk(store_->WriteLease(context_, id, "lease " + id, "one", 3s)));
  }
  const std::vector<SessionStore::Renewal> renewals = {
      {.session = "a", .state = "s", .lease = "lease a", .ttl = kLong},
      {.session = "missing", .state = "s", .lease = "missing", .ttl = kLong}};
  ASSERT_TRUE(IsOk(other_->Renew(context_, renewals)));
  ASSERT_TRUE(IsOk(other_->Renew(context_, {})));
  backend_->PassTime(3500ms);
  EXPECT_TRUE(HasSession("a"));
  EXPECT_TRUE(HasState("a", "s"));
  EXPECT_TRUE(HasLease("lease a"));
  EXPECT_FALSE(HasSession("b"));
  EXPECT_FALSE(HasSession("missing"));
  EXPECT_FALSE(HasLease("missing"));
  // The renewed lease still counts.
  ASSERT_TRUE(IsOk(other_->RemoveLease(context_, "a", "lease a")));
  EXPECT_FALSE(HasSession("a"));
}

TEST_P(SessionStoreConformance, RenewingNeverShortens) {
  Create("a");
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "a", "l", "one", kLong)));
  const std::vector<SessionStore::Renewal> renewals = {
      {.session = "a", .state = "s1", .lease = "l", .ttl = kShort}};
  ASSERT_TRUE(IsOk(store_->Renew(context_, renewals)));
  backend_->PassTime(kLongerThanShort);
  EXPECT_TRUE(HasSession("a"));
  EXPECT_TRUE(HasState("a", "s1"));
  EXPECT_TRUE(HasLease("l"));
}

TEST_P(SessionStoreConformance, TheHottestRecipesComeFirst) {
  EXPECT_EQ(Hottest(5, kLong), std::vector<std::string>());
  Use({{"a", "A", 2}, {"b", "B", 5}, {"c", "C", 3}}, kLong);
  EXPECT_EQ(Hottest(5, kLong), (std::vector<std::string>{"B", "C", "A"}));
  EXPECT_EQ(Hottest(2, kLong), (std::vector<std::string>{"B", "C"}));
  EXPECT_EQ(Hottest(0, kLong), std::vector<std::string>());
}

TEST_P(SessionStoreConformance, UsesOfARecipeAreAddedUp) {
  Use({{"a", "A", 2}, {"b", "B", 3}, {"a", "A", 2}}, kLong);
  EXPECT_EQ(Hottest(5, kLong), (std::vector<std::string>{"A", "B"}));
  const std::vector<SessionStore::Use> more = {{"b", "B", 4000000000}, {"c", "C", 4}};
  ASSERT_TRUE(IsOk(other_->RecordUses(context_, more, kLong)));
  Use({{"c", "C", 4000000000}}, kLong);
  EXPECT_EQ(Hottest(5, kLong), (std::vector<std::string>{"C", "B", "A"}));
}

TEST_P(SessionStoreConformance, RecipesMayHaveAnyBytes) {
  const std::string id("a\0 {*}\r\n$\xff:", 11);
  std::string record(100000, '\0');
  for (size_t i = 0; i < record.size(); ++i) record[i] = static_cast<char>(i * 31);
  Use({{id, record, 1}}, kLong);
  EXPECT_EQ(Hottest(1, kLong), std::vector<std::string>{record});
}

TEST_P(SessionStoreConformance, RecipesAreNoSessionsOrLeases) {
  Use({{"a", "A", 1}}, kLong);
  EXPECT_FALSE(HasSession("a"));
  EXPECT_FALSE(HasLease("a"));
  Create("a");
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "a", "l", "one", kLong)));
  ASSERT_TRUE(IsOk(store_->RemoveLease(context_, "a", "l")));
  EXPECT_EQ(Hottest(5, kLong), std::vector<std::string>{"A"});
}

TEST_P(SessionStoreConformance, TheLeastUsedRecipesAreDropped) {
  std::vector<SessionStore::Use> uses;
  for (size_t i = 0; i < SessionStore::kMaxRecipes; ++i) {
    uses.push_back({Concat("r", i), Concat("R", i), static_cast<uint32_t>(10 + i)});
  }
  uses.push_back({"cold", "COLD", 9});
  uses.push_back({"hot", "HOT", 1000});
  Use(uses, kLong);
  const std::vector<std::string> hottest = Hottest(SessionStore::kMaxRecipes + 10, kLong);
  ASSERT_EQ(hottest.size(), SessionStore::kMaxRecipes);
  EXPECT_EQ(hottest.front(), "HOT");
  EXPECT_EQ(hottest.back(), "R1");  // not R0, nor COLD
}

TEST_P(SessionStoreConformance, OldUsesAreForgotten) {
  Use({{"a", "A", 1}}, kShort);
  backend_->PassTime(3 * kShort);
  EXPECT_EQ(Hottest(5, kShort), std::vector<std::string>());
}

TEST_P(SessionStoreConformance, TheSlotBeforeCountsAsWell) {
  constexpr SessionStore::Ttl kSlot = 500ms;
  const std::vector<std::string> expected = {"B", "A", "C"};
  std::vector<std::string> hottest;
  // Repeated if the machine was so slow that more than one slot has passed.
  for (int i = 0; i < 20 && hottest != expected; ++i) {
    backend_->PassTime(3 * kSlot);
    Use({{"a", "A", 4}, {"b", "B", 3}}, kSlot);
    backend_->PassTime(kSlot);  // so that another slot begins
    Use({{"b", "B", 2}, {"c", "C", 3}}, kSlot);
    hottest = Hottest(5, kSlot);
  }
  EXPECT_EQ(hottest, expected);
}

TEST_P(SessionStoreConformance, OthersHearOfWrites) {
  Heard heard, own;
  other_->SetListener(heard.listener());
  store_->SetListener(own.listener());
  Create("a");
  EXPECT_EQ(heard.Next("(anything)"), "a");
  ASSERT_TRUE(*other_->WriteSession(context_,
                                    {.session = "a", .revision = 1, .record = "r", .ttl = kLong}));
  ASSERT_TRUE(*store_->WriteSession(context_,
                                    {.session = "b", .revision = 0, .record = "r", .ttl = kLong}));
  EXPECT_EQ(heard.Next("(anything)"), "b");  // not "a" again, which it wrote itself
  EXPECT_EQ(own.Next("(anything)"), "a");
  other_->SetListener(nullptr);
  store_->SetListener(nullptr);
}

TEST_P(SessionStoreConformance, WritersOfOneRevisionDoNotOverwriteEachOther) {
  Create("a");
  constexpr int kThreads = 4, kWrites = 25;
  std::atomic<int> conflicts{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      SessionStore& store = i % 2 == 0 ? *store_ : *other_;
      RequestContext context;
      for (int done = 0; done < kWrites;) {
        const auto found = store.FindSession(context, "a");
        ASSERT_TRUE(IsOk(found));
        const std::string longer = (*found)->record + "+";
        const auto written = store.WriteSession(
            context,
            {.session = "a", .revision = (*found)->revision, .record = longer, .ttl = kLong});
        ASSERT_TRUE(IsOk(written));
        *written ? ++done : ++conflicts;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto found = store_->FindSession(context_, "a");
  EXPECT_EQ((*found)->record, "r1" + std::string(kThreads * kWrites, '+'));
  EXPECT_EQ((*found)->revision, 1u + kThreads * kWrites);
}

TEST_P(SessionStoreConformance, AnOutageIsAnErrorAndLosesNothing) {
  Create("a");
  ASSERT_TRUE(IsOk(store_->WriteLease(context_, "a", "l", "one", kLong)));
  Heard heard;
  other_->SetListener(heard.listener());
  backend_->SetReachable(false);
  const auto session = store_->FindSession(context_, "a");
  EXPECT_EQ(session.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(GetReason(session.status()), v1::ERROR_REASON_STORE_UNAVAILABLE);
  for (const absl::Status& status :
       {store_->FindState(context_, "a", "s1").status(), store_->FindLease(context_, "l").status(),
        store_->WriteSession(context_, {.session = "a", .revision = 1, .record = "x", .ttl = kLong})
            .status(),
        store_->WriteLease(context_, "a", "l2", "two", kLong),
        store_->RemoveLease(context_, "a", "l"),
        store_->Renew(context_, std::vector<SessionStore::Renewal>{{"a", "s1", "l", kLong}}),
        store_->RecordUses(context_, std::vector<SessionStore::Use>{{"r", "x", 1}}, kLong),
        store_->HottestRecipes(context_, 1, kLong).status()}) {
    EXPECT_EQ(GetReason(status), v1::ERROR_REASON_STORE_UNAVAILABLE) << status;
  }
  backend_->SetReachable(true);
  EXPECT_EQ(heard.Next(), "(anything)");
  EXPECT_EQ((*store_->FindSession(context_, "a"))->record, "r1");
  EXPECT_TRUE(HasLease("l"));
  EXPECT_FALSE(HasLease("l2"));
  other_->SetListener(nullptr);
}

TEST_P(SessionStoreConformance, TheContextEndsACall) {
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_EQ(store_->FindSession(cancelled, "a").status().code(), absl::StatusCode::kCancelled);
  RequestContext late(RequestContext::Clock::now() - 1s);
  EXPECT_EQ(store_->FindLease(late, "l").status().code(), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace stagedoor::server
