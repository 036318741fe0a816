#ifndef STAGEDOOR_RESOLVER_RESOLVER_CONTEXT_H_
#define STAGEDOOR_RESOLVER_RESOLVER_CONTEXT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_pool.h"
#include "resolver/asset.h"

namespace stagedoor {

class AccessScope;

// A client's settings for resolving the asset paths of its stage. Corresponds to OpenUSD's
// ArResolverContext, with the content of an ArDefaultResolverContext and more; unlike there,
// nothing is bound to a thread: every call of a Resolver is given the context.
//
// A handle to immutable data: cheap to copy, thread-safe. The default is the empty context. Two
// contexts resolve alike if their fingerprints are equal.
class ResolverContext {
 public:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // From an asset path to the path that replaces it.
  using Pins = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;

  // The input of Create. All paths are absolute, URIs, or search paths.
  struct Recipe {
    // Directories or URI prefixes to look in for search paths, in order, before those of the
    // resolver itself.
    std::vector<std::string> search_paths;
    // Asset paths, as authored (search paths only), as identifiers or as resolved paths, each with
    // the asset path that replaces it. Replacements are not replaced again.
    std::vector<std::pair<std::string, std::string>> pins;
    // Asset paths of JSON files with more pins (LoadPinFiles). Weaker than `pins`, the first file
    // strongest.
    std::vector<std::string> pin_files;
    // Layers by name, each with its content. They take precedence over stored assets of the name.
    std::vector<std::pair<std::string, std::string>> layers;
    // The stored assets that may be read; null for all. Layers of the context are always readable.
    std::shared_ptr<const AccessScope> access;
  };

  // A pin file as it was read.
  struct PinFile {
    std::string identifier;
    std::string resolved_path;
    AssetVersion version;
    std::string content_fingerprint;
    Pins pins;
  };

  ResolverContext() = default;
  // Normalizes all paths. Of several pins or layers of one name, the first counts. `memory`, which
  // may be null and must outlive the context and its copies, is charged with its size. Pin files
  // are not read yet.
  static ResolverContext Create(Recipe recipe, MemoryPool* memory = nullptr);
  // This context with the content of its pin files, which are in the order of pin_files().
  ResolverContext WithPinFiles(std::vector<PinFile> files) const;
  // This context as it was before its pin files were read.
  ResolverContext WithoutPinFiles() const;

  // A context with the access scope of this one, and nothing else.
  ResolverContext ScopeOnly() const;

  bool empty() const { return data_ == nullptr; }
  const AccessScope* access() const;  // null if all stored assets may be read
  const std::vector<std::string>& search_paths() const;
  const std::vector<std::string>& pin_files() const;  // asset paths
  // The names of the layers, sorted.
  const std::vector<std::string>& layer_names() const;
  // Those that were read; empty before.
  const std::vector<PinFile>& read_pin_files() const;

  // The path that replaces `path`; null if it is not pinned.
  const std::string* FindPin(std::string_view path) const;
  // The layer of this name, as an asset; null if there is none. Its version depends on nothing but
  // its content.
  std::shared_ptr<const Asset> FindLayer(std::string_view name) const;

  // Names the recipe: equal for equal recipes, on every machine. Empty for the empty context.
  const std::string& recipe_fingerprint() const;
  // As recipe_fingerprint, with the content of the pin files that were read.
  const std::string& fingerprint() const;

  friend bool operator==(const ResolverContext& a, const ResolverContext& b) {
    return a.data_ == b.data_ || a.fingerprint() == b.fingerprint();
  }

 private:
  struct Contents;
  struct Data;

  explicit ResolverContext(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;  // null if empty
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_RESOLVER_CONTEXT_H_
