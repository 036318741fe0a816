#include "server/upstream/node.h"

#include <gmock/gmock.h>
#include <grpcpp/channel.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "client/cc/error_reason.h"
#include "server/testing/server_test.h"
#include "stagedoor/v1/frames.grpc.pb.h"

namespace stagedoor::server {
namespace {

// A node daemon and the daemon above it, in one process; the layers of the latter are in memory.
class NodeTest : public ServerTest {
 protected:
  NodeTest() {
    Write("root.usda", R"(
def "A" {
  double x = 1
  double y.timeSamples = { 1: 10, 2: 20 }
  double[] z = [1, 2, 3]
}
def "B" {
  double x = 2
}
)");
    StartUpstream();
  }

  std::string address() const { return Concat("unix:", folder_.path(), "/upstream.sock"); }

  void StartUpstream(ServerOptions options = {}) {
    options.addresses = {address()};
    Start(options);
  }
  // Replies are kept for as long as a test may take, also on a slow machine.
  static UpstreamOptions Keeping() { return {.clip_age = std::chrono::hours(1)}; }
  // Each query is a call of its own.
  static ClientOptions Plain() {
    ClientOptions options;
    options.coalescing.enabled = false;
    return options;
  }
  void StartNode(UpstreamOptions upstream = Keeping()) {
    ServerOptions options;
    options.upstream = std::move(upstream);
    options.upstream.addresses = {address()};
    auto node = Server::Start(options);
    ASSERT_TRUE(node.ok()) << node.status();
    node_ = *std::move(node);
    process_ = Client::FromChannel(node_->InProcessChannel(), Plain());
  }
  // A client of the node daemon, as a process is.
  Client& process() {
    if (process_ == nullptr) StartNode();
    return *process_;
  }

  v1::StageRef OpenByNode(v1::OpenStageRequest request = {}) {
    request.set_root_layer("/root.usda");
    const auto reply = process().OpenStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    v1::StageRef ref;
    if (reply.ok()) ref.set_handle(reply->handle());
    return ref;
  }
  // The value of /A.x, or the error.
  std::string Read(const v1::StageRef& stage, const std::string& path = "/A.x") {
    const auto reply =
        process().BatchGetValues(RequestFor<v1::BatchGetValuesRequest>(stage, {path}, {1}));
    if (!reply.ok()) return reply.status().ToString();
    return reply->ShortDebugString();
  }
  // How often the daemon above was called.
  uint64_t CallsUpstream(const std::string& method) {
    const auto reply = client().GetServerStatistics({});
    if (!reply.ok()) return 0;
    for (const v1::MethodStatistics& each : reply->methods()) {
      if (each.method() == Concat("stagedoor.v1.", method)) return each.calls();
    }
    return 0;
  }
  std::string Edit(const v1::StageRef& stage, double value) {
    v1::SetSessionLayerRequest request;
    *request.mutable_stage() = stage;
    request.mutable_session_layer()->set_content(
        Concat("#usda 1.0\nover \"A\" {\n  double x = ", value, "\n}\n"));
    const auto reply = process().SetSessionLayer(request);
    return reply.ok() ? reply->snapshot() : reply.status().ToString();
  }

  TempDir folder_{"/tmp"};
  std::unique_ptr<Server> node_;
  std::unique_ptr<Client> process_;
};

constexpr char kBatch[] = "QueryService/BatchGetValues";

TEST_F(NodeTest, EqualQueriesAreFetchedOnce) {
  const v1::StageRef a = OpenByNode();
  const v1::StageRef b = OpenByNode();
  EXPECT_NE(a.handle(), b.handle());
  const std::string value = Read(a);
  EXPECT_NE(value.find("doubles"), std::string::npos) << value;
  EXPECT_EQ(Read(a), value);
  EXPECT_EQ(Read(b), value);
  EXPECT_EQ(CallsUpstream(kBatch), 1u);
  EXPECT_NE(Read(a, "/B.x"), value);
  EXPECT_EQ(CallsUpstream(kBatch), 2u);
}

TEST_F(NodeTest, RepliesAreThoseOfTheDaemonAbove) {
  const auto request = [](const v1::StageRef& stage) {
    return RequestFor<v1::StreamValuesRequest>(stage, {"/A.x", "/A.y", "/A.z", "/None.x"}, {1, 2});
  };
  const auto text = [&](Client& from, const v1::StageRef& stage) {
    std::string all;
    const absl::Status status =
        from.StreamValues(request(stage), [&all](const v1::StreamValuesResponse& part) {
          all += part.ShortDebugString() + "\n";
          return absl::OkStatus();
        });
    return Concat(all, status.ToString());
  };
  const v1::StageRef by_node = OpenByNode();
  const std::string expected = text(client(), Open());
  EXPECT_EQ(text(process(), by_node), expected);
  EXPECT_EQ(text(process(), by_node), expected) << "kept";
  EXPECT_EQ(CallsUpstream("QueryService/StreamValues"), 2u);
}

// A stage with an array that is the same at all times.
class NodeArraysTest : public NodeTest {
 protected:
  NodeArraysTest() {
    std::string numbers = "1";
    for (int i = 2; i <= 30000; ++i) numbers += Concat(", ", i);
    Write("root.usda", Concat("def \"A\" { int[] still = [", numbers, "]\n}\n"));
  }
  static std::string ReadStill(Client& from, const v1::StageRef& stage, double time) {
    auto request = RequestFor<v1::StreamValuesRequest>(stage, {"/A.still"}, {time});
    request.mutable_digest_options();
    v1::StreamValuesResponse only;
    EXPECT_TRUE(from.StreamValues(request,
                                  [&only](const v1::StreamValuesResponse& part) {
                                    only = part;
                                    return absl::OkStatus();
                                  })
                    .ok());
    return only.ShortDebugString();
  }
  uint64_t Received() { return process().GetServerStatistics({})->upstream().received_bytes(); }
};

TEST_F(NodeArraysTest, ArraysOfAnEarlierTimeAreNotFetchedAgain) {
  const std::string first = ReadStill(process(), OpenByNode(), 1);
  EXPECT_GT(first.size(), 100000u);
  const uint64_t before = Received();
  EXPECT_EQ(ReadStill(process(), OpenByNode(), 2), ReadStill(client(), Open(), 2));
  EXPECT_EQ(CallsUpstream("QueryService/StreamValues"), 3u);
  EXPECT_LT(Received() - before, 10000u) << "bytes of the array came again";
}

TEST_F(NodeArraysTest, ArraysOutliveTheNodeDaemon) {
  UpstreamOptions options = Keeping();
  options.directory = folder_ / "replies";
  StartNode(options);
  const auto saved = [this] {
    const auto reply = process().GetCacheStatistics({});
    for (const v1::CacheStatistics& cache : reply->caches()) {
      if (cache.name() == "reply_array_files") return cache.entries();
    }
    return uint64_t{0};
  };
  ReadStill(process(), OpenByNode(), 1);
  ReadStill(process(), OpenByNode(), 2);
  while (saved() == 0) std::this_thread::yield();
  process_ = nullptr;
  node_ = nullptr;
  StartNode(options);
  EXPECT_EQ(ReadStill(process(), OpenByNode(), 3), ReadStill(client(), Open(), 3));
  EXPECT_LT(Received(), 10000u) << "bytes of the array came again";
}

TEST_F(NodeTest, AProcessSeesItsOwnEditsAndOthersDoNot) {
  const v1::StageRef a = OpenByNode();
  const v1::StageRef b = OpenByNode();
  const std::string before = Read(a);
  EXPECT_EQ(Read(b), before);
  EXPECT_EQ(Edit(a, 7).size(), 32u);
  const std::string after = Read(a);
  EXPECT_NE(after, before);
  EXPECT_EQ(Read(b), before);
  EXPECT_EQ(Edit(a, 1).size(), 32u);
  EXPECT_NE(Read(a), after);
  EXPECT_EQ(Read(OpenByNode()), before) << "a new process gets no session with edits";
}

TEST_F(NodeTest, SessionsWithANameAreShared) {
  v1::OpenStageRequest request;
  request.set_session("review");
  const v1::StageRef a = OpenByNode(request);
  const v1::StageRef b = OpenByNode(request);
  const std::string before = Read(b);
  Edit(a, 7);
  EXPECT_NE(Read(b), before);
}

TEST_F(NodeTest, SessionsWithNamesOutliveTheNodeDaemon) {
  v1::OpenStageRequest request;
  request.set_session("review");
  const v1::StageRef named = OpenByNode(request);
  const v1::StageRef plain = OpenByNode();
  Edit(named, 7);
  const std::string value = Read(named);
  EXPECT_NE(value.find("doubles: 7"), std::string::npos) << value;
  StartNode();
  EXPECT_EQ(Read(named), value);
  v1::RenewLeaseRequest renew;
  renew.set_handle(named.handle());
  EXPECT_TRUE(process().RenewLease(renew).ok());
  v1::CloseStageRequest close;
  close.set_handle(named.handle());
  EXPECT_TRUE(process().CloseStage(close).ok());
  EXPECT_FALSE(process().RenewLease(renew).ok());
  EXPECT_NE(Read(plain).find("not known to the node daemon"), std::string::npos);
}

TEST_F(NodeTest, PinnedSnapshotsAreKeptThroughEdits) {
  v1::StageRef stage = OpenByNode();
  const std::string first = Edit(stage, 7);
  const std::string second = Edit(stage, 8);
  stage.set_snapshot(first);
  const std::string value = Read(stage);
  EXPECT_EQ(Read(stage), value);
  EXPECT_EQ(CallsUpstream(kBatch), 1u);
  stage.set_snapshot(second);
  EXPECT_NE(Read(stage), value);
}

TEST_F(NodeTest, ErrorsComeFromAboveAndAreNotKept) {
  v1::StageRef stage = OpenByNode();
  stage.set_snapshot("00000000000000000000000000000000");
  EXPECT_NE(Read(stage).find("snapshot"), std::string::npos);
  Read(stage);
  EXPECT_EQ(CallsUpstream(kBatch), 2u);
  stage.set_handle("no handle");
  const auto reply =
      process().BatchGetValues(RequestFor<v1::BatchGetValuesRequest>(stage, {"/A.x"}, {1}));
  EXPECT_EQ(ErrorReason(reply.status()), "STAGE_NOT_FOUND");
}

TEST_F(NodeTest, HandlesEndWhenTheyAreClosed) {
  const v1::StageRef stage = OpenByNode();
  v1::RenewLeaseRequest renew;
  renew.set_handle(stage.handle());
  EXPECT_TRUE(process().RenewLease(renew).ok());
  v1::CloseStageRequest close;
  close.set_handle(stage.handle());
  EXPECT_TRUE(process().CloseStage(close).ok());
  EXPECT_EQ(ErrorReason(process().RenewLease(renew).status()), "STAGE_NOT_FOUND");
}

TEST_F(NodeTest, LeasesExpireWhenTheHandleDoes) {
  v1::OpenStageRequest open;
  open.mutable_lease_ttl()->set_seconds(40);
  v1::GetStageRequest request;
  *request.mutable_stage() = OpenByNode(open);
  const auto reply = process().GetStage(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_FALSE(reply->stage().snapshot().empty());
  const auto left = reply->lease_expire_time().seconds() -
                    std::chrono::duration_cast<std::chrono::seconds>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
  EXPECT_LE(left, 41) << "that of the lease upstream";
}

TEST_F(NodeTest, WhatIsKeptIsServedWhileTheDaemonAboveIsAway) {
  UpstreamOptions options = Keeping();
  options.reconnect = std::chrono::milliseconds(0);
  StartNode(options);
  const v1::StageRef stage = OpenByNode();
  const std::string value = Read(stage);
  Stop();
  EXPECT_EQ(Read(stage), value);
  const auto other =
      Client::FromChannel(node_->InProcessChannel(), {.max_attempts = 1})
          ->BatchGetValues(RequestFor<v1::BatchGetValuesRequest>(stage, {"/B.x"}, {1}));
  EXPECT_EQ(other.status().code(), absl::StatusCode::kUnavailable) << other.status();
}

TEST_F(NodeTest, StagesAreOpenedAgainWhenTheDaemonAboveComesBack) {
  const v1::StageRef stage = OpenByNode();
  const std::string value = Read(stage);
  Stop();
  std::thread restart([this] { StartUpstream(); });
  const std::string other = Read(stage, "/B.x");
  restart.join();
  EXPECT_NE(other.find("doubles"), std::string::npos) << other;
  EXPECT_EQ(Read(stage), value);
}

TEST_F(NodeTest, ManyProcessesShareOneFetch) {
  const v1::StageRef stage = OpenByNode();
  std::vector<std::string> values(16);
  std::vector<std::thread> threads;
  for (std::string& value : values) {
    threads.emplace_back([this, &stage, &value] { value = Read(stage); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& value : values) EXPECT_EQ(value, values[0]);
  EXPECT_EQ(CallsUpstream(kBatch), 1u);
}

TEST_F(NodeTest, RepliesFromClipsAreUsedForAWhileOnly) {
  WriteClips(3);
  StartNode({.clip_age = std::chrono::milliseconds(0)});
  const v1::StageRef stage = OpenByNode();
  const std::string value = Read(stage, "/P.x");
  EXPECT_NE(value.find("10"), std::string::npos) << value;
  EXPECT_EQ(Read(stage, "/P.x"), value);
  EXPECT_EQ(CallsUpstream(kBatch), 2u);
  // All other values are in layers, which the fingerprint names.
  Write("plain.usda", "def \"P\" { double x = 5; }\n");
  v1::OpenStageRequest request;
  request.set_root_layer("/plain.usda");
  const auto plain = process().OpenStage(request);
  ASSERT_TRUE(plain.ok()) << plain.status();
  v1::StageRef other;
  other.set_handle(plain->handle());
  EXPECT_EQ(Read(other, "/P.x"), Read(other, "/P.x"));
  EXPECT_EQ(CallsUpstream(kBatch), 3u);
}

TEST_F(NodeTest, WatchesSeeTheEditsOfTheirProcess) {
  v1::WatchStageRequest request;
  *request.mutable_stage() = OpenByNode();
  OpenByNode();  // shares the session
  std::vector<std::string> snapshots;
  std::string edited;
  const auto take = [&](const v1::WatchStageResponse& message) {
    snapshots.push_back(message.snapshot());
    if (snapshots.size() == 1) edited = Edit(request.stage(), 7);
    return edited == message.snapshot() ? absl::CancelledError("seen") : absl::OkStatus();
  };
  // As a client does: docs/client_protocol.md, "Watching a stage".
  absl::Status status = process().WatchStage(request, take);
  while (absl::IsUnavailable(status)) {
    request.mutable_stage()->set_snapshot(snapshots.back());
    status = process().WatchStage(request, take);
  }
  EXPECT_EQ(status.message(), "seen");
  ASSERT_FALSE(snapshots.empty());
  EXPECT_EQ(snapshots.back(), edited);
}

TEST_F(NodeTest, ReportsWhatItHasSaved) {
  const v1::StageRef stage = OpenByNode();
  Read(stage);
  Read(stage);
  Edit(stage, 7);
  const auto reply = process().GetServerStatistics({});
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::UpstreamStatistics& upstream = reply->upstream();
  EXPECT_EQ(reply->leases(), 1u);
  EXPECT_EQ(upstream.misses(), 1u);
  EXPECT_EQ(upstream.hits(), 1u);
  EXPECT_EQ(upstream.passed(), 1u) << "the edit";
  EXPECT_EQ(upstream.replies(), 1u);
  EXPECT_GT(upstream.saved_bytes(), 0u);
  EXPECT_EQ(2 * upstream.saved_bytes() + upstream.passed() * 34, upstream.sent_bytes())
      << "the snapshot of the edit takes 34 bytes";
  EXPECT_FALSE(client().GetServerStatistics({})->has_upstream());
}

TEST_F(NodeTest, EvictedRepliesAreFetchedAgain) {
  const v1::StageRef stage = OpenByNode();
  const std::string value = Read(stage);
  v1::EvictCachesRequest request;
  request.add_caches(v1::CACHE_KIND_FRAMES);
  ASSERT_TRUE(process().EvictCaches(request).ok());
  EXPECT_EQ(Read(stage), value);
  EXPECT_EQ(CallsUpstream(kBatch), 1u) << "replies were not to be evicted";
  request.add_caches(v1::CACHE_KIND_REPLIES);
  const auto evicted = process().EvictCaches(request);
  ASSERT_TRUE(evicted.ok()) << evicted.status();
  ASSERT_EQ(evicted->caches_size(), 2);
  EXPECT_EQ(evicted->caches(1).name(), "replies");
  EXPECT_EQ(evicted->caches(1).entries(), 1u);
  // Bytes count until the threads that sent them have released them.
  EXPECT_EQ(process().GetServerStatistics({})->upstream().replies(), 0u);
  EXPECT_EQ(Read(stage), value);
  EXPECT_EQ(CallsUpstream(kBatch), 2u);
  // A daemon that holds scenes has no replies.
  const auto above = client().EvictCaches(request);
  ASSERT_TRUE(above.ok()) << above.status();
  EXPECT_EQ(above->caches_size(), 1);
}

TEST_F(NodeTest, CapabilitiesAreThoseOfTheDaemonAbove) {
  const auto reply = process().GetCapabilities({});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(CallsUpstream("ServerService/GetCapabilities"), 1u);
  EXPECT_EQ(reply->query_socket(), "");
}

TEST_F(NodeTest, QueryFramesAreNotOffered) {
  const auto above = client().GetCapabilities({}), reply = process().GetCapabilities({});
  ASSERT_TRUE(above.ok() && reply.ok());
  EXPECT_EQ(reply->features_size() + 1, above->features_size());
  for (const int feature : reply->features()) EXPECT_NE(feature, v1::FEATURE_QUERY_CHANNELS);
  grpc::ClientContext context;
  const auto stub = v1::QueryChannelService::NewStub(node_->InProcessChannel());
  const grpc::Status status = stub->StreamQueries(&context)->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("BatchGetValues"));
}

}  // namespace
}  // namespace stagedoor::server
