// server_driver: the server.* and node.* metrics of bench/README.md, through a daemon over TCP
// loopback.
//
//   server_driver SCENES --json OUT [--groups server,node] [--work small,batch,…]
//                 [--clients 1,4,16] [--seconds 4] [--runs 3] [--only PREFIX] [--brief]
//                 [--quiet SECONDS]
//
// Starts and stops the daemon itself ($STAGEDOORD, or the one built beside it). Clients are this
// program again, with --client or --node.
#include <malloc.h>

#include <climits>
#include <thread>

#include "benchmarks/client_main.h"
#include "benchmarks/load_group.h"
#include "benchmarks/report.h"
#include "benchmarks/words.h"

namespace stagedoor::bench {
namespace {

struct Options {
  LoadOptions load;
  std::string json, only;
  std::string groups = "server,node";
  // Of client processes.
  std::string client, node, address;
  uint32_t seed = 0;
  double start = 0;
  bool hold = false;
};

std::vector<int> Numbers(const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& part : Split(text, ',')) numbers.push_back(std::stoi(part));
  return numbers;
}

// Options of a driver; those of others are taken too, so that one set can be given to all.
bool ParseCommon(const std::string& word, Words& words, Options* o) {
  if (word == "--json")
    o->json = words.Value();
  else if (word == "--only")
    o->only = words.Value();
  else if (word == "--groups")
    o->groups = words.Value();
  else if (word == "--work")
    o->load.work = Split(words.Value(), ',');
  else if (word == "--clients")
    o->load.clients = Numbers(words.Value());
  else if (word == "--seconds")
    o->load.seconds = std::stod(words.Value());
  else if (word == "--runs")
    o->load.runs = std::stoi(words.Value());
  else if (word == "--quiet")
    o->load.quiet = std::stod(words.Value());
  else if (word == "--brief")
    o->load.brief = true;
  else
    return false;
  return true;
}

bool ParseClient(const std::string& word, Words& words, Options* o) {
  if (word == "--client")
    o->client = words.Value();
  else if (word == "--node")
    o->node = words.Value();
  else if (word == "--address")
    o->address = words.Value();
  else if (word == "--seed")
    o->seed = static_cast<uint32_t>(std::stoul(words.Value()));
  else if (word == "--start")
    o->start = std::stod(words.Value());
  else if (word == "--hold")
    o->hold = true;
  else
    return false;
  return true;
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  Words words(argc, argv);
  while (const std::optional<std::string> word = words.Next()) {
    if (ParseCommon(*word, words, &options) || ParseClient(*word, words, &options)) continue;
    if (!options.load.scenes.empty() || word->starts_with("-")) words.Refuse();
    options.load.scenes = *word;
  }
  Require(!options.load.scenes.empty(), "usage: server_driver SCENES [--json OUT] [OPTIONS]");
  if (options.load.brief) {
    options.load.seconds = std::min(options.load.seconds, 1.0);
    options.load.runs = 1;
  }
  return options;
}

// Large messages would fault their pages in anew each time.
void KeepFreedMemory() {
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  // The heap of each thread grows by pages, each time with the whole process's mappings locked.
  mallopt(M_TOP_PAD, 16 << 20);
}

int Main(int argc, char** argv) {
  const Options o = ParseOptions(argc, argv);
  if (!o.client.empty()) {
    KeepFreedMemory();
    return RunLoadClient(o.address, o.load.scenes, o.client, o.seed, o.load.seconds);
  }
  if (!o.node.empty()) return RunNodeClient(o.address, o.load.scenes, o.node, o.start, o.hold);
  Results results(o.only);
  for (const std::string& group : Split(o.groups, ',')) {
    if (group == "server") MeasureServer(o.load, &results);
    if (group == "node") MeasureNodes(o.load, &results);
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
