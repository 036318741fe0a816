#include "resolver/remote/remote_store.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "resolver/remote/testing/fake_service.h"

namespace stagedoor {
namespace {

namespace pb = resolver::v1;
using absl::StatusCode;

std::string Pattern(size_t size) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i * 31 + i / 251);
  return out;
}

class RemoteStoreTest : public ::testing::Test {
 protected:
  RemoteStoreTest() : store_(server_.Connect()) { service().Write(kPath, content_); }
  FakeService& service() { return server_.service(); }

  ObjectInfo Info() {
    auto opened = store_.Open(context_, kPath, nullptr, 0);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? opened->info : ObjectInfo{};
  }
  // Fetches ranges into `fetched_`, which is at the place of each byte.
  absl::Status Fetch(const ObjectInfo& info, const std::vector<ByteRange>& ranges) {
    fetched_.assign(content_.size(), '-');
    return store_.Fetch(context_, kPath, info, ranges,
                        [&](uint64_t offset, std::span<const std::byte> bytes) {
                          EXPECT_LE(offset + bytes.size(), fetched_.size());
                          std::memcpy(fetched_.data() + offset, bytes.data(), bytes.size());
                          return absl::OkStatus();
                        });
  }
  // The content of `fetched_` after a correct fetch of the ranges.
  std::string Expected(const std::vector<ByteRange>& ranges) const {
    std::string out(content_.size(), '-');
    for (const ByteRange& range : ranges) {
      out.replace(range.offset, range.size, content_.substr(range.offset, range.size));
    }
    return out;
  }

  static constexpr const char* kPath = "asset://show/a.usd";
  const std::string content_ = Pattern(5000);
  FakeServer server_;
  RemoteStore store_;
  RequestContext context_;
  std::string fetched_;
};

// The error names the path and the service.
void ExpectError(const absl::Status& status, StatusCode code, std::string_view part) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_NE(Message(status).find(part), std::string_view::npos) << status;
  EXPECT_NE(Message(status).find("'asset://show/a.usd': resolver service 'fake:1' "),
            std::string_view::npos)
      << status;
}

// The values of "traceparent" that calls had.
class RemoteStoreTraceTest : public RemoteStoreTest {
 protected:
  RemoteStoreTraceTest() {
    service().before = [this](const grpc::ServerContext& call) {
      const auto found = call.client_metadata().find("traceparent");
      const bool has = found != call.client_metadata().end();
      MutexLock lock(mu_);
      seen_.insert(has ? std::string(found->second.data(), found->second.size()) : "none");
      return grpc::Status::OK;
    };
  }
  std::set<std::string> Seen() {
    MutexLock lock(mu_);
    return seen_;
  }

 private:
  Mutex mu_;
  std::set<std::string> seen_ ABSL_GUARDED_BY(mu_);
};

TEST_F(RemoteStoreTraceTest, PassesOnTheTrace) {
  class Traced final : public RequestNotes {
    std::string TraceParent() override { return "00-trace-span-01"; }
  };
  Traced notes;
  const RequestScope::Guard guard(RequestScope::Current().WithNotes(&notes));
  EXPECT_TRUE(Fetch(Info(), {{0, 10}}).ok());
  EXPECT_EQ(Seen(), (std::set<std::string>{"00-trace-span-01"}));
}

TEST_F(RemoteStoreTraceTest, CallsWithoutATraceHaveNone) {
  EXPECT_TRUE(Fetch(Info(), {{0, 10}}).ok());
  EXPECT_EQ(Seen(), (std::set<std::string>{"none"}));
}

TEST_F(RemoteStoreTest, OpenReturnsTheVersionTheSizeAndTheHead) {
  for (const size_t head : {0, 1, 1000, 1001, 5000, 1000000}) {
    const auto opened = store_.Open(context_, kPath, nullptr, head);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ(opened->info.size, content_.size());
    EXPECT_NE(opened->info.version, AssetVersion());
    EXPECT_EQ(opened->head, content_.substr(0, head)) << head;
  }
  EXPECT_EQ(service().reads().size(), 6u) << "one call each";
}

TEST_F(RemoteStoreTest, OpenSendsNoHeadOfAKnownVersion) {
  const ObjectInfo info = Info();
  const auto same = store_.Open(context_, kPath, &info, 100);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->info.version, info.version);
  EXPECT_EQ(same->head, "");
  service().Write(kPath, "other");
  const auto other = store_.Open(context_, kPath, &info, 100);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE(other->info.version, info.version);
  EXPECT_EQ(other->head, "other");
}

TEST_F(RemoteStoreTest, FetchReadsRangesInAnyOrder) {
  const ObjectInfo info = Info();
  const std::vector<ByteRange> cases[] = {
      {{0, 5000}}, {{4999, 1}, {0, 1}, {100, 2500}}, {{10, 100}, {50, 100}}, {}};
  for (const auto& ranges : cases) {
    const absl::Status status = Fetch(info, ranges);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(fetched_, Expected(ranges));
  }
}

TEST_F(RemoteStoreTest, ManyRangesAreSplitIntoCallsOfAThousand) {
  const ObjectInfo info = Info();
  std::vector<ByteRange> ranges;
  for (uint64_t i = 0; i < 2500; ++i) ranges.push_back({2 * i, 1});
  const absl::Status status = Fetch(info, ranges);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(fetched_, Expected(ranges));
  std::vector<int> counts;
  for (const pb::ReadRequest& read : service().reads()) counts.push_back(read.ranges_size());
  EXPECT_EQ(counts, (std::vector<int>{0, 1000, 1000, 500}));
}

TEST_F(RemoteStoreTest, AReplacedAssetIsDataLoss) {
  const ObjectInfo info = Info();
  service().Write(kPath, Pattern(4000));
  ExpectError(Fetch(info, {{0, 10}}), StatusCode::kDataLoss, "another version");
  EXPECT_EQ(fetched_, Expected({}));
}

TEST_F(RemoteStoreTest, GetInfoAnswersInOrder) {
  service().Write("asset://show/b.usd", "b");
  const std::vector<std::string> paths = {
      "asset://show/b.usd", "asset://show/none.usd",        "", kPath,
      "asset://\xff",       std::string("asset://a\0b", 11)};
  const auto infos = store_.GetInfo(context_, paths);
  ASSERT_EQ(infos.size(), paths.size());
  ASSERT_TRUE(infos[0].ok() && infos[3].ok());
  EXPECT_EQ(infos[0]->size, 1u);
  EXPECT_EQ(infos[3]->size, content_.size());
  EXPECT_EQ(infos[3]->version, Info().version);
  EXPECT_EQ(infos[1].status().code(), StatusCode::kNotFound);
  EXPECT_NE(infos[1].status().ToString().find("asset://show/none.usd"), std::string::npos);
  for (const size_t i : {2, 4, 5}) {
    EXPECT_EQ(infos[i].status().code(), StatusCode::kInvalidArgument) << i;
  }
}

TEST_F(RemoteStoreTest, GetInfoSplitsLargeRequests) {
  std::vector<std::string> paths(2500, kPath);
  for (size_t i = 0; i < 300; ++i) paths.push_back("asset://" + std::string(16000, 'x'));
  int calls = 0;
  service().spoil_versions = [&](const pb::GetVersionsRequest& request, auto*) {
    ++calls;
    EXPECT_LE(request.resolved_paths_size(), 1000);
    EXPECT_LE(request.ByteSizeLong(), (1u << 20) + 10000);
  };
  const auto infos = store_.GetInfo(context_, paths);
  ASSERT_EQ(infos.size(), paths.size());
  EXPECT_TRUE(infos[2499].ok());
  EXPECT_EQ(infos[2799].status().code(), StatusCode::kNotFound);
  EXPECT_GE(calls, 7);
}

TEST_F(RemoteStoreTest, MissingAssetsAreNotFound) {
  const std::string path = "asset://show/none.usd";
  const absl::Status status = store_.Open(context_, path, nullptr, 10).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound) << status;
  EXPECT_NE(Message(status).find("'asset://show/none.usd'"), std::string_view::npos) << status;
}

TEST_F(RemoteStoreTest, AnUnavailableServiceIsAskedAgain) {
  service().FailNextCalls(3);
  EXPECT_TRUE(store_.Open(context_, kPath, nullptr, 10).ok());
  service().FailNextCalls(3);
  const std::vector<std::string> paths = {kPath};
  EXPECT_TRUE(store_.GetInfo(context_, paths)[0].ok());
  service().FailNextCalls(4);
  ExpectError(store_.Open(context_, kPath, nullptr, 10).status(), StatusCode::kUnavailable,
              "is not available: try later");
  service().FailNextCalls(4);
  ExpectError(store_.GetInfo(context_, paths)[0].status(), StatusCode::kUnavailable, "try later");
}

TEST_F(RemoteStoreTest, ALostConnectionIsResumedWhereItBroke) {
  const ObjectInfo info = Info();
  int breaks = 0;
  // Each call gets three pieces through; far more calls than attempts without progress.
  service().piece_bytes = 100;
  service().spoil_read = [&](const pb::ReadRequest&, FakeService::Messages* messages,
                             grpc::Status* status) {
    if (messages->size() <= 4) return;
    messages->resize(4);
    *status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "broken pipe");
    ++breaks;
  };
  const std::vector<ByteRange> ranges = {{0, 2000}, {3000, 2000}};
  const absl::Status status = Fetch(info, ranges);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(fetched_, Expected(ranges));
  EXPECT_GT(breaks, 10);
  EXPECT_EQ(service().reads()[2].ranges(0).offset(), 300u);
  EXPECT_EQ(service().reads()[2].version(), info.version.token());
}

TEST_F(RemoteStoreTest, TheErrorOfTheSinkEndsTheFetch) {
  const ObjectInfo info = Info();
  const ByteRange range{0, 5000};
  int calls = 0;
  const absl::Status status =
      store_.Fetch(context_, kPath, info, std::span(&range, 1), [&](uint64_t, auto) {
        ++calls;
        return ResourceExhaustedError("disk full");
      });
  EXPECT_EQ(status, ResourceExhaustedError("disk full"));
  EXPECT_EQ(calls, 1);
}

TEST_F(RemoteStoreTest, ContradictionsOfAStreamAreErrors) {
  const ObjectInfo info = Info();
  using Messages = FakeService::Messages;
  const struct {
    const char* part;  // of the error
    std::function<void(Messages&)> spoil;
  } kCases[] = {
      {"sent no header", [](Messages& m) { m.clear(); }},
      {"content before the header", [](Messages& m) { m.erase(m.begin()); }},
      {"a second header", [](Messages& m) { m.insert(m.begin(), m.front()); }},
      {"an empty message", [](Messages& m) { m[1].Clear(); }},
      {"an empty version", [](Messages& m) { m[0].mutable_header()->clear_version(); }},
      {"a version of 257 bytes",
       [](Messages& m) { m[0].mutable_header()->set_version(std::string(257, 'v')); }},
      {"instead of", [](Messages& m) { m[0].mutable_header()->set_version("other"); }},
      {"two sizes", [](Messages& m) { m[0].mutable_header()->set_size(6000); }},
      {"a size of 18446744073709551615 bytes",
       [](Messages& m) { m[0].mutable_header()->set_size(UINT64_MAX); }},
      {"sent offset 9 instead of 10", [](Messages& m) { m[1].mutable_piece()->set_offset(9); }},
      {"sent offset 18446744073709551615",
       [](Messages& m) { m[1].mutable_piece()->set_offset(UINT64_MAX); }},
      {"sent offset 10 instead of 1010", [](Messages& m) { m.insert(m.begin() + 1, m[1]); }},
      {"a piece of 0 bytes", [](Messages& m) { m[1].mutable_piece()->clear_data(); }},
      {"a piece of 1048577 bytes",
       [](Messages& m) { m[1].mutable_piece()->set_data(std::string((1 << 20) + 1, 'x')); }},
      {"sent 1001 bytes at offset 2010 instead of 1000",
       [](Messages& m) { m[3].mutable_piece()->mutable_data()->append("x"); }},
      {"more than was requested", [](Messages& m) { m.push_back(m.back()); }},
      {"1000 bytes before the end", [](Messages& m) { m.pop_back(); }},
  };
  for (const auto& c : kCases) {
    service().spoil_read = [&](const auto&, Messages* messages, auto*) { c.spoil(*messages); };
    ExpectError(Fetch(info, {{10, 3000}}), StatusCode::kDataLoss, c.part);
    for (size_t i = 0; i < fetched_.size(); ++i) {
      ASSERT_TRUE(fetched_[i] == '-' || (i >= 10 && i < 3010 && fetched_[i] == content_[i]))
          << c.part << " at " << i;
    }
  }
}

TEST_F(RemoteStoreTest, ContradictionsWhenOpeningAreUnavailable) {
  service().spoil_read = [](const auto&, FakeService::Messages* messages, auto*) {
    messages->front().mutable_header()->set_size(UINT64_MAX);
  };
  ExpectError(store_.Open(context_, kPath, nullptr, 10).status(), StatusCode::kUnavailable,
              "a size of");
}

TEST_F(RemoteStoreTest, ContradictionsOfVersionsAreUnavailable) {
  const std::vector<std::string> paths = {kPath};
  const struct {
    const char* part;
    std::function<void(FakeService::Versions*)> spoil;
  } kCases[] = {
      {"returned 0 versions for 1 paths", [](auto* v) { v->clear_results(); }},
      {"returned 2 versions for 1 paths", [](auto* v) { v->add_results(); }},
      {"an empty version", [](auto* v) { v->mutable_results(0)->Clear(); }},
      {"a size of", [](auto* v) { v->mutable_results(0)->mutable_info()->set_size(1ull << 45); }},
      {"answers: odd",
       [](auto* v) {
         v->mutable_results(0)->mutable_error()->set_code(static_cast<pb::ErrorCode>(1234567));
         v->mutable_results(0)->mutable_error()->set_message("odd");
       }},
  };
  for (const auto& c : kCases) {
    service().spoil_versions = [&](const auto&, auto* versions) { c.spoil(versions); };
    ExpectError(store_.GetInfo(context_, paths)[0].status(), StatusCode::kUnavailable, c.part);
  }
}

TEST_F(RemoteStoreTest, LongMessagesAreTruncatedAndEscaped) {
  service().before = [](const auto&) {
    return grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "a\n\x1b[2J" + std::string(5000, 'x'));
  };
  const absl::Status status = store_.Open(context_, kPath, nullptr, 10).status();
  ExpectError(status, StatusCode::kPermissionDenied, "answers: a\\n\\x1b[2Jxxx");
  EXPECT_LT(Message(status).size(), 700u);
}

TEST_F(RemoteStoreTest, CancelledRequestsEndWhileTheServiceWaits) {
  const ObjectInfo info = Info();
  for (const char* call : {"open", "info", "fetch"}) {
    RequestContext context;
    service().before = [&](const grpc::ServerContext& server_call) {
      context.Cancel();
      return FakeService::WaitForCancellation(server_call);
    };
    const std::vector<std::string> paths = {kPath};
    const ByteRange range{0, 10};
    absl::Status status;
    if (*call == 'o') status = store_.Open(context, kPath, nullptr, 10).status();
    if (*call == 'i') status = store_.GetInfo(context, paths)[0].status();
    if (*call == 'f') {
      status = store_.Fetch(context, kPath, info, std::span(&range, 1),
                            [](uint64_t, auto) { return absl::OkStatus(); });
    }
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << call << status;
  }
}

TEST_F(RemoteStoreTest, ExpiredRequestsAskNothing) {
  RequestContext late(RequestContext::Clock::now());
  EXPECT_EQ(store_.Open(late, kPath, nullptr, 10).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(service().reads().empty());
}

TEST_F(RemoteStoreTest, AServiceThatDoesNotAnswerInTimeIsUnavailable) {
  ResolverServiceOptions options = server_.Connect()->options();
  options.answer_timeout = std::chrono::milliseconds(50);
  const RemoteStore impatient(server_.Connect(options));
  service().before = [](const grpc::ServerContext& call) {
    return FakeService::WaitForCancellation(call);
  };
  const std::vector<std::string> paths = {kPath};
  ExpectError(impatient.GetInfo(context_, paths)[0].status(), StatusCode::kUnavailable,
              "does not answer within 50 ms");
  ExpectError(impatient.Open(context_, kPath, nullptr, 10).status(), StatusCode::kUnavailable,
              "does not answer within 50 ms");
}

TEST_F(RemoteStoreTest, IsThreadSafe) {
  const ObjectInfo info = Info();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        RequestContext context;
        std::string got;
        const ByteRange range{0, content_.size()};
        const absl::Status status =
            store_.Fetch(context, kPath, info, std::span(&range, 1), [&](uint64_t, auto bytes) {
              got.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
              return absl::OkStatus();
            });
        EXPECT_TRUE(status.ok()) << status;
        EXPECT_EQ(got, content_);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace stagedoor
