// Calls over a real gRPC server, with handlers that misbehave in the ways handlers may.
#include "server/rpc/rpc_service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/lane_executor.h"
#include "base/status.h"
#include "base/time_slice.h"
#include "server/rpc/testing/rpc_service_fixture.h"
#include "server/testing/status_details.h"

namespace stagedoor::server {
namespace {

using google::rpc::ErrorInfo;
using std::chrono::seconds;

// An endless stream of messages of `bytes` each. Counts the streams that are alive.
class Endless final : public ResponseStream<ErrorInfo> {
 public:
  Endless(size_t bytes, std::atomic<int>* living) : bytes_(bytes), living_(living) { ++*living_; }
  ~Endless() override { --*living_; }

  absl::StatusOr<bool> Next(RequestContext&, ErrorInfo* out) override {
    out->set_reason(std::string(bytes_, 'x'));
    return true;
  }

 private:
  const size_t bytes_;
  std::atomic<int>* const living_;
};

// Sends a message, then waits for others.
class Waiting final : public ResponseStream<ErrorInfo> {
 public:
  // A condition that a stream waits for. Thread-safe.
  struct Event {
    std::mutex mu;
    bool happened = false;
    std::function<void()> wake;

    void Happen() {
      std::function<void()> call;
      {
        const std::lock_guard lock(mu);
        happened = true;
        call = wake;
      }
      if (call) call();
    }
  };

  Waiting(std::shared_ptr<Event> event, std::atomic<int>* living)
      : event_(std::move(event)), living_(living) {
    ++*living_;
  }
  ~Waiting() override { --*living_; }

  absl::StatusOr<bool> Next(RequestContext&, ErrorInfo* out) override {
    const std::lock_guard lock(event_->mu);
    event_->happened = false;
    out->set_reason("message");
    return true;
  }
  bool MayWait() const override { return true; }
  bool WaitForMore(const std::function<void()>& wake) override {
    const std::lock_guard lock(event_->mu);
    event_->wake = wake;
    return !event_->happened;
  }

 private:
  const std::shared_ptr<Event> event_;
  std::atomic<int>* const living_;
};

// Waits until the number of suspended calls is `count`.
void AwaitSuspended(const CallAdmission& admission, size_t count) {
  while (admission.suspended().size() != count) std::this_thread::yield();
}

TEST_F(RpcServiceTest, AStreamWaitsWithoutAThreadOrAPlaceInFlight) {
  const auto event = std::make_shared<Waiting::Event>();
  std::atomic<int> living{0};
  stream_ = [&](RequestContext&, const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    return std::make_unique<Waiting>(event, &living);
  };
  grpc::ClientContext context;
  const auto reader = Read(&context);
  ErrorInfo message;
  ASSERT_TRUE(reader->Read(&message));
  for (int i = 0; i < 10; ++i) {
    AwaitSuspended(admission_, 1);
    while (admission_.calls_in_flight() != 0) std::this_thread::yield();
    EXPECT_TRUE(Call().ok()) << "the only thread is free";
    event->Happen();
    ASSERT_TRUE(reader->Read(&message));
  }
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  AwaitSuspended(admission_, 0);
  while (living != 0) std::this_thread::yield();
  event->Happen();  // nobody waits any more
}

TEST_F(RpcServiceTest, WaitingStreamsEndWhenTheServerDrains) {
  const auto event = std::make_shared<Waiting::Event>();
  std::atomic<int> living{0};
  stream_ = [&](RequestContext&, const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    return std::make_unique<Waiting>(event, &living);
  };
  grpc::ClientContext context, late;
  const auto reader = Read(&context);
  ErrorInfo message;
  ASSERT_TRUE(reader->Read(&message));
  AwaitSuspended(admission_, 1);
  admission_.suspended().Drain();
  EXPECT_FALSE(reader->Read(&message));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  // One that begins to wait afterwards ends as well.
  const auto other = Read(&late);
  ASSERT_TRUE(other->Read(&message));
  EXPECT_FALSE(other->Read(&message));
  EXPECT_EQ(other->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  while (living != 0) std::this_thread::yield();
}

TEST_F(RpcServiceTest, AMalformedRequestIsRejectedWithAReason) {
  const grpc::Slice garbage(std::string("\xff\xff\xff\xff not a message"));
  const grpc::ByteBuffer bytes(&garbage, 1);
  for (const char* method : {kUnary, kLight}) {
    const grpc::Status status = Call(method, bytes);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(status.error_message().find("google.rpc.ErrorInfo"), std::string::npos);
    EXPECT_EQ(DetailOf<ErrorInfo>(status).reason(), "UNDECODABLE");
  }
  EXPECT_TRUE(Call(kLight).ok());
}

TEST_F(RpcServiceTest, GrpcThreadsHaveAShortTimeSlice) {
  bool supported = false;
  std::thread([&] { supported = SetTimeSlice(kShortestTimeSlice); }).join();
  if (!supported) GTEST_SKIP() << "the kernel does not support custom time slices";
  std::thread::id thread;
  std::chrono::nanoseconds slice{0};
  unary_ = [&](RequestContext&, const ErrorInfo&, ErrorInfo*) {
    thread = std::this_thread::get_id();
    slice = GetTimeSlice();
    return absl::OkStatus();
  };
  ASSERT_TRUE(Call(kUnary).ok());
  const std::thread::id short_lane = thread;
  ASSERT_TRUE(Call(kLight).ok());
  EXPECT_NE(thread, short_lane);
  EXPECT_EQ(slice, kShortestTimeSlice);
}

TEST_F(RpcServiceTest, AFailedAllocationEndsThatCallOnly) {
  unary_ = [](RequestContext&, const ErrorInfo& in, ErrorInfo*) -> absl::Status {
    if (in.reason().empty()) return absl::OkStatus();
    throw std::bad_alloc();
  };
  ErrorInfo greedy;
  greedy.set_reason("greedy");
  for (const char* method : {kUnary, kLight}) {
    const grpc::Status status = Call(method, greedy);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(DetailOf<ErrorInfo>(status).reason(), "BUDGET_EXHAUSTED");
    EXPECT_TRUE(Call(method).ok());
  }
}

TEST_F(RpcServiceTest, AFailedAllocationInAStreamEndsThatStream) {
  stream_ = [](RequestContext&, const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    throw std::bad_alloc();
  };
  grpc::ClientContext context;
  const auto reader = Read(&context);
  ErrorInfo message;
  EXPECT_FALSE(reader->Read(&message));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Call().ok());
}

TEST_F(RpcServiceTest, DiscardedResultsAreFreedAfterTheReply) {
  std::promise<void> answered, freed;
  unary_ = [&](RequestContext& context, const ErrorInfo&, ErrorInfo*) {
    // Its destructor waits until the client has its reply.
    context.DeferDestruction(std::shared_ptr<void>(nullptr, [&](void*) {
      answered.get_future().wait_for(seconds(60));
      freed.set_value();
    }));
    return NotFoundError("none");
  };
  auto is_freed = freed.get_future();
  EXPECT_EQ(Call().error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(is_freed.wait_for(seconds(0)), std::future_status::timeout);
  answered.set_value();
  is_freed.wait();
}

TEST_F(RpcServiceTest, AReplyIsReservedAndReleased) {
  unary_ = [&](RequestContext&, const ErrorInfo&, ErrorInfo* out) {
    out->set_reason(std::string(65 << 20, 'x'));
    return absl::OkStatus();
  };
  EXPECT_EQ(Call().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  unary_ = [&](RequestContext&, const ErrorInfo&, ErrorInfo* out) {
    out->set_reason(std::string(1 << 20, 'x'));
    return absl::OkStatus();
  };
  EXPECT_TRUE(Call().ok());
  while (admission_.bytes().used() != 0) std::this_thread::yield();
  while (admission_.calls_in_flight() != 0) std::this_thread::yield();
}

// A stream of the messages 1 to `count`, each of which takes at least `time` to make.
class Counted final : public ResponseStream<ErrorInfo> {
 public:
  Counted(int count, std::chrono::milliseconds time) : count_(count), time_(time) {}

  absl::StatusOr<bool> Next(RequestContext&, ErrorInfo* out) override {
    const auto until = std::chrono::steady_clock::now() + time_;
    while (std::chrono::steady_clock::now() < until) {
    }
    out->set_reason(Concat(++made_));
    return made_ <= count_;
  }

 private:
  const int count_;
  const std::chrono::milliseconds time_;
  int made_ = 0;
};

// Keeps the executor's only thread busy during the lifetime of this object.
class BusyThread {
 public:
  explicit BusyThread(LaneExecutor& executor) {
    executor.Schedule(Lane::kShort, [this, open = open_.get_future().share()] {
      begun_.set_value();
      open.wait();
    });
    begun_.get_future().wait();
  }
  ~BusyThread() { open_.set_value(); }

 private:
  std::promise<void> begun_, open_;
};

TEST_F(RpcServiceTest, ALightStreamNeedsNoExecutorThread) {
  stream_ = [](RequestContext&, const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    return std::make_unique<Counted>(1, std::chrono::milliseconds(0));
  };
  ErrorInfo light;
  light.set_reason("light");
  for (const auto& [name, request] : {std::pair("/test.Service/LightStream", ErrorInfo()),
                                      std::pair("/test.Service/PickyStream", light)}) {
    std::optional<BusyThread> busy(std::in_place, executor_);
    grpc::ClientContext context;
    const auto reader = Read(&context, name, request);
    ErrorInfo message;
    EXPECT_TRUE(reader->Read(&message)) << name;
    EXPECT_EQ(message.reason(), "1");
    busy.reset();  // the rest needs a thread if the first message has taken a millisecond
    EXPECT_FALSE(reader->Read(&message));
    EXPECT_TRUE(reader->Finish().ok());
    // One call at a time does without, and this one may hold its place still.
    while (!admission_.TryAcquireInlineSlot()) std::this_thread::yield();
    admission_.ReleaseInlineSlot();
  }
}

TEST_F(RpcServiceTest, AStreamThatIsNotLightWaitsForAThread) {
  stream_ = [](RequestContext&, const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    return std::make_unique<Counted>(1, std::chrono::milliseconds(0));
  };
  ErrorInfo heavy, large;
  heavy.set_reason("heavy");
  large.set_reason("light");
  large.set_domain(std::string(4096, 'x'));
  for (const ErrorInfo& request : {heavy, large}) {
    std::optional<BusyThread> busy(std::in_place, executor_);
    grpc::ClientContext context;
    const auto reader = Read(&context, "/test.Service/PickyStream", request);
    while (executor_.queue_length(Lane::kShort) != 1) std::this_thread::yield();
    busy.reset();
    ErrorInfo message;
    EXPECT_TRUE(reader->Read(&message));
    EXPECT_FALSE(reader->Read(&message));
    EXPECT_TRUE(reader->Finish().ok());
  }
}

TEST_F(RpcServiceTest, AStreamRunsInlineForAMillisecondAtMost) {
  stream_ = [](RequestContext&, const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    return std::make_unique<Counted>(2, std::chrono::milliseconds(1));
  };
  std::optional<BusyThread> busy(std::in_place, executor_);
  grpc::ClientContext context;
  const auto reader = Read(&context, "/test.Service/LightStream");
  ErrorInfo message;
  ASSERT_TRUE(reader->Read(&message));
  EXPECT_EQ(message.reason(), "1");
  while (executor_.queue_length(Lane::kShort) != 1) std::this_thread::yield();
  busy.reset();
  ASSERT_TRUE(reader->Read(&message));
  EXPECT_EQ(message.reason(), "2");
  EXPECT_FALSE(reader->Read(&message));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(RpcServiceTest, ACallWhoseClientDoesNotReadIsAborted) {
  std::atomic<int> living{0};
  stream_ = [&](RequestContext&, const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    return std::make_unique<Endless>(8 << 20, &living);
  };
  grpc::ClientContext context;
  const auto reader = Read(&context);
  reader->WaitForInitialMetadata();
  const auto stalled = [&] { return admission_.stall_watchdog().waiting() == 1; };
  while (!stalled() || admission_.bytes().used() < (8 << 20)) std::this_thread::yield();
  admission_.stall_watchdog().Sweep();
  EXPECT_EQ(admission_.stall_watchdog().aborted_calls(), 0u);
  // On a slow machine, gRPC may still take this message; then the next one waits.
  while (admission_.stall_watchdog().aborted_calls() == 0) {
    now_s_ += 11;
    admission_.stall_watchdog().Sweep();
    std::this_thread::yield();
  }
  while (living != 0 || admission_.bytes().used() != 0) std::this_thread::yield();
  EXPECT_EQ(admission_.stall_watchdog().aborted_calls(), 1u);
  ErrorInfo message;
  while (reader->Read(&message)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(Call().ok());
}

TEST_F(RpcServiceTest, TheRequestOfAWaitingCallIsReserved) {
  std::optional<BusyThread> busy(std::in_place, executor_);
  ErrorInfo large;
  large.set_reason(std::string(40 << 20, 'x'));
  std::thread first([&] { EXPECT_TRUE(Call(kUnary, large).ok()); });
  while (admission_.queue().waiting(PriorityClass::kNormal) != 1) {
    std::this_thread::yield();
  }
  EXPECT_GE(admission_.bytes().used(), size_t{40} << 20);
  const grpc::Status status = Call(kUnary, large);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_FALSE(status.error_details().empty());
  busy.reset();
  first.join();
}

TEST_F(RpcServiceTest, ACallThatWaitsTooLongIsRefused) {
  const BusyThread busy(executor_);
  std::thread call([&] {
    const grpc::Status status = Call();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(DetailOf<ErrorInfo>(status).reason(), "BUDGET_EXHAUSTED");
    EXPECT_EQ(DetailOf<ErrorInfo>(status).metadata().at("budget"), "waiting time");
    EXPECT_GT(DetailOf<google::rpc::RetryInfo>(status).retry_delay().nanos(), 0);
  });
  while (admission_.queue().waiting(PriorityClass::kNormal) != 1) {
    std::this_thread::yield();
  }
  now_s_ += 30;
  admission_.queue().Sweep();
  call.join();
}

TEST_F(RpcServiceTest, LightCallsBeginWhileMemoryIsShort) {
  admission_.SetMemoryLevel(MemoryLevel::kHigh);
  EXPECT_TRUE(Call(kUnary).ok());
  admission_.SetMemoryLevel(MemoryLevel::kCritical);
  const grpc::Status status = Call(kUnary);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(DetailOf<ErrorInfo>(status).reason(), "BUDGET_EXHAUSTED");
  EXPECT_EQ(DetailOf<ErrorInfo>(status).metadata().at("budget"), "memory");
  EXPECT_TRUE(Call("/test.Service/Light").ok());
}

TEST_F(RpcServiceTest, AStreamThatHasBegunContinuesWhenMemoryIsShort) {
  // Memory becomes short before the second message. Each takes more than a light stream may take
  // without a thread of the executor.
  stream_ = [this](RequestContext&,
                   const ErrorInfo&) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    admission_.SetMemoryLevel(MemoryLevel::kCritical);
    return std::make_unique<Counted>(3, std::chrono::milliseconds(2));
  };
  for (const char* name : {"/test.Service/Stream", "/test.Service/LightStream"}) {
    admission_.SetMemoryLevel(MemoryLevel::kNormal);
    grpc::ClientContext context;
    const auto reader = Read(&context, name);
    ErrorInfo message;
    int messages = 0;
    while (reader->Read(&message)) ++messages;
    EXPECT_EQ(messages, 3) << name;
    EXPECT_TRUE(reader->Finish().ok()) << name;
  }
}

TEST_F(RpcServiceTest, StreamsTakeTurns) {
  // A stream whose messages name it, in the order in which they were made.
  class Named final : public ResponseStream<ErrorInfo> {
   public:
    Named(std::string name, std::vector<std::string>* made) : name_(std::move(name)), made_(made) {}
    absl::StatusOr<bool> Next(RequestContext&, ErrorInfo* out) override {
      out->set_reason(name_);
      made_->push_back(name_);
      return ++count_ <= 20;
    }

   private:
    const std::string name_;
    std::vector<std::string>* const made_;  // used by one thread at a time
    int count_ = 0;
  };
  std::vector<std::string> made;
  stream_ = [&](RequestContext&,
                const ErrorInfo& in) -> absl::StatusOr<ResponseStreamPtr<ErrorInfo>> {
    return std::make_unique<Named>(in.reason(), &made);
  };
  std::optional<BusyThread> busy(std::in_place, executor_);
  std::vector<std::thread> readers;
  for (const char* name : {"a", "b"}) {
    readers.emplace_back([this, name] {
      ErrorInfo request, message;
      request.set_reason(name);
      grpc::ClientContext context;
      const auto reader = Read(&context, "/test.Service/Stream", request);
      int messages = 0;
      while (reader->Read(&message)) ++messages;
      EXPECT_EQ(messages, 20);
      EXPECT_TRUE(reader->Finish().ok());
    });
  }
  while (admission_.queue().waiting(PriorityClass::kNormal) != 2) {
    std::this_thread::yield();
  }
  busy.reset();
  for (std::thread& reader : readers) reader.join();
  ASSERT_EQ(made.size(), 42u);
  EXPECT_NE(made[0], made[1]) << "the second stream does not wait for the end of the first";
}

// A stream of five messages of `bytes`. Counts the calls of Next, and runs `second` in the second
// one.
class Five final : public ResponseStream<ErrorInfo> {
 public:
  Five(size_t bytes, std::atomic<int>* calls, std::function<void()> second)
      : bytes_(bytes), calls_(calls), second_(std::move(second)) {}

  absl::StatusOr<bool> Next(RequestContext& context, ErrorInfo* out) override {
    if (*calls_ == 1) second_();
    const auto more = counted_.Next(context, out);
    out->set_domain(std::string(bytes_, 'x'));
    ++*calls_;
    return more;
  }

 private:
  const size_t bytes_;
  std::atomic<int>* const calls_;
  const std::function<void()> second_;
  Counted counted_{5, std::chrono::milliseconds(0)};
};

class TurnsTest : public RpcServiceTest {
 protected:
  // Turns last as long as they make less than 4 MiB.
  TurnsTest() : TurnsTest(std::chrono::hours(1)) {}
  explicit TurnsTest(std::chrono::microseconds turn) : RpcServiceTest(LimitsOf(turn)) {}

  static CallLimits LimitsOf(std::chrono::microseconds turn) {
    CallLimits limits = TestLimits();
    limits.turn_time = turn;
    return limits;
  }

  // The messages that the second turn of a stream makes.
  int MessagesInATurn(size_t bytes) {
    std::promise<void> begun, open;
    std::atomic<int> calls{0};
    // Keeps the only thread busy after that turn, so that no other one follows.
    const auto busy = [&, opened = open.get_future().share()] {
      executor_.Schedule(Lane::kShort, [&begun, opened] {
        begun.set_value();
        opened.wait();
      });
    };
    stream_ = [&](RequestContext&, const ErrorInfo&) {
      return absl::StatusOr<ResponseStreamPtr<ErrorInfo>>(
          std::make_unique<Five>(bytes, &calls, busy));
    };
    std::thread client([this] {
      grpc::ClientContext context;
      const auto reader = Read(&context, "/test.Service/Stream");
      ErrorInfo message;
      for (int i = 1; i <= 5; ++i) EXPECT_TRUE(reader->Read(&message)) << i;
      EXPECT_FALSE(reader->Read(&message));
      EXPECT_TRUE(reader->Finish().ok());
    });
    begun.get_future().wait();
    const int made = std::min(calls.load(), 5) - 1;
    open.set_value();
    client.join();
    return made;
  }
};

TEST_F(TurnsTest, ATurnMakesSeveralMessages) { EXPECT_EQ(MessagesInATurn(10), 4); }

TEST_F(TurnsTest, ATurnEndsAfterFourMiB) { EXPECT_EQ(MessagesInATurn(3 << 20), 2); }

class ShortTurnsTest : public TurnsTest {
 protected:
  ShortTurnsTest() : TurnsTest(std::chrono::microseconds(0)) {}
};

TEST_F(ShortTurnsTest, ATurnEndsAfterItsTime) { EXPECT_EQ(MessagesInATurn(10), 1); }

TEST_F(RpcServiceTest, AQueuedCallEndsWhenItsClientIsGone) {
  std::promise<void> begun, open;
  std::shared_future<void> opened = open.get_future().share();
  std::atomic<int> ran{0};
  unary_ = [&](RequestContext&, const ErrorInfo&, ErrorInfo*) {
    if (++ran == 1) begun.set_value();
    opened.wait();
    return absl::OkStatus();
  };
  std::thread first([&] { EXPECT_TRUE(Call().ok()); });
  begun.get_future().wait();
  grpc::ClientContext context;
  std::thread second([&] {
    ErrorInfo reply;
    EXPECT_EQ(Call(kUnary, ErrorInfo(), &reply, &context).error_code(),
              grpc::StatusCode::CANCELLED);
  });
  while (admission_.calls_in_flight() != 2) std::this_thread::yield();
  context.TryCancel();
  second.join();
  while (admission_.calls_in_flight() != 1) std::this_thread::yield();
  EXPECT_EQ(ran, 1);
  open.set_value();
  first.join();
}

}  // namespace
}  // namespace stagedoor::server
