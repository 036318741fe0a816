#include "base/single_flight.h"

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using Flights = SingleFlight<std::string, int>;
using std::chrono::milliseconds;

// A load that another thread holds open until told to land.
class HeldLoad {
 public:
  HeldLoad(Flights& flights, const std::string& key, absl::StatusOr<int> result)
      : HeldLoad(flights, key, Flights::Loader([result] { return result; })) {}
  HeldLoad(Flights& flights, const std::string& key, Flights::Loader end)
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

TEST(SingleFlightTest, WaitersGetTheLoadersResult) {
  Flights flights;
  HeldLoad held(flights, "k", 1);
  std::thread landing([&] {
    std::this_thread::sleep_for(milliseconds(20));
    held.Land();
  });
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "k", Two).value(), 1);
  landing.join();
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
  std::thread landing([&] {
    std::this_thread::sleep_for(milliseconds(20));
    held.Land();
  });
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "k", Two).value(), 2);
  landing.join();
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

TEST(SingleFlightTest, AWaiterLoadsWhenTheLoaderHadNoMemory) {
  Flights flights;
  HeldLoad held(flights, "k", Flights::Loader(NoMemory));
  std::thread landing([&] {
    std::this_thread::sleep_for(milliseconds(20));
    held.Land();
  });
  RequestContext context;
  EXPECT_EQ(flights.Do(context, "k", Two).value(), 2);
  landing.join();
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
}

TEST(SingleFlightTest, ALoadThatNeedsItselfFails) {
  Flights flights;
  RequestContext context;
  const auto result = flights.Do(context, "k", [&] { return flights.Do(context, "k", Two); });
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stagedoor
