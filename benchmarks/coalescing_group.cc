#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/calls.h"
#include "benchmarks/daemon.h"
#include "benchmarks/load_group.h"
#include "benchmarks/machine.h"
#include "benchmarks/report.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {
namespace {

struct Measured {
  double qps = 0, p50_us = 0;
};

Measured Run(Client& client, const LoadOptions& options, const std::string& handle, int threads) {
  std::vector<std::vector<double>> latencies(static_cast<size_t>(threads));
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;
  const double start = Now();
  for (size_t i = 0; i < latencies.size(); ++i) {
    workers.emplace_back([&, i] {
      const Call call =
          MakeSmallCall(client, options.scenes, handle, 100 + static_cast<uint32_t>(i));
      while (!stop) latencies[i].push_back(Seconds([&] { call(); }));
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  stop = true;
  for (std::thread& worker : workers) worker.join();
  const double seconds = Now() - start;
  std::vector<double> all;
  for (const auto& some : latencies) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  return {static_cast<double>(all.size()) / seconds, all[all.size() / 2] * 1e6};
}

}  // namespace

void MeasureCoalescing(const LoadOptions& options, Results* results) {
  const Daemon daemon;
  for (const int threads : options.clients) {
    std::vector<double> qps[2], p50[2];
    for (int run = 0; run < options.runs; ++run) {
      for (const int enabled : {0, 1}) {  // alternating
        ClientOptions client_options;
        client_options.address = daemon.address();
        client_options.coalescing.enabled = enabled != 0;
        client_options.query_stream = false;
        const std::unique_ptr<Client> client = Client::Connect(client_options);
        const std::string handle = OpenStage(*client, SceneInfo(options.scenes, "anim").root());
        const Measured measured = Run(*client, options, handle, threads);
        qps[enabled].push_back(measured.qps);
        p50[enabled].push_back(measured.p50_us);
      }
    }
    for (const int enabled : {0, 1}) {
      const std::string name = enabled ? "coalescing.on." : "coalescing.off.";
      const std::string suffix = ".t" + std::to_string(threads);
      results->Add(name + "qps" + suffix, "1/s", qps[enabled]);
      results->Add(name + "p50_us" + suffix, "us", p50[enabled]);
    }
  }
}

}  // namespace stagedoor::bench
