// dump_index ROOT.usdc [--session F] [--noload] [--unload PATH]… [--mute F]…
//            [--fallback SET=V1,V2]… [--graph PATH] [--unshared] [--limit N]
//            [--time]
// dump_index --batch
//
// Prints, for every prim of a scene of crate or text files, the specs that it is composed from and
// its children, as one JSON object per line. Recorded output of OpenUSD is compared with it.
//
// With --limit, the output of a scene with more prims, or one that takes more than a thousand times
// as many steps, ends with {"limit": true}, since random arcs can multiply without end. With
// --graph, prints the dump of one prim's index instead; with --time, only how long composing takes.
// With --batch, each line of standard input has such arguments, separated by tabs.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "scene/composition/composer.h"
#include "scene/usda/usda_reader.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

// Reads layers from files, without a resolver. Their identifiers are absolute paths.
class FileLayers final : public LayerSource {
 public:
  std::string Identify(RequestContext&, std::string_view asset_path, const Layer* anchor) override {
    const fs::path path(asset_path);
    if (path.is_absolute() || !anchor) return fs::absolute(path).lexically_normal();
    return (fs::path(anchor->identifier()).parent_path() / path).lexically_normal();
  }
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext&,
                                                    const std::string& identifier) override {
    std::shared_ptr<const Layer>& layer = layers_[identifier];
    if (layer) return layer;
    std::ifstream file(identifier, std::ios::binary);
    if (!file || fs::is_directory(identifier)) return NotFoundError(identifier);
    std::string& bytes = files_[identifier];
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    Layer::Info info{.identifier = identifier, .resolved_path = identifier};
    absl::StatusOr<std::shared_ptr<const Layer>> read =
        IsUsdc(std::as_bytes(std::span(bytes)))
            ? ReadUsdc(std::as_bytes(std::span(bytes)), {}, std::move(info))
            : ReadUsda(bytes, std::move(info));
    if (!read.ok()) return read.status();
    return layer = *read;
  }

 private:
  std::map<std::string, std::shared_ptr<const Layer>> layers_;
  std::map<std::string, std::string> files_;
};

constexpr uint64_t kStepsPerPrim = 1000;

// Composes a stage prim by prim and prints it. Errors also go to standard error, with their
// messages.
class Dumper {
 public:
  Dumper(Composer& composer, fs::path base, size_t limit)
      : composer_(composer),
        base_(std::move(base)),
        limit_(limit),
        context_(RequestContext::Clock::time_point::max(),
                 {.max_steps = limit == 0 ? RequestLimits{}.max_steps : limit * kStepsPerPrim}) {}

  std::string graph_path;

  void Walk(const PrimIndexRef& ref, Path path) {
    ++prims_;
    if (OverLimit()) return;
    Print(ref, path);
    for (const CompositionError& e : ref.index->errors()) AddError(e);
    for (const Token name : ref.index->child_names()) {
      Walk(composer_.ComposeChild(context_, ref, path, name), path.AppendChild(name));
    }
  }
  void PrintErrors() {
    for (const auto& stack : composer_.LayerStacks()) {
      for (const CompositionError& e : stack->errors()) AddError(e);
    }
    std::cout << "{\"errors\":[";
    const char* comma = "";
    for (const auto& [name, message] : errors_) {
      std::cout << comma << '"' << name << '"';
      comma = ",";
    }
    std::cout << "]}\n";
  }
  // The steps of the context count only if there is a limit.
  bool OverLimit() const { return limit_ != 0 && (prims_ > limit_ || !context_.Check().ok()); }
  RequestContext& context() { return context_; }

  void Time() {
    const auto start = std::chrono::steady_clock::now();
    const size_t prims = Count(composer_.ComposeRoot(context_), Path::AbsoluteRoot());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << prims << " prims, " << took.count() << " s\n";
  }

 private:
  size_t Count(const PrimIndexRef& ref, Path path) {
    size_t prims = 1;
    for (const Token name : ref.index->child_names()) {
      prims += Count(composer_.ComposeChild(context_, ref, path, name), path.AppendChild(name));
    }
    return prims;
  }
  void AddError(const CompositionError& e) {
    std::cerr << CompositionErrorName(e.type) << ": " << e.message << "\n";
    // Types only, since messages differ from OpenUSD's.
    errors_[std::string(CompositionErrorName(e.type))] = e.message;
  }
  // Recordings are made in another folder.
  std::string Relative(const std::string& identifier) const {
    return fs::path(identifier).lexically_relative(base_);
  }
  void Print(const PrimIndexRef& ref, Path path) {
    if (!graph_path.empty()) {
      if (path.ToString() == graph_path) std::cout << ref.index->Dump();
      return;
    }
    std::cout << "{\"path\":\"" << path.ToString() << "\",\"stack\":[";
    const char* comma = "";
    for (const PrimSpecHandle& site : ref.index->prim_stack()) {
      const LayerOffset offset = ref.OffsetOf(site);
      std::cout << comma << "[\"" << Relative(site.layer->identifier()) << "\",\""
                << site.layer->tree().path(site.spec).ToString() << "\"," << offset.offset << ","
                << offset.scale << "]";
      comma = ",";
    }
    std::cout << "],\"children\":[";
    comma = "";
    for (const Token name : ref.index->child_names()) {
      std::cout << comma << '"' << name.text() << '"';
      comma = ",";
    }
    std::cout << "],\"instance\":" << (ref.index->instanceable() ? "true" : "false")
              << ",\"payload\":" << (ref.index->has_payloads() ? "true" : "false") << "}\n";
  }

  Composer& composer_;
  const fs::path base_;
  const size_t limit_;
  size_t prims_ = 0;
  RequestContext context_;
  std::map<std::string, std::string> errors_;
};

struct Arguments {
  CompositionOptions composition;
  std::string root, session, graph;
  size_t limit = 0;
  bool time = false;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Unloads the payloads at and below `path`, in addition to those that are unloaded already.
void Unload(std::string_view path, CompositionOptions* options) {
  options->include_payload = [before = options->include_payload,
                              root = Path::Parse(path).value_or(Path())](Path prim) {
    return (root.empty() || !prim.HasPrefix(root)) && (!before || before(prim));
  };
}

Arguments ParseArguments(const std::vector<std::string>& words) {
  Arguments result;
  CompositionOptions& options = result.composition;
  result.root = words[0];
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string value = i + 1 < words.size() ? words[i + 1] : std::string();
    if (word == "--noload") options.include_payload = [](Path) { return false; };
    if (word == "--unload") Unload(value, &options);
    if (word == "--mute") options.muted_layers.push_back(fs::absolute(value));
    if (word == "--unshared") options.share_subtrees = false;
    if (word == "--time") result.time = true;
    if (word == "--session") result.session = fs::absolute(value);
    if (word == "--limit") result.limit = std::stoul(value);
    if (word == "--graph") result.graph = value;
    if (word == "--fallback") {
      const size_t equals = value.find('=');
      if (equals == std::string::npos) continue;
      options.variant_fallbacks.emplace_back(
          value.substr(0, equals), Split(std::string_view(value).substr(equals + 1), ','));
    }
  }
  return result;
}

int Run(const std::vector<std::string>& words) {
  Arguments args = ParseArguments(words);
  auto source = std::make_unique<FileLayers>();
  RequestContext context;
  const fs::path root_path = fs::absolute(args.root).lexically_normal();
  const auto root = source->Open(context, root_path);
  std::shared_ptr<const Layer> session;
  if (!args.session.empty()) session = source->Open(context, args.session).value_or(nullptr);
  if (!root.ok()) {
    std::cerr << Message(root.status()) << "\n";
    return 1;
  }
  const std::unique_ptr<Composer> composer =
      Composer::Create(context, std::move(source), *root, session, std::move(args.composition));
  Dumper dumper(*composer, root_path.parent_path(), args.limit);
  if (args.time) return dumper.Time(), 0;
  dumper.graph_path = args.graph;
  dumper.Walk(composer->ComposeRoot(context), Path::AbsoluteRoot());
  if (dumper.OverLimit()) {
    std::cout << "{\"limit\":true}\n";
  } else if (args.graph.empty()) {
    dumper.PrintErrors();
  }
  return 0;
}

int RunBatch() {
  for (std::string line; std::getline(std::cin, line);) {
    if (const int status = Run(Split(line, '\t'))) return status;
    std::cout << std::flush;
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::vector<std::string> args(argv + 1, argv + argc);
  return args[0] == "--batch" ? stagedoor::RunBatch() : stagedoor::Run(args);
}
