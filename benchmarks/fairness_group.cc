#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/child_process.h"
#include "benchmarks/daemon.h"
#include "benchmarks/load_group.h"
#include "benchmarks/machine.h"
#include "benchmarks/report.h"
#include "benchmarks/require.h"

namespace stagedoor::bench {
namespace {

constexpr int kHugeBatches = 64;

struct Latency {
  double p50_us = 0, p99_us = 0;
};

// The client processes of one daemon.
class Clients {
 public:
  Clients(const LoadOptions& options, const Daemon& daemon) : options_(options), daemon_(daemon) {}

  std::unique_ptr<ChildProcess> Start(std::vector<std::string> words) const {
    words.insert(words.begin(), {"/proc/self/exe", options_.scenes});
    words.insert(words.end(), {"--address", daemon_.address()});
    auto process = std::make_unique<ChildProcess>(words);
    Require(process->ReadLine() == "ready", "a client process failed");
    return process;
  }

  // Runs the client with small queries.
  Latency MeasureSmall() const {
    const auto small = Start(
        {"--client", "small", "--seed", "100", "--seconds", std::to_string(options_.seconds)});
    small->Write("go\n");
    const std::optional<std::string> line = small->ReadLine();
    Require(line.has_value(), "the client with small queries failed");
    std::vector<double> latencies = nlohmann::json::parse(*line)["latencies"];
    std::sort(latencies.begin(), latencies.end());
    const size_t n = latencies.size();
    return {latencies[n / 2] * 1e6, latencies[std::min(n - 1, n * 99 / 100)] * 1e6};
  }

 private:
  const LoadOptions& options_;
  const Daemon& daemon_;
};

// The number of calls that a disturbing client has had answered.
double Answered(ChildProcess& process) {
  process.Write("?\n");
  const std::optional<std::string> line = process.ReadLine();
  Require(line.has_value(), "a disturbing client failed");
  return nlohmann::json::parse(*line)["calls"];
}

void AddLatencies(const std::string& prefix, const std::vector<Latency>& runs, Results* results) {
  std::vector<double> p50, p99;
  for (const Latency& run : runs) {
    p50.push_back(run.p50_us);
    p99.push_back(run.p99_us);
  }
  results->Add(prefix + ".p50_us", "us", p50);
  results->Add(prefix + ".p99_us", "us", p99);
}

}  // namespace

void MeasureFairness(const LoadOptions& options, Results* results) {
  const Daemon daemon;
  const Clients clients(options, daemon);
  std::vector<Latency> alone, disturbed;
  std::vector<double> p50_ratios, p99_ratios, batches, flattenings;
  for (int run = 0; run < options.runs; ++run) {  // alternating
    alone.push_back(clients.MeasureSmall());
    const auto huge = clients.Start({"--load", "huge", "--threads", std::to_string(kHugeBatches)});
    const auto flatten = clients.Start({"--load", "flatten"});
    const double start = Now();
    const double batches_before = Answered(*huge), flattened_before = Answered(*flatten);
    disturbed.push_back(clients.MeasureSmall());
    batches.push_back((Answered(*huge) - batches_before) / (Now() - start));
    flattenings.push_back((Answered(*flatten) - flattened_before) / (Now() - start));
    p50_ratios.push_back(disturbed.back().p50_us / alone.back().p50_us);
    p99_ratios.push_back(disturbed.back().p99_us / alone.back().p99_us);
    for (const auto& process : {huge.get(), flatten.get()}) process->Signal(SIGKILL);
    std::this_thread::sleep_for(std::chrono::seconds(1));  // the daemon ends their calls
  }
  AddLatencies("fairness.alone", alone, results);
  AddLatencies("fairness.disturbed", disturbed, results);
  results->Add("fairness.p50_ratio", "", p50_ratios);
  results->Add("fairness.p99_ratio", "", p99_ratios, -1, "goal: at most 2");
  results->Add("fairness.huge_batches_per_s", "1/s", batches);
  results->Add("fairness.flattenings_per_s", "1/s", flattenings);
}

}  // namespace stagedoor::bench
