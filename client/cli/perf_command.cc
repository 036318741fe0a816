#include "client/cli/perf_command.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/client.h"
#include "client/cli/connection.h"
#include "client/cli/load_run.h"
#include "client/cli/perf_calls.h"
#include "client/cli/progress_line.h"
#include "client/cli/record_printer.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

constexpr uint32_t kMostClients = 1000;
constexpr uint32_t kMostBatch = 10000;
constexpr double kMostSeconds = 24 * 3600;

struct PerfOptions {
  size_t clients = 1, batch = 1;
  std::chrono::nanoseconds duration{};
  std::optional<double> rate;
  std::vector<PerfShare> mix;
};

absl::StatusOr<PerfOptions> PerfOptionsOf(const CommandLine& line) {
  PerfOptions options;
  SD_ASSIGN_OR_RETURN(const auto clients, line.CountOption("clients", kMostClients));
  SD_ASSIGN_OR_RETURN(const auto batch, line.CountOption("batch", kMostBatch));
  SD_ASSIGN_OR_RETURN(const auto seconds, line.NumberOption("duration"));
  SD_ASSIGN_OR_RETURN(options.rate, line.NumberOption("rate"));
  SD_ASSIGN_OR_RETURN(options.mix, ParseMix(line.Option("mix").value_or("values")));
  options.clients = clients.value_or(1);
  options.batch = batch.value_or(1);
  if (options.clients == 0 || options.batch == 0) {
    return UsageError("--clients and --batch must be at least 1");
  }
  const double duration = seconds.value_or(10);
  if (!(duration > 0 && duration <= kMostSeconds)) {
    return UsageError(Concat("--duration must be a number of seconds up to ", kMostSeconds));
  }
  if (options.rate.has_value() && !(*options.rate > 0 && *options.rate <= 1e7)) {
    return UsageError("--rate must be a number of calls per second up to 10000000");
  }
  options.duration = std::chrono::nanoseconds(std::llround(duration * 1e9));
  return options;
}

// The connections of the clients.
class Fleet {
 public:
  static absl::StatusOr<Fleet> Connect(const CommandLine& line, size_t count) {
    Fleet fleet;
    SD_ASSIGN_OR_RETURN(fleet.connection_, Connection::Open(line));
    // A server inside the command has no address to connect to.
    if (UsesEmbeddedServer(line)) return fleet;
    SD_ASSIGN_OR_RETURN(const ClientOptions options, DaemonOptions(line));
    for (size_t i = 0; i < count; ++i) fleet.clients_.push_back(ConnectSeparately(options));
    return fleet;
  }
  Client& client(size_t i) { return i < clients_.size() ? *clients_[i] : connection_->client(); }

 private:
  std::unique_ptr<Connection> connection_;
  std::vector<std::unique_ptr<Client>> clients_;
};

double Milliseconds(std::chrono::nanoseconds time) {
  // In whole microseconds, so that the numbers are short.
  return std::round(static_cast<double>(time.count()) / 1e3) / 1e3;
}

void PrintResult(const LoadResult& result, double seconds, RecordPrinter& records) {
  const LatencyDigest& taken = result.latencies;
  const double rate = std::round(static_cast<double>(taken.count()) / seconds * 10) / 10;
  records.Add("", {result.name, taken.count(), result.errors, rate, Milliseconds(taken.Mean()),
                   Milliseconds(taken.Percentile(50)), Milliseconds(taken.Percentile(90)),
                   Milliseconds(taken.Percentile(99)), Milliseconds(taken.max())});
}

// Runs all clients, and adds up what they took.
class PerfRun {
 public:
  PerfRun(const PerfOptions& options, const v1::OpenStageRequest& open, const PerfTargets& targets)
      : options_(options), open_(open), targets_(targets) {}

  absl::Status Run(Fleet& fleet) {
    // Every client has a lease of its own before the first call.
    std::vector<StageLease> leases;
    for (size_t i = 0; i < options_.clients; ++i) {
      SD_ASSIGN_OR_RETURN(StageLease lease, StageLease::Open(fleet.client(i), open_));
      leases.push_back(std::move(lease));
    }
    const auto start = std::chrono::steady_clock::now();
    LoadSchedule schedule(start, options_.duration, options_.rate);
    std::vector<std::vector<LoadResult>> results(options_.clients);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < options_.clients; ++i) {
      threads.emplace_back([&, i] {
        const PerfClient client{fleet.client(i), open_, leases[i].ref(), targets_, options_.batch};
        results[i] = RunLoad(OperationsOf(client, options_.mix), schedule, /*seed=*/i);
      });
    }
    ShowProgress(start);
    for (std::thread& thread : threads) thread.join();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const auto& of_client : results) Add(of_client);
    return absl::OkStatus();
  }

  absl::Status Print(RecordFormat format, Output& output) const {
    RecordPrinter records(format,
                          {{"call"},
                           {"calls", true},
                           {"errors", true},
                           {"per_second", true},
                           {"mean_ms", true},
                           {"p50_ms", true},
                           {"p90_ms", true},
                           {"p99_ms", true},
                           {"max_ms", true}},
                          output);
    LoadResult all{.name = "all"};
    for (const LoadResult& result : results_) {
      PrintResult(result, seconds_, records);
      all.Add(result);
    }
    if (results_.size() > 1) PrintResult(all, seconds_, records);
    records.Finish();
    if (all.errors == 0) return absl::OkStatus();
    return Annotate(all.first_error, Concat(all.errors, " calls failed; the first"));
  }

 private:
  void ShowProgress(std::chrono::steady_clock::time_point start) const {
    ProgressLine progress;
    const auto end = start + options_.duration;
    for (auto now = start; now < end; now = std::chrono::steady_clock::now()) {
      const auto left = std::chrono::ceil<std::chrono::seconds>(end - now).count();
      progress.Show(Concat(options_.clients, " clients, ", left, " s left"));
      std::this_thread::sleep_until(std::min(now + std::chrono::seconds(1), end));
    }
  }

  void Add(const std::vector<LoadResult>& results) {
    if (results_.empty()) {
      results_ = results;
      return;
    }
    for (size_t i = 0; i < results.size(); ++i) results_[i].Add(results[i]);
  }

  const PerfOptions& options_;
  const v1::OpenStageRequest& open_;
  const PerfTargets& targets_;
  std::vector<LoadResult> results_;
  double seconds_ = 0;
};

}  // namespace

absl::Status RunPerf(const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const PerfOptions options, PerfOptionsOf(line));
  SD_ASSIGN_OR_RETURN(RecordFormat format, RecordFormatOf(line));
  if (format == RecordFormat::kText) format = RecordFormat::kTable;
  SD_ASSIGN_OR_RETURN(const v1::OpenStageRequest open,
                      MakeOpenStageRequest(line, line.arguments().front()));
  SD_ASSIGN_OR_RETURN(Fleet fleet, Fleet::Connect(line, options.clients));
  const std::vector<std::string> roots(line.arguments().begin() + 1, line.arguments().end());
  SD_ASSIGN_OR_RETURN(const PerfTargets targets,
                      FindPerfTargets(fleet.client(0), open, roots, line.Options("property"),
                                      line.Flag("with-arrays")));
  PerfRun run(options, open, targets);
  SD_RETURN_IF_ERROR(run.Run(fleet));
  return run.Print(format, output);
}

}  // namespace stagedoor
