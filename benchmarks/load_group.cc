#include "benchmarks/load_group.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/status.h"
#include "benchmarks/calls.h"
#include "benchmarks/child_process.h"
#include "benchmarks/daemon.h"
#include "benchmarks/machine.h"
#include "benchmarks/report.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {
namespace {

struct Measured {
  double qps = 0, p50_us = 0, p99_us = 0, values_per_s = 0, gib_per_s = 0, cpu_us = 0;
  double others = 0;
};

nlohmann::json ReadJson(ChildProcess& child) {
  const std::optional<std::string> line = child.ReadLine();
  Require(line.has_value(), "a client process failed");
  return nlohmann::json::parse(*line);
}

class LoadGroup {
 public:
  LoadGroup(LoadOptions options, Results* results)
      : options_(std::move(options)), results_(*results) {}

  void Load() {
    const double before = ReadMemory(daemon_.pid()).resident;
    for (const std::string& work : options_.work) {
      for (int clients : options_.clients) {
        if (work == "batch1000" && clients != 1) continue;
        std::vector<Measured> runs;
        Settle();
        for (int i = 0; i < options_.runs; ++i) runs.push_back(Measure(work, clients));
        AddLoad(work, "c" + std::to_string(clients), runs);
      }
      if (work == "arrays") {
        results_.Add("server.clips.rss_growth_mib", "MiB",
                     {ReadMemory(daemon_.pid()).resident - before});
      }
    }
  }

  void OpenAndTraverse() {
    const SceneInfo info(options_.scenes, "city");
    const std::unique_ptr<Client> client = Connect(daemon_.address());
    std::string handle;
    Settle();
    results_.Add("server.open_cold_s.city", "s",
                 {Seconds([&] { handle = OpenStage(*client, info.root()); })});
    std::vector<double> warm;
    for (int i = 0; i < 200; ++i) {
      warm.push_back(Seconds([&] { OpenStage(*client, info.root()); }) * 1e6);
    }
    results_.Add("server.open_warm_us", "us", {Median(warm)});
    std::vector<double> rates;
    for (int i = 0; i < options_.runs; ++i) {
      double prims = 0;
      const double seconds = Seconds([&] { prims = Traverse(*client, handle); });
      rates.push_back(prims / seconds);
    }
    results_.Add("server.traverse.prims_per_s.c1", "1/s", rates);
    const Memory memory = ReadMemory(daemon_.pid());
    results_.Add("server.rss_mib", "MiB", {memory.resident});
    results_.Add("server.anon_mib", "MiB", {memory.anonymous});
  }

 private:
  void Settle() {
    if (options_.quiet > 0) options_.quiet -= WaitUntilIdle(options_.quiet);
  }

  static double Traverse(Client& client, const std::string& handle) {
    v1::TraverseRequest request;
    request.mutable_stage()->set_handle(handle);
    double prims = 0;
    const auto sink = [&](const v1::TraverseResponse& part) {
      prims += part.prims_size();
      return absl::OkStatus();
    };
    Require(client.Traverse(request, sink).ok() && prims > 0, "Traverse failed");
    return prims;
  }

  Measured Measure(const std::string& work, int clients) {
    std::vector<std::unique_ptr<ChildProcess>> processes;
    for (int i = 0; i < clients; ++i) {
      processes.push_back(std::make_unique<ChildProcess>(std::vector<std::string>{
          "/proc/self/exe", options_.scenes, "--client", work, "--address", daemon_.address(),
          "--seed", std::to_string(100 + i), "--seconds", std::to_string(options_.seconds)}));
    }
    for (const auto& process : processes) {
      Require(process->ReadLine() == "ready", "a client process failed at " + work);
    }
    const double server_before = ProcessCpuSeconds(daemon_.pid());
    const double clients_before = SecondsOf(processes);
    const double busy_before = MachineCpuSeconds(), start = Now();
    for (const auto& process : processes) process->Write("go\n");
    Measured measured;
    std::vector<double> latencies;
    for (const auto& process : processes) AddClient(ReadJson(*process), &measured, &latencies);
    const double server = ProcessCpuSeconds(daemon_.pid()) - server_before;
    const double others =
        MachineCpuSeconds() - busy_before - server - (SecondsOf(processes) - clients_before);
    measured.others = std::max(0.0, others / (Now() - start));
    std::sort(latencies.begin(), latencies.end());
    const size_t n = latencies.size();
    measured.p50_us = latencies[n / 2] * 1e6;
    measured.p99_us = latencies[std::min(n - 1, n * 99 / 100)] * 1e6;
    measured.cpu_us = server / static_cast<double>(n) * 1e6;
    return measured;
  }

  static double SecondsOf(const std::vector<std::unique_ptr<ChildProcess>>& processes) {
    double seconds = 0;
    for (const auto& process : processes) seconds += ProcessCpuSeconds(process->pid());
    return seconds;
  }

  static void AddClient(const nlohmann::json& client, Measured* measured,
                        std::vector<double>* latencies) {
    const double seconds = client["seconds"];
    for (double latency : client["latencies"]) latencies->push_back(latency);
    measured->qps += static_cast<double>(client["latencies"].size()) / seconds;
    measured->values_per_s += client["values"].get<double>() / seconds;
    measured->gib_per_s += client["bytes"].get<double>() / seconds / (1 << 30);
  }

  void AddLoad(const std::string& work, const std::string& suffix,
               const std::vector<Measured>& runs) {
    double others = 0;
    for (const Measured& run : runs) others = std::max(others, run.others);
    const auto add = [&](const char* what, const char* unit, double Measured::*field) {
      std::vector<double> values;
      for (const Measured& run : runs) values.push_back(run.*field);
      results_.Add("server." + work + "." + what + "." + suffix, unit, values, others);
    };
    add("qps", "1/s", &Measured::qps);
    add("p50_us", "us", &Measured::p50_us);
    add("p99_us", "us", &Measured::p99_us);
    add("cpu_us", "us", &Measured::cpu_us);
    if (work == "batch") add("values_per_s", "1/s", &Measured::values_per_s);
    if (work == "arrays") add("gib_per_s", "GiB/s", &Measured::gib_per_s);
    if (work == "skin") add("points_per_s", "1/s", &Measured::values_per_s);
  }

  LoadOptions options_;
  Results& results_;
  Daemon daemon_;
};

class NodeGroup {
 public:
  NodeGroup(LoadOptions options, Results* results)
      : options_(std::move(options)), results_(*results) {}

  // Includes the start of the daemon in the measurement.
  void ColdDaemon() {
    std::vector<double> firsts;
    for (int i = 0; i < (options_.brief ? 1 : 2); ++i) {
      const double start = Now();
      Daemon daemon;
      ChildProcess node = Start(daemon, "city", start, false);
      firsts.push_back(ReadJson(node)["first_s"]);
      Require(node.Wait() == 0, "a node failed");
    }
    results_.Add("node.daemon_cold.first_values_s", "s", firsts);
  }

  void Cold(const std::string& scene) {
    OpenByHolder(scene);
    const std::string suffix = scene == "city" ? "" : "." + scene;
    std::vector<double> firsts, walls, memories;
    Settle();
    for (int i = 0; i < (options_.brief ? 3 : 4); ++i) {
      const double start = Now();
      ChildProcess node = Start(*daemon_, scene, start, false);
      const nlohmann::json result = ReadJson(node);
      Require(node.Wait() == 0, "a node failed");
      Require(result["values"].get<int>() >= 1000, "a node found too few values");
      if (i == 0) continue;  // warms up
      walls.push_back(Now() - start);
      firsts.push_back(result["first_s"]);
      memories.push_back(result["rss_mib"]);
    }
    results_.Add("node.cold.first_values_s" + suffix, "s", firsts, -1,
                 scene + ": process start to the 1000th value");
    results_.Add("node.cold.wall_s" + suffix, "s", walls);
    results_.Add("node.cold.rss_mib" + suffix, "MiB", memories);
  }

  void OneAfterAnother() {
    const int count = options_.brief ? 4 : 16;
    Settle();
    const double seconds = Seconds([&] {
      for (int i = 0; i < count; ++i) {
        ChildProcess node = Start(*daemon_, "city", Now(), false);
        ReadJson(node);
        Require(node.Wait() == 0, "a node failed");
      }
    });
    results_.Add("node.seq16_s", "s", {seconds * 16 / count}, -1, "16 processes one after another");
  }

  void FourAtOnce() {
    std::vector<double> times, memories;
    Settle();
    for (int i = 0; i < 2; ++i) {
      const double daemon_before = ReadMemory(daemon_->pid()).anonymous;
      const double start = Now();
      std::vector<std::unique_ptr<ChildProcess>> nodes;
      for (int k = 0; k < 4; ++k) {
        nodes.push_back(std::make_unique<ChildProcess>(Start(*daemon_, "city", start, true)));
      }
      double anonymous = 0;
      for (const auto& node : nodes) anonymous += ReadJson(*node)["anon_mib"].get<double>();
      times.push_back(Now() - start);
      const double growth = ReadMemory(daemon_->pid()).anonymous - daemon_before;
      memories.push_back(anonymous + std::max(0.0, growth));
      for (const auto& node : nodes) Require(node->Wait() == 0, "a node failed");
    }
    results_.Add("node.par4_s", "s", times, -1,
                 "4 processes at once, until the last has its 1000th value");
    results_.Add("node.par4_anon_mib", "MiB", memories, -1,
                 "anonymous memory of the 4 and the growth of the daemon");
  }

 private:
  void Settle() {
    if (options_.quiet > 0) options_.quiet -= WaitUntilIdle(options_.quiet);
  }

  ChildProcess Start(const Daemon& daemon, const std::string& scene, double start, bool hold) {
    std::vector<std::string> words = {
        "/proc/self/exe", options_.scenes,  "--node",  scene,
        "--address",      daemon.address(), "--start", std::to_string(start)};
    if (hold) words.push_back("--hold");
    return ChildProcess(words);
  }

  // Opens the stage for a client that holds it during the measurement.
  void OpenByHolder(const std::string& scene) {
    if (!daemon_.has_value()) {
      daemon_.emplace();
      holder_ = Connect(daemon_->address());
    }
    OpenStage(*holder_, SceneInfo(options_.scenes, scene).root());
  }

  LoadOptions options_;
  Results& results_;
  std::optional<Daemon> daemon_;
  std::unique_ptr<Client> holder_;
};

}  // namespace

void MeasureServer(LoadOptions options, Results* results) {
  LoadGroup group(std::move(options), results);
  group.Load();
  group.OpenAndTraverse();
}

void MeasureNodes(LoadOptions options, Results* results) {
  NodeGroup group(std::move(options), results);
  group.ColdDaemon();
  for (const char* scene : {"city", "anim", "clips", "crowd"}) group.Cold(scene);
  group.OneAfterAnother();
  group.FourAtOnce();
}

}  // namespace stagedoor::bench
