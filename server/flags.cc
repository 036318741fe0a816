#include "server/flags.h"

#include <charconv>
#include <functional>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

// A number with an optional K, M or G (powers of 1024).
std::optional<size_t> ParseSize(std::string_view text) {
  size_t shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
  }
  if (shift != 0) text.remove_suffix(1);
  size_t number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number > (SIZE_MAX >> shift)) return std::nullopt;
  return number << shift;
}

struct Flag {
  std::string_view name;
  std::string_view help;
  // False: the value makes no sense.
  std::function<bool(const std::string& value, DaemonFlags& flags)> set;
};

template <typename Set>
Flag SizeFlag(std::string_view name, std::string_view help, Set set) {
  return {name, help, [set](const std::string& value, DaemonFlags& flags) {
            const std::optional<size_t> size = ParseSize(value);
            if (!size.has_value()) return false;
            set(flags.server, *size);
            return true;
          }};
}

template <typename Set>
Flag TextFlag(std::string_view name, std::string_view help, Set set) {
  return {name, help, [set](const std::string& value, DaemonFlags& flags) {
            set(flags, value);
            return !value.empty();
          }};
}

bool SetSwitch(const std::string& value, bool* out) {
  *out = value == "true" || value == "1";
  return *out || value == "false" || value == "0";
}

std::vector<Flag> AllFlags() {
  using F = DaemonFlags;
  using S = ServerOptions;
  return {
      TextFlag("address", "HOST:PORT or unix:PATH to listen on; repeatable; port 0: a free one",
               [](F& f, const std::string& v) { f.server.addresses.push_back(v); }),
      TextFlag("address-file", "file that gets the chosen addresses, one a line",
               [](F& f, const std::string& v) { f.address_file = v; }),
      TextFlag("metrics-address", "HOST:PORT of GET /metrics for Prometheus; none: not served",
               [](F& f, const std::string& v) { f.server.metrics_address = v; }),
      TextFlag("allow-root", "directory that may be read, with all below; repeatable",
               [](F& f, const std::string& v) { f.server.allowed_roots.push_back(v); }),
      TextFlag("search-path", "directory where asset paths are looked for; repeatable",
               [](F& f, const std::string& v) { f.server.search_paths.push_back(v); }),
      TextFlag("schema-path", "plugInfo.json, or its folder, of schema plug-ins; repeatable",
               [](F& f, const std::string& v) { f.server.schema_paths.push_back(v); }),
      SizeFlag("threads", "threads that do the work; 0: one per core",
               [](S& s, size_t v) { s.threads = static_cast<int>(v); }),
      SizeFlag("max-calls", "calls in flight", [](S& s, size_t v) { s.calls.max_calls = v; }),
      SizeFlag("max-call-steps", "of work of one call",
               [](S& s, size_t v) { s.calls.max_steps = v; }),
      SizeFlag("max-call-bytes", "scratch and reply of one call; half of --calls-bytes",
               [](S& s, size_t v) { s.calls.max_bytes = v; }),
      SizeFlag("calls-bytes", "of all calls in flight; a quarter of the memory",
               [](S& s, size_t v) { s.calls.all_bytes = v; }),
      SizeFlag("stall-seconds", "how long a client may leave a message unread",
               [](S& s, size_t v) { s.calls.stall = std::chrono::seconds(v); }),
      SizeFlag("max-call-seconds", "the longest deadline of a call",
               [](S& s, size_t v) { s.calls.max_duration = std::chrono::seconds(v); }),
      SizeFlag("max-request-bytes", "of one request",
               [](S& s, size_t v) { s.max_request_bytes = v; }),
      SizeFlag("max-reply-bytes", "of one unary reply",
               [](S& s, size_t v) { s.limits.max_reply_bytes = v; }),
      SizeFlag("max-batch-items", "paths x times of one batch",
               [](S& s, size_t v) { s.limits.max_items = v; }),
      SizeFlag("layer-cache-bytes", "of layers nobody holds",
               [](S& s, size_t v) { s.layer_cache_bytes = v; }),
      SizeFlag("clip-cache-bytes", "of clip layers, mapped files included; a quarter of the memory",
               [](S& s, size_t v) { s.clip_cache_bytes = v; }),
      SizeFlag("clip-cache-files", "clip layers open at the same time",
               [](S& s, size_t v) { s.clip_cache_files = v; }),
      SizeFlag("stage-cache-bytes", "of stages, held ones included",
               [](S& s, size_t v) { s.stages.max_bytes = v; }),
      SizeFlag("max-idle-stages", "stages kept while nobody holds them",
               [](S& s, size_t v) { s.stages.max_idle_stages = v; }),
      SizeFlag("max-stage-prims", "prims of one stage",
               [](S& s, size_t v) { s.max_stage_prims = v; }),
      SizeFlag("max-leases", "stage handles", [](S& s, size_t v) { s.leases.max_leases = v; }),
      SizeFlag("lease-ttl", "seconds a handle lives after its last use",
               [](S& s, size_t v) { s.leases.default_ttl = std::chrono::seconds(v); }),
      SizeFlag("max-lease-ttl", "the longest a client may ask for, seconds",
               [](S& s, size_t v) { s.leases.max_ttl = std::chrono::seconds(v); }),
      {"reflection", "true or false: gRPC server reflection",
       [](const std::string& v, F& f) { return SetSwitch(v, &f.server.reflection); }},
      TextFlag("log-level", "trace, debug, info, warn, error or off",
               [](F& f, const std::string& v) { f.log_level = v; }),
      {"drain-seconds", "how long running calls may take after SIGTERM",
       [](const std::string& v, F& f) {
         const auto seconds = ParseSize(v);
         f.drain_patience = std::chrono::seconds(seconds.value_or(0));
         return seconds.has_value();
       }},
  };
}

}  // namespace

absl::StatusOr<DaemonFlags> ParseFlags(const std::vector<std::string>& words) {
  const std::vector<Flag> all = AllFlags();
  DaemonFlags flags;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      flags.help = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, 2) == "--" ? word.substr(2, equals - 2) : std::string();
    const Flag* flag = nullptr;
    for (const Flag& candidate : all) {
      if (candidate.name == name) flag = &candidate;
    }
    if (flag == nullptr) return InvalidArgumentError("there is no flag ", word);
    if (equals == std::string::npos && i + 1 == words.size()) {
      return InvalidArgumentError(word, " needs a value");
    }
    const std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
    if (!flag->set(value, flags)) {
      return InvalidArgumentError("--", name, " can't be ", Quoted(value));
    }
  }
  if (flags.server.addresses.empty()) flags.server.addresses = {"127.0.0.1:50051"};
  return flags;
}

std::string FlagsHelp() {
  std::string help = "usage: stagedoord [--FLAG=VALUE]…\n";
  for (const Flag& flag : AllFlags()) help.append(Concat("  --", flag.name, "  ", flag.help, '\n'));
  return help;
}

}  // namespace stagedoor
