// BatchGetValues over each of its carriers: the same replies and errors, whichever it is.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "client/cc/futures.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;

enum class Carrier { kGrpc, kStream, kSocket };

class CarriersTest : public ServerTest, public ::testing::WithParamInterface<Carrier> {
 protected:
  CarriersTest() {
    // Two arrays of 400 kB, one of which is interpolated.
    std::string numbers;
    for (int i = 0; i < 100000; ++i) numbers += Concat(i == 0 ? "" : ",", i);
    Write("root.usda", Concat(R"(def "P"
{
    double x.timeSamples = { 0: 0, 1000: 1000 }
    string s = "text"
    float3[] points.timeSamples = { 0: [(0, 0, 0), (1, 1, 1)], 10: [(0, 0, 0), (2, 2, 2)] }
    int[] many = [)",
                              numbers, R"(]
    float[] moving.timeSamples = { 0: [)",
                              numbers, R"(], 10: [)", numbers, R"(] }
}
)"));
    StartAgain();
    ref_ = Open();
    over_ = Connect(GetParam());
    Await(*over_);
  }

  void StartAgain() {
    ServerOptions options;
    options.addresses = {address_};
    options.query_socket = folder_ / "queries.sock";
    Start(options);
  }

  std::unique_ptr<Client> Connect(Carrier carrier) {
    ClientOptions options;
    options.address = address_;
    options.query_socket = carrier == Carrier::kSocket;
    options.query_stream = carrier == Carrier::kStream;
    return Client::Connect(options);
  }

  static bool Uses(const ClientStatistics& statistics, Carrier carrier) {
    if (carrier == Carrier::kGrpc) return !statistics.query_socket && !statistics.query_stream;
    return carrier == Carrier::kSocket ? statistics.query_socket : statistics.query_stream;
  }

  // Asks until the client has found the carrier.
  void Await(Client& client) {
    for (int i = 0; i < 10000 && !Uses(client.statistics(), GetParam()); ++i) {
      ASSERT_TRUE(Ask(client, RequestOf({"/P.x"}, {0})).ok());
      std::this_thread::sleep_for(milliseconds(1));
    }
    ASSERT_TRUE(Uses(client.statistics(), GetParam()));
  }

  // Asks over the carrier. A blocking query by itself neither uses nor begins a stream.
  absl::StatusOr<v1::BatchGetValuesResponse> Ask(const v1::BatchGetValuesRequest& request) {
    return Ask(*over_, request);
  }
  static absl::StatusOr<v1::BatchGetValuesResponse> Ask(Client& client,
                                                        const v1::BatchGetValuesRequest& request) {
    if (GetParam() != Carrier::kStream) return client.BatchGetValues(request);
    std::promise<absl::StatusOr<v1::BatchGetValuesResponse>> reply;
    client.BatchGetValuesAsync(request, [&](auto got) { reply.set_value(std::move(got)); });
    return reply.get_future().get();
  }

  v1::BatchGetValuesRequest RequestOf(const std::vector<std::string>& paths,
                                      const std::vector<double>& frames) {
    return RequestFor<v1::BatchGetValuesRequest>(ref_, paths, frames);
  }

  // A reply or error as text that can be compared.
  static std::string Text(const absl::StatusOr<v1::BatchGetValuesResponse>& reply) {
    if (reply.ok()) return reply->DebugString();
    return Concat(absl::StatusCodeToString(reply.status().code()), ": ", Message(reply.status()));
  }

  TempDir folder_{"/tmp"};
  const std::string address_ = Concat("unix:", std::string(folder_ / "daemon.sock"));
  v1::StageRef ref_;
  std::unique_ptr<Client> over_;
};

std::string NameOf(const ::testing::TestParamInfo<Carrier>& info) {
  if (info.param == Carrier::kGrpc) return "Grpc";
  return info.param == Carrier::kStream ? "QueryStream" : "QuerySocket";
}

INSTANTIATE_TEST_SUITE_P(Carriers, CarriersTest,
                         ::testing::Values(Carrier::kGrpc, Carrier::kStream, Carrier::kSocket),
                         NameOf);

TEST_P(CarriersTest, RepliesAndErrorsAreThoseOfACallInTheProcess) {
  std::vector<v1::BatchGetValuesRequest> requests = {
      RequestOf({"/P.x"}, {12.5}),
      RequestOf({"/P.x", "/P.s", "/P.points", "/P.none", "/Q.x", "no path"}, {0, 5, 20}),
      RequestOf({}, {}),
      RequestOf({"/P.x"}, {0, 1}),
      RequestOf({"/P.x", "/P.x"}, {3, 4}),
      RequestOf({"/P.x"}, {0}),
      RequestOf({"/P.x"}, {0}),
      RequestOf({"/P.x"}, {0}),
      RequestOf({"/P.x"}, {}),
      RequestOf({"/P.x"}, {}),
  };
  requests[3].set_paired(true);  // an error
  requests[4].set_paired(true);
  requests[5].set_with_sources(true);
  requests[6].set_interpolation(v1::INTERPOLATION_HELD);
  requests[7].mutable_stage()->set_handle("unknown");
  requests[8].mutable_times()->add_ranges("0:5000");
  requests[9].mutable_times()->add_ranges("nonsense");
  for (const v1::BatchGetValuesRequest& request : requests) {
    const std::string expected = Text(client().BatchGetValues(request));
    EXPECT_EQ(Text(Ask(request)), expected) << request.DebugString();
    EXPECT_EQ(Text(Ask(request)), expected) << "once more";
  }
}

TEST_P(CarriersTest, StatisticsNameTheCarrier) {
  const ClientStatistics before = over_->statistics();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Ask(RequestOf({"/P.x"}, {1})).ok());
  const ClientStatistics after = over_->statistics();
  EXPECT_TRUE(Uses(after, GetParam()));
  const auto expected = [](Carrier carrier) { return GetParam() == carrier ? 10 : 0; };
  EXPECT_EQ(after.socket_queries - before.socket_queries, expected(Carrier::kSocket));
  EXPECT_EQ(after.stream_queries - before.stream_queries, expected(Carrier::kStream));
  EXPECT_EQ(after.grpc_queries - before.grpc_queries, expected(Carrier::kGrpc));
}

// More bytes than the segments of a connection have, so that their places are used again.
TEST_P(CarriersTest, LargeArraysArriveUnchanged) {
  const auto request = RequestOf({"/P.many", "/P.moving", "/P.x"}, {3, 4});
  const std::string expected = client().BatchGetValues(request)->SerializeAsString();
  for (int i = 0; i < 60; ++i) {
    const auto reply = Ask(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_TRUE(reply->SerializeAsString() == expected) << i;
  }
  std::atomic<int> right{0};
  for (int i = 0; i < 100; ++i) {
    over_->BatchGetValuesAsync(request, [&](const auto& reply) {
      if (reply.ok() && reply->SerializeAsString() == expected) ++right;
    });
  }
  over_ = nullptr;  // waits
  EXPECT_EQ(right, 100);
}

// With more of them than a connection has shared memory for.
TEST_P(CarriersTest, ValuesAreReadWhereverTheyAre) {
  const auto request = RequestOf({"/P.many", "/P.moving", "/P.x", "/P.none"}, {3});
  std::vector<ValueBatch> kept;
  for (int i = 0; i < 80; ++i) {
    auto values = over_->ReadValues(request);
    ASSERT_TRUE(values.ok()) << values.status();
    kept.push_back(*std::move(values));
  }
  for (const ValueBatch& values : kept) {
    ASSERT_EQ(values.GetNumbers<int32_t>(0, 0).size(), 100000);
    EXPECT_EQ(values.GetNumbers<int32_t>(0, 0)[99999], 99999);
    EXPECT_EQ(values.GetNumbers<float>(1, 0)[99999], 99999);
    EXPECT_EQ(values.GetDouble(2, 0), 3);
    EXPECT_EQ(values.status(3, 0).code(), absl::StatusCode::kNotFound);
  }
  EXPECT_EQ(kept[0].response().columns(0).values(0).array_value().has_segment(),
            GetParam() == Carrier::kSocket);
  EXPECT_EQ(
      over_->ReadValues(RequestOf({"/P.x"}, {0}), {.timeout = milliseconds(0)}).status().code(),
      absl::StatusCode::kDeadlineExceeded);
  over_ = nullptr;  // the arrays outlive the client
  EXPECT_EQ(kept[0].GetNumbers<int32_t>(0, 0)[7], 7);
}

TEST_P(CarriersTest, ManyThreadsShareAClient) {
  constexpr int kThreads = 4, kQueries = 200;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kQueries; ++i) {
        const double time = t * kQueries + i;
        const auto reply = over_->BatchGetValues(RequestOf({"/P.x"}, {time}));
        if (!reply.ok() || reply->columns(0).doubles(0) != time) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(CarriersTest, AsynchronousAndBlockingQueriesMix) {
  constexpr int kQueries = 300;
  std::atomic<int> right{0}, ended{0};
  for (int i = 0; i < kQueries; ++i) {
    over_->BatchGetValuesAsync(RequestOf({"/P.x"}, {static_cast<double>(i)}), [&, i](auto reply) {
      if (reply.ok() && reply->columns(0).doubles(0) == i) ++right;
      ++ended;
    });
    if (i % 10 == 0) {
      EXPECT_TRUE(over_->BatchGetValues(RequestOf({"/P.s"}, {0})).ok());
    }
  }
  over_ = nullptr;  // waits
  EXPECT_EQ(ended, kQueries);
  EXPECT_EQ(right, kQueries);
}

TEST_P(CarriersTest, CallbacksMayAskAgain) {
  std::promise<double> found;
  over_->BatchGetValuesAsync(RequestOf({"/P.x"}, {7}), [&](auto first) {
    const double next = first.ok() ? first->columns(0).doubles(0) + 1 : -1;
    over_->BatchGetValuesAsync(RequestOf({"/P.x"}, {next}), [&](auto second) {
      found.set_value(second.ok() ? second->columns(0).doubles(0) : -1);
    });
  });
  EXPECT_EQ(found.get_future().get(), 8);
}

TEST_P(CarriersTest, ADeadlineThatHasPassedEndsTheQuery) {
  const auto request = RequestOf({"/P.x"}, {0});
  const CallOptions late{.timeout = milliseconds(0)};
  EXPECT_EQ(over_->BatchGetValues(request, late).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  std::promise<absl::StatusCode> code;
  over_->BatchGetValuesAsync(
      request, [&](auto reply) { code.set_value(reply.status().code()); }, late);
  EXPECT_EQ(code.get_future().get(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(over_->BatchGetValues(request).ok());
}

TEST_P(CarriersTest, ACancelledQueryEnds) {
  const auto cancellation = std::make_shared<Cancellation>();
  cancellation->Cancel();
  const CallOptions cancelled{.cancellation = cancellation};
  const auto request = RequestOf({"/P.x"}, {0});
  EXPECT_EQ(over_->BatchGetValues(request, cancelled).status().code(),
            absl::StatusCode::kCancelled);
  std::promise<absl::StatusCode> code;
  over_->BatchGetValuesAsync(
      request, [&](auto reply) { code.set_value(reply.status().code()); }, cancelled);
  EXPECT_EQ(code.get_future().get(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(over_->BatchGetValues(request).ok());
}

// A query in flight when the daemon stops, or made afterwards, is asked in another way.
TEST_P(CarriersTest, QueriesGoOnWithoutTheSocket) {
  if (GetParam() != Carrier::kSocket) return;
  std::filesystem::remove(folder_ / "queries.sock");
  const auto late = Connect(Carrier::kSocket);  // finds no socket, although the daemon offers one
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(late->BatchGetValues(RequestOf({"/P.x"}, {1})).ok());
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_FALSE(late->statistics().query_socket);
  EXPECT_EQ(late->statistics().grpc_queries, 50);
}

TEST_P(CarriersTest, AStreamReplacesASocketThatIsNotThere) {
  std::filesystem::remove(folder_ / "queries.sock");
  ClientOptions options;
  options.address = address_;
  const auto late = Client::Connect(options);
  for (int i = 0; i < 10000 && !late->statistics().query_stream; ++i) {
    ASSERT_TRUE(late->BatchGetValues(RequestOf({"/P.x"}, {0})).ok());
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(late->statistics().query_stream);
}

TEST_P(CarriersTest, OnlyAsynchronousQueriesBeginAStream) {
  if (GetParam() != Carrier::kStream) return;
  const auto blocking = Connect(Carrier::kStream);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(blocking->BatchGetValues(RequestOf({"/P.x"}, {1})).ok());
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_FALSE(blocking->statistics().query_stream);
  EXPECT_EQ(blocking->statistics().grpc_queries, 50);
}

TEST_P(CarriersTest, QueriesGoOnWithAnotherDaemon) {
  Stop();
  StartAgain();
  EXPECT_EQ(over_->BatchGetValues(RequestOf({"/P.x"}, {1})).status().code(),
            absl::StatusCode::kNotFound);  // the handle is that of the other daemon
  ref_ = Open();
  const auto reply = over_->BatchGetValues(RequestOf({"/P.x"}, {5}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->columns(0).doubles(0), 5);
  Await(*over_);
}

}  // namespace
}  // namespace stagedoor::server
