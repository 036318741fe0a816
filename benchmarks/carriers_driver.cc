// carriers_driver: the carriers of BatchGetValues on one machine, side by side in one run. Those
// that cross a network use TCP on the loopback interface.
//
//   carriers_driver [SECONDS [CONNECTIONS]]
//
// Starts and stops the daemon itself ($STAGEDOORD). Prints a table: small queries with 32 in flight
// (per second, and microseconds of the daemon's processor time for each), one at a time (median),
// arrays (GiB/s, beside memcpy), and the memory of idle connections.
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/temp_dir.h"
#include "benchmarks/calls.h"
#include "benchmarks/child_process.h"
#include "benchmarks/machine.h"
#include "benchmarks/raw_queries.h"
#include "benchmarks/report.h"
#include "benchmarks/require.h"
#include "client/cc/query_link.h"
#include "client/cc/shared_arrays.h"

namespace stagedoor::bench {
namespace {

constexpr size_t kWindow = 32;
constexpr size_t kMiB = size_t{1} << 20;

enum class Carrier { kSocket, kGrpc, kTcpStream, kTcpGrpc };

constexpr Carrier kCarriers[] = {Carrier::kSocket, Carrier::kGrpc, Carrier::kTcpStream,
                                 Carrier::kTcpGrpc};
// The carriers of blocking queries that are alone, which are calls where there is a stream.
constexpr Carrier kBlocking[] = {Carrier::kSocket, Carrier::kGrpc, Carrier::kTcpGrpc};

const char* NameOf(Carrier carrier) {
  constexpr const char* kNames[] = {"socket.client", "grpc.client", "tcp.stream.client",
                                    "tcp.grpc.client"};
  return kNames[static_cast<size_t>(carrier)];
}

// A daemon with a Unix socket and a port for gRPC and a query socket, and a scene.
class Fixture {
 public:
  Fixture() {
    WriteScene();
    const char* const program = std::getenv("STAGEDOORD");
    Require(program != nullptr, "set STAGEDOORD to the daemon's program");
    daemon_ = std::make_unique<ChildProcess>(std::vector<std::string>{
        program, "--address=" + address(), "--address=127.0.0.1:0",
        "--address-file=" + address_file(), "--query-socket=" + socket(), "--log-level=warn"});
    plain_ = Connect(Carrier::kGrpc, false);
    for (int i = 0; i < 1000; ++i) {
      if (plain_->GetCapabilities({}).ok()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    handle_ = OpenStage(*plain_, scene());
  }
  ~Fixture() { daemon_->Signal(SIGTERM); }

  std::string address() const { return "unix:" + std::string(folder_ / "daemon.sock"); }
  std::string socket() const { return folder_ / "queries.sock"; }
  const std::string& handle() const { return handle_; }
  pid_t pid() const { return daemon_->pid(); }

  std::unique_ptr<Client> Connect(Carrier carrier, bool coalescing) const {
    ClientOptions options;
    const bool tcp = carrier == Carrier::kTcpStream || carrier == Carrier::kTcpGrpc;
    options.address = tcp ? tcp_address() : address();
    options.query_socket = carrier == Carrier::kSocket;
    options.query_stream = carrier == Carrier::kTcpStream;
    options.coalescing.enabled = coalescing;
    auto client = Client::Connect(options);
    while ((options.query_socket && !client->statistics().query_socket) ||
           (options.query_stream && !client->statistics().query_stream)) {
      client->BatchGetValuesAsync(RequestOf("/P.x", 0), [](const auto&) {});
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return client;
  }
  v1::BatchGetValuesRequest RequestOf(const std::string& path, double time) const {
    v1::BatchGetValuesRequest request;
    request.mutable_stage()->set_handle(handle_);
    request.add_paths(path);
    request.mutable_times()->add_frames(time);
    return request;
  }

 private:
  std::string address_file() const { return folder_ / "addresses"; }
  // The port that the daemon has chosen.
  std::string tcp_address() const {
    std::ifstream file(address_file());
    std::string line;
    while (std::getline(file, line) && line.starts_with("unix:")) {
    }
    Require(!line.empty(), "the daemon has no port");
    return line;
  }
  std::string scene() const { return folder_ / "scene.usda"; }
  void WriteScene() const {
    std::ofstream file(scene());
    file << "#usda 1.0\ndef \"P\"\n{\n    double x.timeSamples = { 0: 0, 1000: 1000 }\n";
    for (const size_t mib : {size_t{1}, size_t{8}}) {
      file << "    int[] a" << mib << " = [";
      for (size_t i = 0; i < mib * kMiB / sizeof(int); ++i) file << (i == 0 ? "" : ",") << i % 1000;
      file << "]\n";
    }
    file << "}\n";
  }

  TempDir folder_{"/tmp"};
  std::unique_ptr<ChildProcess> daemon_;
  std::unique_ptr<Client> plain_;
  std::string handle_;
};

void Print(const std::string& name, double value, const char* unit) {
  std::printf("%-44s %12.1f %s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

// `run` makes queries until `*stop`, and returns their number.
void MeasureRate(const Fixture& fixture, const std::string& name, double seconds,
                 const std::function<size_t(const std::atomic<bool>& stop)>& run) {
  std::atomic<bool> stop{false};
  const double start = Now(), cpu = ProcessCpuSeconds(fixture.pid()), own = OwnCpuSeconds();
  std::thread timer([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    stop = true;
  });
  const auto count = static_cast<double>(run(stop));
  const double took = Now() - start;
  const double daemon_us = (ProcessCpuSeconds(fixture.pid()) - cpu) / count * 1e6;
  timer.join();
  Print(name + ".qps", count / took, "1/s");
  Print(name + ".daemon_cpu_us", daemon_us, "us");
  Print(name + ".client_cpu_us", (OwnCpuSeconds() - own) / count * 1e6, "us");
  Print(name + ".qps_per_daemon_core", 1e6 / daemon_us, "1/s");
}

size_t RunRawWindow(const Fixture& fixture, const std::atomic<bool>& stop) {
  RawQueries raw(fixture.socket(), fixture.handle(), "/P.x");
  raw.Send(kWindow);
  size_t count = 0;
  while (!stop) {
    const size_t answers = raw.Receive();
    count += answers;
    raw.Send(answers);
  }
  return count;
}

// A window of asynchronous queries of a client.
size_t RunClientWindow(const Fixture& fixture, Client& client, const std::atomic<bool>& stop) {
  std::atomic<size_t> count{0}, flying{kWindow};
  std::function<void()> ask = [&] {
    const double time = static_cast<double>(count++ % 1000);
    client.BatchGetValuesAsync(fixture.RequestOf("/P.x", time), [&](const auto& reply) {
      Require(reply.ok(), "a query failed");
      if (!stop) return ask();
      --flying;
    });
  };
  for (size_t i = 0; i < kWindow; ++i) ask();
  while (flying > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return count;
}

void MeasureLatency(const std::string& name, double seconds, const std::function<void()>& ask) {
  for (int i = 0; i < 1000; ++i) ask();
  std::vector<double> latencies;
  for (const double end = Now() + seconds; Now() < end;) {
    const double start = Now();
    ask();
    latencies.push_back(Now() - start);
  }
  Print(name + ".p50", Median(latencies) * 1e6, "us");
}

// `ask` takes one array.
void MeasureArrays(const std::string& name, size_t bytes, double seconds,
                   const std::function<void()>& ask) {
  for (int i = 0; i < 20; ++i) ask();
  size_t count = 0;
  const double start = Now();
  for (; Now() < start + seconds; ++count) ask();
  const double took = Now() - start;
  Print(name + ".gib_per_s", static_cast<double>(count * bytes) / took / (1 << 30), "GiB/s");
  Print(name + ".us", took / static_cast<double>(count) * 1e6, "us");
}

void MeasureArraysOf(const Fixture& fixture, size_t mib, double seconds) {
  const size_t bytes = mib * kMiB;
  const std::string suffix = ".arrays" + std::to_string(mib) + "MiB";
  const auto request = fixture.RequestOf("/P.a" + std::to_string(mib), 0);
  std::vector<char> from(bytes, 'x'), to(bytes);
  MeasureArrays("memcpy" + suffix, bytes, seconds, [&] {
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
  });
  const auto link = QueryLink::Connect(fixture.socket(), kMiB).value();
  const auto ask_shared = [&](const std::function<void(std::string_view)>& use) {
    const auto reply =
        link->RunShared(request, QueryLink::Clock::now() + std::chrono::seconds(60), nullptr);
    Require(reply.has_value() && reply->ok() && (*reply)->arrays != nullptr, "an array is missing");
    use((*reply)->arrays->arrays().front().bytes);
  };
  MeasureArrays("socket.shared" + suffix, bytes, seconds, [&] {
    ask_shared([&](std::string_view array) { Require(array.size() == bytes, "wrong size"); });
  });
  MeasureArrays("socket.shared.copied_out" + suffix, bytes, seconds, [&] {
    ask_shared([&](std::string_view array) { std::memcpy(to.data(), array.data(), bytes); });
  });
  for (const Carrier carrier : kBlocking) {
    const auto client = fixture.Connect(carrier, true);
    const std::string name = NameOf(carrier);
    MeasureArrays(name + ".values" + suffix, bytes, seconds, [&] {
      const auto values = client->ReadValues(request);
      Require(values.ok() && values->GetNumbers<int32_t>(0, 0).size_bytes() == bytes, "wrong size");
    });
    MeasureArrays(name + suffix, bytes, seconds,
                  [&] { Require(client->BatchGetValues(request).ok(), "an array is missing"); });
  }
}

void MeasureIdle(const Fixture& fixture, int wanted) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const double before = ReadMemory(fixture.pid()).resident;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fixture.socket().copy(address.sun_path, sizeof(address.sun_path) - 1);
  std::vector<int> fds;
  for (int i = 0; i < wanted; ++i) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char first = 0;
    const bool open =
        fd >= 0 &&
        ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        ::recv(fd, &first, 1, 0) == 1;
    if (fd >= 0) fds.push_back(fd);
    if (!open) break;
  }
  Print("idle.connections", static_cast<double>(fds.size()), "");
  Print("idle.memory", ReadMemory(fixture.pid()).resident - before, "MiB");
  for (const int fd : fds) ::close(fd);
}

int Main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  const int connections = argc > 2 ? std::atoi(argv[2]) : 10000;
  const Fixture fixture;
  MeasureIdle(fixture, connections);
  MeasureRate(fixture, "socket.raw.window32", seconds,
              [&](const auto& stop) { return RunRawWindow(fixture, stop); });
  for (const Carrier carrier : kCarriers) {
    const auto client = fixture.Connect(carrier, false);
    MeasureRate(fixture, std::string(NameOf(carrier)) + ".window32", seconds,
                [&](const auto& stop) { return RunClientWindow(fixture, *client, stop); });
  }
  for (const Carrier carrier : {Carrier::kGrpc, Carrier::kTcpGrpc}) {
    const auto client = fixture.Connect(carrier, true);
    MeasureRate(fixture, std::string(NameOf(carrier)) + ".coalesced.window32", seconds,
                [&](const auto& stop) { return RunClientWindow(fixture, *client, stop); });
  }
  RawQueries raw(fixture.socket(), fixture.handle(), "/P.x");
  MeasureLatency("socket.raw", seconds, [&] {
    raw.Send(1);
    raw.Receive();
  });
  for (const Carrier carrier : kBlocking) {
    const auto client = fixture.Connect(carrier, true);
    double time = 0;
    MeasureLatency(NameOf(carrier), seconds, [&] {
      time = time < 999 ? time + 1 : 0;
      Require(client->BatchGetValues(fixture.RequestOf("/P.x", time)).ok(), "a query failed");
    });
  }
  for (const size_t mib : {size_t{1}, size_t{8}}) MeasureArraysOf(fixture, mib, seconds);
  return 0;
}

}  // namespace
}  // namespace stagedoor::bench

int main(int argc, char** argv) { return stagedoor::bench::Main(argc, argv); }
