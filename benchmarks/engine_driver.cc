// engine_driver: measures the in-process metrics of bench/README.md on the engine itself.
//
//   engine_driver SCENES --json OUT [--groups open,city,…] [--only PREFIX] [--runs 5] [--brief]
//                 [--quiet SECONDS] [--cpu]
//   engine_driver SCENES --child GROUP --lane 1|2|both      see lanes.h
//
// Each group runs in its own fresh process (this program with --child), after the scene's files
// have been read once. --cpu counts the processor time of all threads instead of wall time, for use
// on a busy machine.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/child_process.h"
#include "benchmarks/driver_flags.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/report.h"
#include "benchmarks/require.h"
#include "benchmarks/results.h"

namespace stagedoor::bench {
namespace {

struct Options {
  std::string scenes;
  std::string json;
  std::string groups = "open,city,anim,clips,crowd,text,wide";
  std::string child;
  bool processor_time = false;
  ReportOptions report;
};

Options ParseOptions(int argc, char** argv) {
  const DriverFlags flags(argc, argv, "engine_driver",
                          {{"json", "FILE"},
                           {"groups", "GROUP,…"},
                           {"only", "PREFIX"},
                           {"child", "GROUP"},
                           {"runs", "N"},
                           {"quiet", "SECONDS"},
                           {"cpu", ""},
                           {"brief", ""},
                           {"one-thread", ""},
                           {"lane", "1|2|both"}});
  Options options;
  options.scenes = flags.scenes();
  options.json = flags.Text("json");
  options.groups = flags.Text("groups", options.groups);
  options.child = flags.Text("child");
  options.processor_time = flags.Has("cpu");
  options.report.only = flags.Text("only");
  options.report.runs = static_cast<int>(flags.Number("runs", options.report.runs));
  options.report.quiet = flags.Number("quiet", options.report.quiet);
  options.report.brief = flags.Has("brief");
  options.report.one_thread = flags.Has("one-thread");
  if (flags.Has("lane")) options.report.lane = ParseLane(flags.Text("lane"));
  Require(options.report.lane == Lane::kNone || !options.child.empty(), "--lane needs --child");
  return options;
}

int RunChild(const Options& options) {
  if (options.processor_time) UseCpuTimeClock();
  Report report(options.report);
  const size_t colon = options.child.find(':');
  const std::string group = options.child.substr(0, colon);
  if (group == "open")
    MeasureOpen(options.scenes, options.child.substr(colon + 1), report);
  else if (group == "city")
    MeasureCity(options.scenes, report);
  else if (group == "anim")
    MeasureAnim(options.scenes, report);
  else if (group == "clips")
    MeasureClips(options.scenes, report);
  else if (group == "crowd")
    MeasureCrowd(options.scenes, report);
  else if (group == "text")
    MeasureText(options.scenes, report);
  else if (group == "wide")
    MeasureWide(options.scenes, report);
  else
    Require(false, "unknown group " + group);
  return 0;
}

struct Run {
  std::string child;
  bool one_thread = false;
};

// One run per group and scene to open, and one with a single thread where the peer has that.
std::vector<Run> Plan(const std::string& groups) {
  std::vector<Run> plan;
  for (const std::string& group : Split(groups, ',')) {
    if (group == "open") {
      for (const char* scene : {"crowd", "clips", "city", "anim", "wide"}) {
        plan.push_back({std::string("open:") + scene});
      }
      plan.push_back({"open:city", true});
      plan.push_back({"open:wide", true});
    } else {
      plan.push_back({group});
      if (group == "crowd") plan.push_back({group, true});
    }
  }
  return plan;
}

// Runs this program for one group and adds its results. False if it failed.
bool RunGroup(const Options& options, const Run& run, Results* results) {
  const size_t colon = run.child.find(':');
  WarmPageCache(options.scenes + "/" +
                (colon == std::string::npos ? run.child : run.child.substr(colon + 1)));
  std::vector<std::string> words = {"/proc/self/exe", options.scenes,
                                    "--child",        run.child,
                                    "--runs",         std::to_string(options.report.runs),
                                    "--quiet",        std::to_string(options.report.quiet)};
  if (options.report.brief) words.push_back("--brief");
  if (options.processor_time) words.push_back("--cpu");
  if (!options.report.only.empty()) words.insert(words.end(), {"--only", options.report.only});
  if (run.one_thread) words.push_back("--one-thread");
  ChildProcess child(words);
  while (const std::optional<std::string> line = child.ReadLine()) {
    if (line->starts_with("@@")) results->Add(nlohmann::json::parse(line->substr(2)));
  }
  return child.Wait() == 0;
}

int RunAll(const Options& options) {
  Results results(options.report.only);
  nlohmann::json failed = nlohmann::json::array();
  for (const Run& run : Plan(options.groups)) {
    if (!RunGroup(options, run, &results)) {
      std::fprintf(stderr, "bench: group %s failed\n", run.child.c_str());
      failed.push_back(run.child);
    }
  }
  if (!options.json.empty()) {
    results.Write(options.json, {{"side", "stagedoor"},
                                 {"cores", std::thread::hardware_concurrency()},
                                 {"runs", options.report.runs},
                                 {"brief", options.report.brief},
                                 {"clock", options.processor_time ? "processor" : "wall"},
                                 {"failed_groups", failed}});
  }
  return results.empty() ? 1 : 0;
}

int Main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  return options.child.empty() ? RunAll(options) : RunChild(options);
}

}  // namespace
}  // namespace stagedoor::bench

int main(int argc, char** argv) { return stagedoor::bench::Main(argc, argv); }
