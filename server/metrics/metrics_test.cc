// The metrics endpoint, with requests as Prometheus sends them and malformed ones.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/version.h"
#include "resolver/http/testing/scripted_server.h"
#include "server/server.h"
#include "server/sharing/session_sharing.h"
#include "server/store/testing/memory_session_store.h"
#include "server/testing/gated_resolver.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

// The port of "HOST:PORT".
int PortOf(const std::string& address) { return std::stoi(address.substr(address.rfind(':') + 1)); }

// Sends bytes and reads until the server closes. Empty if the connection is refused.
std::string ResponseTo(int port, const std::string& bytes) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  std::string answer;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    (void)!::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    char buffer[4096];
    for (ssize_t n; (n = ::recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
      answer.append(buffer, static_cast<size_t>(n));
    }
  }
  ::close(fd);
  return answer;
}

class MetricsTest : public ServerTest {
 protected:
  MetricsTest() {
    ServerOptions options;
    options.clip_cache_bytes = 7 << 20;
    options.clip_cache_files = 5;
    options.layer_cache_bytes = 3 << 20;
    Serve(options, files_);
  }
  void Serve(ServerOptions options, std::shared_ptr<const Resolver> resolver) {
    options.metrics_address = "127.0.0.1:0";
    StartOn(options, std::move(resolver));
    port_ = PortOf(server().metrics_address());
  }
  std::string Scrape() { return ResponseTo(port_, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"); }
  // The metrics once no call holds bytes any more, which is soon after its reply.
  std::string ScrapeIdle() {
    std::string text = Scrape();
    while (text.find("stagedoor_requests_bytes 0\n") == std::string::npos) text = Scrape();
    return text;
  }
  // The metrics without labels.
  std::map<std::string, double> Metrics() {
    std::map<std::string, double> metrics;
    std::istringstream lines(Scrape());
    for (std::string line; std::getline(lines, line);) {
      const size_t space = line.find(' ');
      if (line.starts_with("stagedoor_") && line.find('{') == std::string::npos) {
        metrics[line.substr(0, space)] = std::stod(line.substr(space));
      }
    }
    return metrics;
  }

  int port_ = 0;
};

TEST_F(MetricsTest, CountsCallsByMethodAndStatus) {
  ASSERT_TRUE(client().GetServerStatistics(v1::GetServerStatisticsRequest()).ok());
  v1::OpenStageRequest missing;
  missing.set_root_layer("/missing.usda");
  EXPECT_FALSE(client().OpenStage(missing).ok());
  const std::string text = ScrapeIdle();
  EXPECT_NE(text.find("200 OK"), std::string::npos) << text;
  const std::string statistics = "{method=\"stagedoor.v1.ServerService/GetServerStatistics\",";
  const std::string open_stage = "{method=\"stagedoor.v1.StagesService/OpenStage\",";
  for (const std::string& part :
       {"stagedoor_requests_total" + statistics + "status=\"OK\"} 1",
        "stagedoor_requests_total" + open_stage + "status=\"NOT_FOUND\"} 1",
        "stagedoor_request_seconds_bucket" + statistics + "le=\"+Inf\"} 1",
        std::string("stagedoor_request_queue_seconds_bucket{le=\"+Inf\"} 2\n"),
        std::string("stagedoor_request_queue_seconds_count 2\n"),
        "stagedoor_request_seconds_bucket" + statistics + "le=\"5e-05\"} "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  for (const char* part :
       {"stagedoor_requests_cut_off_total 0", "stagedoor_stages_open 0", "stagedoor_leases 0",
        "stagedoor_clip_cache_bytes 0", "stagedoor_clip_cache_budget_bytes 7340032",
        "stagedoor_clip_cache_budget_files 5", "stagedoor_clip_cache_missing_files 0",
        "stagedoor_layer_cache_budget_bytes 3145728", "stagedoor_stage_cache_misses_total 1",
        "stagedoor_layer_cache_opens_total 0", "stagedoor_clip_cache_evictions_total 0",
        "stagedoor_clip_cache_open_files 0", "stagedoor_interned_bytes ",
        "stagedoor_interned_limit_bytes 0", "stagedoor_refused_calls_total{reason=\"calls\"} 0",
        "stagedoor_requests_waiting{priority=\"batch\"} 0", "process_open_fds ",
        "stagedoor_refused_calls_total{reason=\"bytes\"} 0", "process_cpu_seconds_total "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(MetricsTest, CountsBytesByMethod) {
  const v1::GetServerStatisticsRequest request;
  const auto response = client().GetServerStatistics(request);
  ASSERT_TRUE(response.ok());
  const std::string text = Scrape();
  const std::string method = "{method=\"stagedoor.v1.ServerService/GetServerStatistics\"} ";
  for (const std::string& part :
       {Concat("stagedoor_request_received_bytes_total", method, request.ByteSizeLong(), "\n"),
        Concat("stagedoor_request_sent_bytes_total", method, response->ByteSizeLong(), "\n")}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(MetricsTest, CountsTheCachesThatWereEmptied) {
  ServerOptions options;
  options.memory_limit = uint64_t{1} << 40;
  Serve(options, files_);
  const std::string text = Scrape();
  for (const char* cache : {"path_sets", "frames", "layers", "clips", "stages"}) {
    const std::string line = Concat("stagedoor_memory_releases_total{cache=\"", cache, "\"} 0\n");
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST_F(MetricsTest, NamesItsVersion) {
  EXPECT_NE(Scrape().find(Concat("stagedoor_build_info{version=\"", kVersion, "\"} 1\n")),
            std::string::npos);
}

TEST_F(MetricsTest, AddsUpSeconds) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client().GetServerStatistics(v1::GetServerStatisticsRequest()).ok());
  }
  const std::string text = Scrape();
  const std::string name =
      "stagedoor_request_seconds_sum{method=\"stagedoor.v1.ServerService/GetServerStatistics\"} ";
  const size_t at = text.find(name);
  ASSERT_NE(at, std::string::npos) << text;
  const double seconds = std::stod(text.substr(at + name.size()));
  // On any machine, a call takes more than ten nanoseconds, and all of them less than a day.
  EXPECT_GT(seconds, 1e-6);
  EXPECT_LT(seconds, 86400.0);
}

TEST_F(MetricsTest, ReportsHeldAndOpenedObjects) {
  WriteClips(3);
  const v1::StageRef stage = Open();
  EXPECT_EQ(Numbers(stage, "/P.x", {1, 2, 3}), (std::vector<double>{10, 20, 30}));
  std::map<std::string, double> metrics = Metrics();
  EXPECT_EQ(metrics["stagedoor_stages_open"], 1);
  EXPECT_EQ(metrics["stagedoor_leases"], 1);
  EXPECT_EQ(metrics["stagedoor_layers_open"], 2) << "the root and the manifest";
  EXPECT_EQ(metrics["stagedoor_layer_cache_opens_total"], 2);
  EXPECT_GT(metrics["stagedoor_layer_cache_bytes"], 0);
  EXPECT_EQ(metrics["stagedoor_stage_cache_opens_total"], 1);
  EXPECT_EQ(metrics["stagedoor_stage_cache_hits_total"], 0);
  EXPECT_GT(metrics["stagedoor_stage_cache_bytes"], 0);
  EXPECT_GT(metrics["stagedoor_interned_bytes"], 0);
  EXPECT_EQ(metrics["stagedoor_clip_cache_open_files"], 3);
  EXPECT_EQ(metrics["stagedoor_clip_cache_opens_total"], 3);
  EXPECT_GT(metrics["stagedoor_clip_cache_bytes"], 0);
  EXPECT_EQ(metrics["stagedoor_clip_cache_open_failures_total"], 0);
  Open();
  metrics = Metrics();
  EXPECT_EQ(metrics["stagedoor_stages_open"], 1);
  EXPECT_EQ(metrics["stagedoor_leases"], 2);
  EXPECT_EQ(metrics["stagedoor_stage_cache_hits_total"], 1);
}

TEST_F(MetricsTest, CountsWhatIsReadFromOtherMachines) {
  EXPECT_EQ(Scrape().find("stagedoor_remote_"), std::string::npos) << "nothing may be read";
  const ScriptedServer origin([](const ScriptedServer::Request& request) {
    return ServeObject(request, "#usda 1.0\ndef \"P\" {\n  double x = 7\n}\n", "\"1\"");
  });
  ServerOptions options;
  options.remote.allowed_urls = {origin.Url("/")};
  options.remote.allowed_networks = {"127.0.0.0/8"};
  options.remote.cache.max_bytes = 64 << 20;
  Serve(options, nullptr);
  v1::OpenStageRequest request;
  request.set_root_layer(origin.Url("/a.usda"));
  EXPECT_EQ(Numbers(Open(request), "/P.x", {1}), std::vector<double>{7});

  std::map<std::string, double> metrics = Metrics();
  EXPECT_GT(origin.requests().size(), 0u);
  EXPECT_EQ(metrics["stagedoor_remote_http_requests_total"], origin.requests().size());
  EXPECT_EQ(metrics["stagedoor_remote_http_connections_total"], origin.connection_count());
  EXPECT_EQ(metrics["stagedoor_remote_http_retries_total"], 0);
  EXPECT_GT(metrics["stagedoor_remote_http_bytes_total"], 0);
  EXPECT_GT(metrics["stagedoor_remote_cache_bytes"], 0);
  EXPECT_EQ(metrics["stagedoor_remote_cache_budget_bytes"], 64 << 20);
  EXPECT_EQ(metrics["stagedoor_remote_cache_open_files"], 1);
  EXPECT_EQ(metrics["stagedoor_remote_cache_misses_total"], 1);
  EXPECT_EQ(metrics["stagedoor_remote_cache_damaged_total"], 0);
  EXPECT_EQ(metrics["stagedoor_remote_cache_evictions_total"], 0);
  EXPECT_NE(Scrape().find("stagedoor_remote_http_failures_total{kind=\"timeout\"} 0\n"),
            std::string::npos);
}

TEST_F(MetricsTest, SurvivesMalformedRequests) {
  EXPECT_EQ(ResponseTo(port_, "GET /else HTTP/1.1\r\nHost: x\r\n\r\n").find("200 OK"),
            std::string::npos);
  EXPECT_EQ(ResponseTo(port_, std::string(100000, 'x')).find("200 OK"), std::string::npos);
  const std::string long_header = "X: " + std::string(100000, 'y') + "\r\n";
  EXPECT_EQ(ResponseTo(port_, "GET /metrics HTTP/1.1\r\n" + long_header + "\r\n").find("200 OK"),
            std::string::npos);
  EXPECT_EQ(ResponseTo(port_, std::string("\0\r\n\r\n", 5)).find("200 OK"), std::string::npos);
  EXPECT_NE(Scrape().find("stagedoor_leases"), std::string::npos);
}

// Each client holds a connection and sends nothing or half a request, or does not read its answer.
TEST_F(MetricsTest, SlowClientsDelayNoOthers) {
  std::vector<int> slow;
  for (int i = 0; i < 200; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const std::string_view request = i % 3 == 0   ? ""
                                     : i % 3 == 1 ? "GET /metrics HTTP/1.1\r\nHost:"
                                                  : "GET /metrics HTTP/1.1\r\n\r\n";
    (void)!::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    slow.push_back(fd);
  }
  EXPECT_NE(Scrape().find("200 OK"), std::string::npos);
  // Connections replaced by newer ones are closed, so reading from them ends.
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  char byte;
  ::setsockopt(slow.front(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  EXPECT_LE(::recv(slow.front(), &byte, 1, 0), 0);
  for (const int fd : slow) ::close(fd);
}

TEST_F(MetricsTest, AnswersHeadAndRejectsOtherMethods) {
  const std::string head = ResponseTo(port_, "HEAD /metrics HTTP/1.1\r\n\r\n");
  EXPECT_NE(head.find("200 OK"), std::string::npos);
  EXPECT_EQ(head.find("stagedoor_leases"), std::string::npos);
  EXPECT_NE(ResponseTo(port_, "POST /metrics HTTP/1.1\r\n\r\n").find("405"), std::string::npos);
  EXPECT_NE(ResponseTo(port_, "GET /other HTTP/1.1\r\n\r\n").find("404"), std::string::npos);
}

TEST(ProbesTest, AreAnsweredBesideMetrics) {
  ServerOptions options;
  options.metrics_address = "127.0.0.1:0";
  const auto server = Server::Start(options);
  ASSERT_TRUE(server.ok());
  const int port = PortOf((*server)->metrics_address());
  const auto probe = [port](const std::string& path) {
    return ResponseTo(port, "GET " + path + " HTTP/1.1\r\n\r\n");
  };
  EXPECT_TRUE(probe("/healthz").ends_with("\r\n\r\nok\n")) << probe("/healthz");
  EXPECT_TRUE(probe("/readyz").ends_with("\r\n\r\nok\n")) << probe("/readyz");
  (*server)->AnnounceShutdown();
  EXPECT_TRUE(probe("/healthz").starts_with("HTTP/1.1 200 ")) << probe("/healthz");
  EXPECT_TRUE(probe("/readyz").starts_with("HTTP/1.1 503 ")) << probe("/readyz");
  EXPECT_TRUE(probe("/readyz").ends_with("\r\n\r\ndraining\n")) << probe("/readyz");
}

TEST(MetricsAddressTest, AddressesInUseAreAnError) {
  ServerOptions options;
  options.metrics_address = "127.0.0.1:0";
  const auto first = Server::Start(options);
  ASSERT_TRUE(first.ok());
  options.metrics_address = (*first)->metrics_address();
  const absl::Status taken = Server::Start(options).status();
  EXPECT_EQ(taken.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(Message(taken)).find("Address already in use"), std::string::npos) << taken;
  options.metrics_address = "nonsense";
  EXPECT_FALSE(Server::Start(options).ok());
}

// A replica that opens a stage before it is ready.
class WarmUpMetricsTest : public ServerTest {
 protected:
  WarmUpMetricsTest() {
    Write("root.usda", "def \"P\" {\n}\n");
    store::v1::RecipeRecord record;
    record.mutable_recipe()->set_root_layer("/root.usda");
    const std::vector<SessionStore::Use> uses = {{"id", record.SerializeAsString(), 1}};
    RequestContext context;
    EXPECT_TRUE(store_->RecordUses(context, uses, SessionSharing::kUseSlot).ok());
    gate_->gated = "/root.usda";
    gate_->closed = true;
    ServerOptions options;
    options.metrics_address = "127.0.0.1:0";
    options.session_store = store_;
    StartOn(options, gate_);
    port_ = PortOf(server().metrics_address());
  }
  std::string Get(const std::string& path) {
    return ResponseTo(port_, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  bool HasWarmed(const std::string& result, int count) {
    const std::string line =
        Concat("stagedoor_warm_up_stages_total{result=\"", result, "\"} ", count, "\n");
    return Get("/metrics").find(line) != std::string::npos;
  }

  std::shared_ptr<MemorySessionStore> store_ =
      std::make_shared<MemorySessionStore>(std::make_shared<SharedRecords>());
  std::shared_ptr<GatedResolver> gate_ = std::make_shared<GatedResolver>(files_);
  int port_ = 0;
};

TEST_F(WarmUpMetricsTest, ReadinessWaitsForTheWarmUp) {
  gate_->reached.acquire();
  EXPECT_NE(Get("/readyz").find("503"), std::string::npos);
  EXPECT_NE(Get("/readyz").find("\nstarting\n"), std::string::npos);
  EXPECT_NE(Get("/healthz").find("200 OK"), std::string::npos);
  EXPECT_TRUE(HasWarmed("warmed", 0));
  gate_->gate.release();
  while (Get("/readyz").find("200 OK") == std::string::npos) std::this_thread::yield();
  EXPECT_TRUE(HasWarmed("warmed", 1));
  EXPECT_TRUE(HasWarmed("failed", 0));
  EXPECT_TRUE(HasWarmed("skipped", 0));
}

TEST_F(WarmUpMetricsTest, AnEndedWarmUpDoesNotMakeADrainingServerReady) {
  gate_->reached.acquire();
  std::thread draining([this] { Drain(std::chrono::seconds(10)); });
  while (!HasWarmed("skipped", 1)) std::this_thread::yield();
  gate_->gate.release();
  draining.join();
  EXPECT_NE(Get("/readyz").find("draining"), std::string::npos);
  EXPECT_TRUE(HasWarmed("skipped", 1));
}

TEST_F(MetricsTest, WithoutAStoreNothingIsWarmed) {
  EXPECT_EQ(Scrape().find("stagedoor_warm_up"), std::string::npos);
}

}  // namespace
}  // namespace stagedoor::server
