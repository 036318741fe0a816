// dump_values: prints the values of attributes of scenes, for comparison with OpenUSD.
//
// Reads requests from standard input, one per line: "ROOT TIMES INTERVALS INTERPOLATION FLAT WHAT",
// with TIMES as "default,1,pre:2.5", INTERVALS as "1:5,2:3" (or "-"), INTERPOLATION linear or held,
// FLAT the file to write the flattened stage to (or "-") and WHAT, which may be absent, "covering"
// for the samples that cover the intervals.
// For each request prints one JSON object per line and authored attribute, then an empty line:
//   {"path", "source", "samples", "count", "varying", "values": {TIME: …}, "brackets": {TIME: [a,
//   b]}, "inside": {INTERVAL: […]}, "covering": {INTERVAL: [[TIME, PRE, …], …]}}
// Brackets are printed for numeric times only.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/strings.h"
#include "scene/engine/local_engine.h"
#include "scene/export/flatten.h"
#include "scene/stage/stage.h"
#include "scene/usda/usda_writer.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, separator);) parts.push_back(word);
  return parts;
}

struct Interval {
  std::string text;
  double first;
  double last;
};

struct Request {
  StageOptions stage;
  std::vector<std::pair<std::string, TimeCode>> times;
  std::vector<Interval> intervals;
  std::string flat;  // not flattened if empty
  bool covering = false;
};

Request ParseRequest(const std::string& line) {
  const std::vector<std::string> words = Split(line, ' ');
  Request request;
  request.stage.root = words.at(0);
  for (const std::string& word : Split(words.at(1), ',')) {
    request.times.emplace_back(word, TimeCode::Parse(word).value_or(TimeCode()));
  }
  if (words.at(2) != "-") {
    for (const std::string& word : Split(words.at(2), ',')) {
      const auto ends = Split(word, ':');
      request.intervals.push_back({word, std::stod(ends.at(0)), std::stod(ends.at(1))});
    }
  }
  if (words.size() > 4 && words[4] != "-") request.flat = words[4];
  request.covering = words.size() > 5 && words[5] == "covering";
  if (words.at(3) == "held") request.stage.interpolation = Interpolation::kHeld;
  return request;
}

const char* NameOf(ResolveInfoSource kind) {
  constexpr const char* kNames[] = {"none",        "fallback",   "default",
                                    "timeSamples", "valueClips", "spline"};
  return kNames[static_cast<int>(kind)];
}

const std::vector<AttributeSample> kNoSamples;

template <typename Times>
void AppendTimes(const Times& times, std::string* out) {
  AppendValueJson(Value(Array<double>::FromVector({times.begin(), times.end()})), out);
}

// Formats one attribute as a line.
class Line {
 public:
  Line(RequestContext& context, const Attribute& attribute)
      : context_(context), attribute_(attribute), source_(attribute.Compile(context)) {}

  std::string Text(const Request& request) {
    Key("path", "{");
    AppendJsonString(attribute_.path().ToString(), &out_);
    Key("source");
    AppendJsonString(NameOf(source_.kind()), &out_);
    Key("samples");
    AppendTimes(source_.SampleTimes(context_), &out_);
    Key("count");
    out_ += std::to_string(source_.SampleCount(context_));
    Key("varying");
    out_ += source_.MightBeTimeVarying(context_) ? "true" : "false";
    AddValues(request);
    AddBrackets(request);
    AddIntervals(request);
    if (request.covering) AddCovering(request);
    return out_ + "}\n";
  }

 private:
  void Key(std::string_view name, const char* before = ",") {
    out_ += before;
    AppendJsonString(name, &out_);
    out_ += ':';
  }

  void AddValues(const Request& request) {
    Key("values");
    const char* comma = "{";
    for (const auto& [word, time] : request.times) {
      Key(word, std::exchange(comma, ","));
      AddValue(attribute_.Get(context_, time));
    }
    out_ += '}';
  }

  void AddValue(const Value& value) {
    if (value.empty() || value.is_invalid()) {
      out_ += "null";
    } else {
      AppendValueJson(value, &out_);
    }
  }

  void AddCovering(const Request& request) {
    Key("covering");
    out_ += '{';
    const char* comma = "";
    for (const auto& [text, first, last] : request.intervals) {
      Key(text, std::exchange(comma, ","));
      out_ += '[';
      const auto samples = source_.SamplesCovering(context_, first, last, /*most=*/1000000);
      const char* between = "";
      for (const AttributeSample& sample : samples.ok() ? *samples : kNoSamples) {
        out_ += std::exchange(between, ",");
        out_ += '[';
        AppendValueJson(Value(sample.time), &out_);
        out_ += sample.pre ? ",true," : ",false,";
        AddValue(attribute_.Get(context_, source_, sample, request.stage.interpolation));
        out_ += ']';
      }
      out_ += ']';
    }
    out_ += '}';
  }

  void AddBrackets(const Request& request) {
    Key("brackets");
    out_ += '{';
    const char* comma = "";
    for (const auto& [word, time] : request.times) {
      if (time.is_default() || time.is_pre_time()) continue;
      Key(word, std::exchange(comma, ","));
      const auto around = source_.Bracketing(context_, time.value());
      if (around) {
        AppendTimes(std::vector<double>{around->first, around->second}, &out_);
      } else {
        out_ += "null";
      }
    }
    out_ += '}';
  }

  void AddIntervals(const Request& request) {
    Key("inside");
    out_ += '{';
    const char* comma = "";
    for (const auto& [text, first, last] : request.intervals) {
      Key(text, std::exchange(comma, ","));
      AppendTimes(source_.SampleTimesIn(context_, first, last), &out_);
    }
    out_ += '}';
  }

  RequestContext& context_;
  const Attribute& attribute_;
  const AttributeSource source_;
  std::string out_;
};

// Each request has an engine of its own: the files of the previous one are overwritten.
void Answer(std::shared_ptr<const SchemaRegistry>& schemas, const Request& request) {
  RequestContext context;
  InlineExecutor executor;
  const auto engine = LocalEngine::Create({.schemas = schemas}, executor);
  if (!engine.ok()) return;
  schemas = (*engine)->schemas();
  const auto stage = Stage::Open(context, (*engine)->environment(), request.stage);
  if (!stage.ok()) {
    std::cout << "{\"error\":true}\n";
    return;
  }
  if (!request.flat.empty()) {
    const auto flat = FlattenStage(context, **stage, {.identifier = "flat.usda"});
    if (flat.ok()) std::ofstream(request.flat) << WriteUsda(**flat);
  }
  for (const Prim& prim : (*stage)->Traverse(PrimFlagsPredicate::All())) {
    for (const Token name : prim.AuthoredPropertyNames()) {
      const Property property = prim.GetProperty(name);
      if (property.is_attribute()) std::cout << Line(context, Attribute(property)).Text(request);
    }
  }
}

int Run() {
  std::shared_ptr<const SchemaRegistry> schemas;
  for (std::string line; std::getline(std::cin, line);) {
    Answer(schemas, ParseRequest(line));
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main() { return stagedoor::Run(); }
