#include "resolver/resolver_context.h"

#include <algorithm>

#include "base/fingerprinter.h"
#include "base/heap_costs.h"
#include "base/reservation.h"
#include "base/strings.h"
#include "resolver/access/access_scope.h"
#include "resolver/asset_path.h"

namespace stagedoor {
namespace {

// The identifiers that Resolver::CreateIdentifier makes are normalized in the same way. A ".." in
// the inner part of a package path does not refer to the package.
std::string Normalized(const std::string& path) {
  return IsPackageRelativePath(path) ? path : NormalizeAssetPath(path);
}

size_t ByteSize(const ResolverContext::Pins& pins) {
  size_t bytes = 0;
  for (const auto& [from, to] : pins) {
    bytes += kNodeBytes + sizeof(ResolverContext::Pins::value_type) + from.size() + to.size();
  }
  return bytes;
}

size_t ByteSize(const std::vector<std::string>& texts) {
  size_t bytes = texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

}  // namespace

// The contents of a recipe, shared by the contexts that differ in the content of their pin files.
struct ResolverContext::Contents {
  explicit Contents(MemoryPool* memory) : charge(memory) {}

  size_t ByteSize() const {
    size_t bytes = sizeof(*this) + stagedoor::ByteSize(search_paths) +
                   stagedoor::ByteSize(pin_files) + stagedoor::ByteSize(layer_names) +
                   stagedoor::ByteSize(pins);
    for (const auto& [name, asset] : layers) {
      bytes += kNodeBytes + 2 * kHeapBlockBytes + sizeof(InMemoryAsset) + 2 * name.size() +
               asset->size();
    }
    return bytes;
  }
  std::string Fingerprint() const;

  std::vector<std::string> search_paths;
  std::vector<std::string> pin_files;
  std::vector<std::string> layer_names;
  Pins pins;
  std::unordered_map<std::string, std::shared_ptr<const Asset>, TextHash, std::equal_to<>> layers;
  std::shared_ptr<const AccessScope> access;
  std::string fingerprint;
  Reservation charge;
};

struct ResolverContext::Data {
  explicit Data(std::shared_ptr<const Contents> from)
      : recipe(std::move(from)), charge(recipe->charge.pool()) {}

  const std::shared_ptr<const Contents> recipe;
  std::vector<PinFile> files;
  std::string fingerprint;
  Reservation charge;
};

std::string ResolverContext::Contents::Fingerprint() const {
  std::vector<std::pair<std::string_view, std::string_view>> sorted(pins.begin(), pins.end());
  std::sort(sorted.begin(), sorted.end());
  Fingerprinter fingerprinter;
  // Each list begins with its length, so that no element can pass for one of another list.
  const auto add_list = [&](const std::vector<std::string>& list) {
    fingerprinter.Add(Concat(list.size()));
    for (const std::string& text : list) fingerprinter.Add(text);
  };
  add_list(search_paths);
  fingerprinter.Add(Concat(sorted.size()));
  for (const auto& [from, to] : sorted) {
    fingerprinter.Add(from);
    fingerprinter.Add(to);
  }
  add_list(pin_files);
  add_list(layer_names);
  for (const std::string& name : layer_names) {
    fingerprinter.Add(layers.find(name)->second->version().token());
  }
  if (access != nullptr) fingerprinter.Add(access->fingerprint());
  return fingerprinter.Finish();
}

ResolverContext ResolverContext::Create(Recipe recipe, MemoryPool* memory) {
  if (recipe.search_paths.empty() && recipe.pins.empty() && recipe.pin_files.empty() &&
      recipe.layers.empty() && recipe.access == nullptr) {
    return {};
  }
  auto made = std::make_shared<Contents>(memory);
  for (const std::string& path : recipe.search_paths) {
    made->search_paths.push_back(NormalizeAssetPath(path));
  }
  for (const std::string& path : recipe.pin_files) made->pin_files.push_back(Normalized(path));
  for (const auto& [from, to] : recipe.pins) made->pins.emplace(Normalized(from), Normalized(to));
  for (auto& [given, content] : recipe.layers) {
    std::string name = Normalized(given);
    if (made->layers.contains(name)) continue;
    AssetVersion version(Concat("memory:", FingerprintOf(content)));
    made->layers[name] = InMemoryAsset::FromString(name, std::move(version), std::move(content));
    made->layer_names.push_back(std::move(name));
  }
  std::sort(made->layer_names.begin(), made->layer_names.end());
  made->access = std::move(recipe.access);
  made->fingerprint = made->Fingerprint();
  made->charge.Add(made->ByteSize());
  auto data = std::make_shared<Data>(std::move(made));
  data->fingerprint = data->recipe->fingerprint;
  return ResolverContext(std::move(data));
}

ResolverContext ResolverContext::WithPinFiles(std::vector<PinFile> files) const {
  if (empty()) return {};
  auto data = std::make_shared<Data>(data_->recipe);
  data->files = std::move(files);
  Fingerprinter fingerprinter;
  fingerprinter.Add(data->recipe->fingerprint);
  size_t bytes = sizeof(Data);
  for (const PinFile& file : data->files) {
    fingerprinter.Add(file.content_fingerprint);
    bytes += sizeof(PinFile) + file.identifier.size() + file.resolved_path.size() +
             stagedoor::ByteSize(file.pins);
  }
  data->fingerprint = data->files.empty() ? data->recipe->fingerprint : fingerprinter.Finish();
  data->charge.Add(bytes);
  return ResolverContext(std::move(data));
}

ResolverContext ResolverContext::WithoutPinFiles() const {
  return empty() || data_->files.empty() ? *this : WithPinFiles({});
}

ResolverContext ResolverContext::ScopeOnly() const {
  return empty() ? ResolverContext() : Create({.access = data_->recipe->access});
}

const AccessScope* ResolverContext::access() const {
  return empty() ? nullptr : data_->recipe->access.get();
}

const std::vector<std::string>& ResolverContext::search_paths() const {
  static const std::vector<std::string> kNone;
  return empty() ? kNone : data_->recipe->search_paths;
}

const std::vector<std::string>& ResolverContext::pin_files() const {
  static const std::vector<std::string> kNone;
  return empty() ? kNone : data_->recipe->pin_files;
}

const std::vector<std::string>& ResolverContext::layer_names() const {
  static const std::vector<std::string> kNone;
  return empty() ? kNone : data_->recipe->layer_names;
}

const std::vector<ResolverContext::PinFile>& ResolverContext::read_pin_files() const {
  static const std::vector<PinFile> kNone;
  return empty() ? kNone : data_->files;
}

const std::string* ResolverContext::FindPin(std::string_view path) const {
  if (empty()) return nullptr;
  const auto find = [path](const Pins& pins) -> const std::string* {
    const auto it = pins.find(path);
    return it == pins.end() ? nullptr : &it->second;
  };
  const std::string* found = find(data_->recipe->pins);
  for (size_t i = 0; found == nullptr && i < data_->files.size(); ++i) {
    found = find(data_->files[i].pins);
  }
  return found;
}

std::shared_ptr<const Asset> ResolverContext::FindLayer(std::string_view name) const {
  if (empty()) return nullptr;
  const auto it = data_->recipe->layers.find(name);
  return it == data_->recipe->layers.end() ? nullptr : it->second;
}

const std::string& ResolverContext::recipe_fingerprint() const {
  static const std::string kNone;
  return empty() ? kNone : data_->recipe->fingerprint;
}

const std::string& ResolverContext::fingerprint() const {
  static const std::string kNone;
  return empty() ? kNone : data_->fingerprint;
}

}  // namespace stagedoor
