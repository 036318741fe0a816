#include "stage_arguments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "usd.h"

namespace stagedoor::openusd {
namespace {

constexpr std::string_view kScheme = "stagedoor:";
constexpr std::string_view kExtension = ".stagedoor";

bool SetLoad(const std::string& value, StageArguments* arguments) {
  arguments->load_none = value == "none";
  return value == "none" || value == "all";
}

bool SetInterpolation(const std::string& value, StageArguments* arguments) {
  arguments->held = value == "held";
  return value == "held" || value == "linear";
}

bool SetBoundaries(const std::string& value, StageArguments* arguments) {
  using Boundaries = StageArguments::Boundaries;
  double depth = 0;
  if (value == "none") {
    arguments->boundaries = Boundaries::kNone;
  } else if (value == "payloads") {
    arguments->boundaries = Boundaries::kPayloads;
  } else if (ParseNumber(value, 1, 1000, &depth) && depth == std::floor(depth)) {
    arguments->boundaries = Boundaries::kDepth;
    arguments->boundary_depth = static_cast<uint32_t>(depth);
  } else {
    return false;
  }
  return true;
}

bool SetVariants(const std::string& value, StageArguments* arguments) {
  arguments->variants = WordsOf(value);
  return std::all_of(
      arguments->variants.begin(), arguments->variants.end(), [](const std::string& path) {
        return SdfPath::IsValidPathString(path) && SdfPath(path).IsPrimVariantSelectionPath();
      });
}

bool SetMask(const std::string& value, StageArguments* arguments) {
  arguments->mask = WordsOf(value);
  return std::all_of(arguments->mask.begin(), arguments->mask.end(), [](const std::string& path) {
    return SdfPath::IsValidPathString(path) && SdfPath(path).IsAbsolutePath();
  });
}

bool SetTime(const std::string& value, StageArguments* arguments) {
  constexpr double kMost = std::numeric_limits<double>::max();
  double time = 0;
  if (!ParseNumber(value, -kMost, kMost, &time)) return false;
  arguments->time = time;
  return true;
}

ArgumentKeys<StageArguments> MakeKeys() {
  using A = StageArguments;
  ArgumentKeys<A> keys = {
      {"boundaries", {"'none', 'payloads' or a depth from 1 to 1000", SetBoundaries}},
      {"cache_mib",
       NumberKey("a number of MiB up to 1048576", 0, 1 << 20, 1 << 20, &A::cache_bytes)},
      {"interpolation", {"'linear' or 'held'", SetInterpolation}},
      {"load", {"'all' or 'none'", SetLoad}},
      {"mask", {"absolute prim paths", SetMask}},
      {"prefetch", NumberKey("a number of attributes up to 100000", 0, 100'000, 1, &A::prefetch)},
      {"root", TextKey(&A::root)},
      {"session", TextKey(&A::session)},
      {"session_layer", TextKey(&A::session_layer)},
      {"snapshot", TextKey(&A::snapshot)},
      {"time", {"a time code", SetTime}},
      {"variants", {"paths with variant selections, such as /World/Char{look=red}", SetVariants}},
  };
  keys.merge(ConnectionKeys<A>());
  return keys;
}

const ArgumentKeys<StageArguments>& Keys() {
  static const auto* const kKeys = new ArgumentKeys<StageArguments>(MakeKeys());
  return *kKeys;
}

std::string WithoutExtension(std::string path) {
  if (TfStringEndsWith(path, std::string(kExtension))) {
    path.resize(path.size() - kExtension.size());
  }
  return path;
}

// The root layer that a path stands for.
std::string RootOf(const std::string& path) {
  if (IsStagedoorUri(path)) return WithoutExtension(path.substr(kScheme.size()));
  return WithoutExtension(path);
}

// A root layer in a .stagedoor file may be relative to it.
std::string Anchored(const std::string& root, const std::string& path) {
  const bool relative = !root.empty() && root[0] != '/' && root.find(':') == std::string::npos;
  if (!relative || IsStagedoorUri(path)) return root;
  return TfNormPath(TfGetPathName(path) + root);
}

}  // namespace

bool IsStagedoorUri(const std::string& path) {
  return TfStringStartsWith(path, std::string(kScheme));
}

Result<StageArguments> ParseStageArguments(const std::string& path, const std::string& text,
                                           const ArgumentMap& given) {
  Result<ArgumentMap> all = ParseArgumentLines(text);
  if (!all.ok()) return all.failure();
  for (const auto& [key, value] : given) (*all)[key] = value;
  StageArguments arguments;
  for (const auto& [key, value] : *all) {
    if (key == "target") continue;  // Sdf's own
    if (const auto failure = SetArgument(Keys(), key, value, &arguments)) return *failure;
  }
  if (!arguments.session.empty() && arguments.boundaries == StageArguments::Boundaries::kPayloads) {
    return Failure{
        SD_INVALID_ARGUMENT,
        "a session with a name has one load policy, so 'boundaries' cannot be 'payloads'; "
        "use a depth"};
  }
  arguments.root = arguments.root.empty() ? RootOf(path) : Anchored(arguments.root, path);
  return arguments;
}

}  // namespace stagedoor::openusd
