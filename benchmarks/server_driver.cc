// server_driver: the server.* and node.* metrics of bench/README.md, through a daemon over TCP
// loopback.
//
//   server_driver SCENES --json OUT [--groups server,node,coalescing] [--work small,batch,…]
//                 [--clients 1,4,16] [--seconds 4] [--runs 3] [--only PREFIX] [--brief]
//                 [--quiet SECONDS]
//
// Starts and stops the daemon itself ($STAGEDOORD, or the one built beside it). Client processes
// run this program with --client, --load or --node.
#include <malloc.h>

#include <algorithm>
#include <climits>
#include <thread>

#include "benchmarks/client_main.h"
#include "benchmarks/driver_flags.h"
#include "benchmarks/load_group.h"
#include "benchmarks/report.h"

namespace stagedoor::bench {
namespace {

struct Options {
  LoadOptions load;
  std::string json, only;
  std::string groups = "server,node,coalescing,fairness";
  // The options of client processes.
  std::string client, node, load_work, address;
  int threads = 1;
  uint32_t seed = 0;
  double start = 0;
  bool hold = false;
};

std::vector<int> Numbers(const std::vector<std::string>& texts) {
  std::vector<int> numbers;
  for (const std::string& text : texts) numbers.push_back(std::stoi(text));
  return numbers;
}

const std::vector<FlagSpec>& KnownFlags() {
  static const auto* known = new std::vector<FlagSpec>{
      {"json", "FILE"},
      {"only", "PREFIX"},
      {"groups", "GROUP,…"},
      {"work", "WORK,…"},
      {"clients", "N,…"},
      {"seconds", "SECONDS"},
      {"runs", "N"},
      {"quiet", "SECONDS"},
      {"brief", ""},
      // For client processes.
      {"client", "WORK"},
      {"node", "SCENE"},
      {"load", "WORK"},
      {"threads", "N"},
      {"address", "HOST:PORT"},
      {"seed", "N"},
      {"start", "SECONDS"},
      {"hold", ""},
  };
  return *known;
}

LoadOptions ParseLoad(const DriverFlags& flags) {
  LoadOptions load;
  load.scenes = flags.scenes();
  load.work = flags.List("work", load.work);
  if (flags.Has("clients")) load.clients = Numbers(flags.List("clients", {}));
  load.seconds = flags.Number("seconds", load.seconds);
  load.runs = static_cast<int>(flags.Number("runs", load.runs));
  load.quiet = flags.Number("quiet", load.quiet);
  load.brief = flags.Has("brief");
  if (load.brief) {
    load.seconds = std::min(load.seconds, 1.0);
    load.runs = 1;
  }
  return load;
}

Options ParseOptions(int argc, char** argv) {
  const DriverFlags flags(argc, argv, "server_driver", KnownFlags());
  Options options;
  options.load = ParseLoad(flags);
  options.json = flags.Text("json");
  options.only = flags.Text("only");
  options.groups = flags.Text("groups", options.groups);
  options.client = flags.Text("client");
  options.node = flags.Text("node");
  options.load_work = flags.Text("load");
  options.threads = static_cast<int>(flags.Number("threads", options.threads));
  options.address = flags.Text("address");
  options.seed = static_cast<uint32_t>(flags.Number("seed", options.seed));
  options.start = flags.Number("start", options.start);
  options.hold = flags.Has("hold");
  return options;
}

// Otherwise large messages would fault in their pages each time.
void KeepFreedMemory() {
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  // Otherwise each thread's heap grows page by page, each time with the process's mappings locked.
  mallopt(M_TOP_PAD, 16 << 20);
}

int Main(int argc, char** argv) {
  const Options o = ParseOptions(argc, argv);
  if (!o.client.empty()) {
    KeepFreedMemory();
    return RunLoadClient(o.address, o.load.scenes, o.client, o.seed, o.load.seconds);
  }
  if (!o.load_work.empty()) return RunLoad(o.address, o.load.scenes, o.load_work, o.threads);
  if (!o.node.empty()) return RunNodeClient(o.address, o.load.scenes, o.node, o.start, o.hold);
  Results results(o.only);
  for (const std::string& group : Split(o.groups, ',')) {
    if (group == "server") MeasureServer(o.load, &results);
    if (group == "node") MeasureNodes(o.load, &results);
    if (group == "fairness") MeasureFairness(o.load, &results);
    if (group == "coalescing") MeasureCoalescing(o.load, &results);
  }
  if (!o.json.empty()) {
    results.Write(o.json, {{"side", "stagedoor"},
                           {"cores", std::thread::hardware_concurrency()},
                           {"seconds", o.load.seconds},
                           {"runs", o.load.runs}});
  }
  return results.empty() ? 1 : 0;
}

}  // namespace
}  // namespace stagedoor::bench

int main(int argc, char** argv) { return stagedoor::bench::Main(argc, argv); }
