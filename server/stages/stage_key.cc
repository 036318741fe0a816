#include "server/stages/stage_key.h"

#include "base/fingerprinter.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

// Prefixes the length, so that concatenated texts are unambiguous.
void Append(std::string_view text, std::string& key) {
  key.append(Concat(text.size(), ':')).append(text);
}

}  // namespace

std::string StageKey::CacheKey() const {
  std::string key;
  Append(options.root, key);
  Append(options.session, key);
  Append(session_content, key);
  for (const auto& [path, rule] : options.load.rules()) {
    Append(path.ToString(), key);
    key.append(Concat(static_cast<int>(rule), ';'));
  }
  key.push_back('|');
  for (const Path path : options.mask.paths()) Append(path.ToString(), key);
  key.push_back('|');
  for (const auto& [set, choices] : options.variant_fallbacks) {
    Append(set, key);
    for (const std::string& choice : choices) Append(choice, key);
    key.push_back(';');
  }
  key.push_back('|');
  for (const std::string& layer : options.muted_layers) Append(layer, key);
  key.append("|").append(options.resolver_context.recipe_fingerprint());
  if (edits.layer != nullptr) key.append("|edits:").append(edits.fingerprint);
  return key;
}

std::string RoutingKeyOf(std::string_view cache_key) { return FingerprintOf(cache_key); }

}  // namespace stagedoor::server
