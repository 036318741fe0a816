#include "benchmarks/client_main.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "base/status.h"
#include "benchmarks/calls.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {
namespace {

constexpr int kWantedValues = 1000;

void Print(const nlohmann::json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

void WaitForLine() {
  std::string line;
  std::getline(std::cin, line);
}

// Reads authored attributes until there are enough. Returns their number.
int ReadValues(Client& client, const std::string& handle, double frame) {
  v1::TraverseRequest request;
  request.mutable_stage()->set_handle(handle);
  request.mutable_predicate()->set_instance_proxies(true);
  request.mutable_read_mask()->add_paths("properties.values");
  request.mutable_times()->add_frames(frame);
  int values = 0;
  const auto sink = [&](const v1::TraverseResponse& part) {
    for (const v1::Prim& prim : part.prims()) {
      for (const v1::Property& property : prim.properties()) {
        values += property.authored() && property.kind() == v1::Property::KIND_ATTRIBUTE;
      }
    }
    return values < kWantedValues ? absl::OkStatus() : absl::CancelledError("enough");
  };
  const absl::Status status = client.Traverse(request, sink);
  Require(status.ok() || status.code() == absl::StatusCode::kCancelled, "Traverse failed");
  return values;
}

}  // namespace

int RunLoadClient(const std::string& address, const std::string& scenes, const std::string& work,
                  uint32_t seed, double seconds) {
  const std::unique_ptr<Client> client = Connect(address);
  const Call call = MakeCall(*client, scenes, work, seed);
  for (int i = 0; i < 3; ++i) call();
  std::puts("ready");
  std::fflush(stdout);
  WaitForLine();
  std::vector<double> latencies;
  Answer total;
  const double start = Now();
  double last = start;
  while (last - start < seconds) {
    const Answer answer = call();
    const double now = Now();
    latencies.push_back(now - last);
    last = now;
    total.values += answer.values;
    total.bytes += answer.bytes;
  }
  Print({{"latencies", latencies},
         {"values", total.values},
         {"bytes", total.bytes},
         {"seconds", last - start}});
  return 0;
}

int RunLoad(const std::string& address, const std::string& scenes, const std::string& work,
            int threads) {
  Require(nice(19) != -1, "cannot lower the priority");
  const std::unique_ptr<Client> client = Connect(address);
  std::atomic<int> calls{0}, refused{0}, ready{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      const Load load = MakeLoad(*client, scenes, work, 500 + static_cast<uint32_t>(i));
      for (bool first = true; !stop; first = false) {
        ++(load().ok() ? calls : refused);
        if (first) ++ready;
      }
    });
  }
  while (ready < threads) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::puts("ready");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    Print({{"calls", calls.load()}, {"refused", refused.load()}});
  }
  stop = true;
  for (std::thread& worker : workers) worker.join();
  return 0;
}

int RunNodeClient(const std::string& address, const std::string& scenes, const std::string& scene,
                  double start, bool hold) {
  const SceneInfo info(scenes, scene);
  const double frame = (info.number("start") + info.number("end")) / 2;
  const std::unique_ptr<Client> client = Connect(address);
  const int values = ReadValues(*client, OpenStage(*client, info.root()), frame);
  const double first = Now() - start;
  const Memory memory = ReadMemory();
  Print({{"first_s", first},
         {"rss_mib", memory.resident},
         {"anon_mib", memory.anonymous},
         {"values", values}});
  if (hold) WaitForLine();
  return 0;
}

}  // namespace stagedoor::bench
