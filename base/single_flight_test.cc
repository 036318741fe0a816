#include "base/single_flight.h"

#include <atomic>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

// Signals when a thread looks up the flight of a key. The look-up holds the lock that a flight
// needs to land, so it finds the flight in progress.
struct TellingHash {
  static inline thread_local std::atomic<bool>* looking = nullptr;
  size_t operator()(const std::string& key) const {
    if (looking != nullptr) *looking = true;
    return std::hash<std::string>()(key);
  }
};
using Flights = SingleFlight<std::string, int, TellingHash>;

// A load on another thread that ends only after Land() is called.
class HeldLoad {
 public:
  HeldLoad(Flights& flights, const std::string& key, absl::StatusOr<int> result)
      : HeldLoad(flights, key, Flights::Loader([result] { return result; })) {}
  HeldLoad(Flights& flights, const std::string& key, const Flights::Loader& end)
      : thread_([this, &flights, key, end] {
          RequestContext context;
          (void)flights.Do(context, key, [this, end] {
            started_ = true;
            while (!land_) std::this_thread::sleep_for(milliseconds(1));
            return end();
          });
        }) {
    while (!started_) std::this_thread::sleep_for(milliseconds(1));
  }
  ~HeldLoad() {
    Land();
    thread_.join();
  }
  void Land() { land_ = true; }

 private:
  std::atomic<bool> started_{false};
  std::atomic<bool> land_{false};
  std::thread thread_;
};

absl::StatusOr<int> Two() { return 2; }

// Returns the result of a call that waits for a held load. The load lands once the call waits.
absl::StatusOr<int> DoTwoWhile(Flights& flights, HeldLoad& held, RequestContext& context) {
  std::atomic<bool> waits{false};
  std::thread landing([&] {
    while (!waits) std::this_thread::sleep_for(milliseconds(1));
    held.Land();
  });
  TellingHash::looking = &waits;
  absl::StatusOr<int> result = flights.Do(context, "k", Two);
  TellingHash::looking = nullptr;
  landing.join();
  return result;
}
absl::StatusOr<int> DoTwoWhile(Flights& flights, HeldLoad& held) {
  RequestContext context;
  return DoTwoWhile(flights, held, context);
}

TEST(SingleFlightTest, WaitersGetTheLoadersResult) {
  Flights flights;
  HeldLoad held(flights, "k", 1);
  EXPECT_EQ(DoTwoWhile(flights, held).value(), 1);
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "k", Two).value(), 2) << "results are not kept";
}

TEST(SingleFlightTest, OtherKeysDoNotWait) {
  Flights flights;
  HeldLoad held(flights, "k", 1);
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "other", Two).value(), 2);
}

TEST(SingleFlightTest, WaitersLeaveAtTheirDeadlineOrWhenCancelled) {
  Flights flights;
  HeldLoad held(flights, "k", 1);
  RequestContext hurried(RequestContext::Clock::now() + milliseconds(10));
  EXPECT_EQ(flights.Do(hurried, "k", Two).status().code(), absl::StatusCode::kDeadlineExceeded);
  RequestContext context;
  std::thread cancelling([&] { context.Cancel(); });
  EXPECT_EQ(flights.Do(context, "k", Two).status().code(), absl::StatusCode::kCancelled);
  cancelling.join();
}

TEST(SingleFlightTest, AWaiterLoadsWhenTheLoaderGaveUp) {
  Flights flights;
  HeldLoad held(flights, "k", CancelledError("client left"));
  EXPECT_EQ(DoTwoWhile(flights, held).value(), 2);
}

TEST(SingleFlightTest, AWaiterThatIsOverAsWellDoesNotLoad) {
  Flights flights;
  RequestContext waiting;
  HeldLoad held(flights, "k", Flights::Loader([&]() -> absl::StatusOr<int> {
                  waiting.Cancel();
                  return CancelledError("both clients left");
                }));
  EXPECT_EQ(DoTwoWhile(flights, held, waiting).status().code(), absl::StatusCode::kCancelled);
}

absl::StatusOr<int> NoMemory() { throw std::bad_alloc(); }

TEST(SingleFlightTest, AFailedAllocationEndsTheRequestThatLoads) {
  Flights flights;
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "k", NoMemory).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(context.failed());
  RequestContext other;
  EXPECT_EQ(*flights.Do(other, "k", Two), 2);
}

TEST(SingleFlightTest, AWaiterLoadsWhenTheLoaderRanOutOfMemory) {
  Flights flights;
  HeldLoad held(flights, "k", Flights::Loader(NoMemory));
  EXPECT_EQ(DoTwoWhile(flights, held).value(), 2);
}

TEST(SingleFlightTest, AnyExceptionEndsTheFlight) {
  Flights flights;
  RequestContext context;
  const auto broken = []() -> absl::StatusOr<int> { throw std::runtime_error("broken"); };
  EXPECT_THROW((void)flights.Do(context, "k", broken), std::runtime_error);
  EXPECT_EQ(*flights.Do(context, "k", Two), 2);
}

TEST(SingleFlightTest, ForgottenLoadsAreNotShared) {
  Flights flights;
  HeldLoad held(flights, "k", 1);
  flights.Forget("k");
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "k", Two).value(), 2);
  HeldLoad other(flights, "k2", 1);
  flights.ForgetAll();
  EXPECT_EQ(flights.Do(context, "k2", Two).value(), 2);
}

TEST(SingleFlightTest, AForgottenLoadDoesNotEndOtherFlights) {
  Flights flights;
  std::optional<HeldLoad> first;
  first.emplace(flights, "k", 1);
  flights.Forget("k");
  HeldLoad second(flights, "k", 2);
  first.reset();
  // This call waits for the second load.
  RequestContext hurried(RequestContext::Clock::now() + milliseconds(1));
  EXPECT_EQ(flights.Do(hurried, "k", [] { return absl::StatusOr<int>(3); }).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  flights.Forget("k");
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "k", [] { return absl::StatusOr<int>(3); }).value(), 3);
}

TEST(SingleFlightTest, ACircularLoadFails) {
  Flights flights;
  RequestContext context;
  const auto result = flights.Do(context, "k", [&] { return flights.Do(context, "k", Two); });
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stagedoor
