#include "server/config/config_section.h"

#include <algorithm>

#include "base/closest_match.h"
#include "base/status.h"

namespace stagedoor::server {
namespace {

using Kind = ConfigNode::Kind;

// Adds "'priority' must be a text, not a list".
void AddWrongKind(const ConfigNode& node, std::string_view what, std::string_view wanted,
                  ConfigErrors& errors) {
  switch (node.kind) {
    case Kind::kNull:
      errors.AddAt(node.position, what, " has no value; it must be ", wanted);
      break;
    case Kind::kText:
      errors.AddAt(node.position, what, " must be ", wanted, ", not ", Quoted(node.text));
      break;
    case Kind::kList:
      errors.AddAt(node.position, what, " must be ", wanted, ", not a list");
      break;
    case Kind::kMap:
      errors.AddAt(node.position, what, " must be ", wanted, ", not a mapping");
      break;
  }
}

void AddUnknownKey(const ConfigNode::Key& key, std::span<const SectionKey> known,
                   ConfigErrors& errors) {
  std::vector<std::string> names;
  for (const SectionKey& each : known) names.push_back(each.name);
  const std::string closest = ClosestMatch(key.text, names);
  errors.AddAt(key.position, "unknown key ", Quoted(key.text),
               closest.empty() ? "" : Concat("; did you mean ", Quoted(closest), "?"));
}

}  // namespace

void ReadSection(const ConfigNode& node, std::string_view what, std::span<const SectionKey> known,
                 ConfigErrors& errors) {
  if (node.kind != Kind::kMap) return AddWrongKind(node, what, "a mapping", errors);
  for (size_t i = 0; i < node.items.size(); ++i) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const SectionKey& key) {
      return key.name == node.keys[i].text;
    });
    if (found == known.end()) {
      AddUnknownKey(node.keys[i], known, errors);
    } else {
      found->read(node.items[i], errors);
    }
  }
  for (const SectionKey& key : known) {
    const bool there = std::any_of(node.keys.begin(), node.keys.end(),
                                   [&](const auto& given) { return given.text == key.name; });
    if (key.required && !there)
      errors.AddAt(node.position, what, " needs the key ", Quoted(key.name));
  }
}

std::optional<std::string> ReadText(const ConfigNode& node, std::string_view what,
                                    ConfigErrors& errors) {
  if (node.kind == Kind::kText && !node.text.empty()) return node.text;
  if (node.kind == Kind::kText) {
    errors.AddAt(node.position, what, " must not be empty");
  } else {
    AddWrongKind(node, what, "a text", errors);
  }
  return std::nullopt;
}

std::vector<ConfigNode> ReadTexts(const ConfigNode& node, std::string_view what,
                                  ConfigErrors& errors) {
  std::vector<ConfigNode> texts;
  if (node.kind == Kind::kText) {
    texts.push_back(node);
  } else if (node.kind == Kind::kList) {
    texts = node.items;
  } else {
    AddWrongKind(node, what, "a text or a list of texts", errors);
  }
  std::erase_if(texts, [&](const ConfigNode& text) {
    return !ReadText(text, Concat("each of ", what), errors).has_value();
  });
  return texts;
}

std::optional<uint64_t> ReadNumber(const ConfigNode& node, std::string_view what, FlagUnit unit,
                                   FlagRange range, ConfigErrors& errors) {
  const std::optional<std::string> text = ReadText(node, what, errors);
  if (!text.has_value()) return std::nullopt;
  const absl::StatusOr<uint64_t> number = ParseFlagNumber(*text, unit, range);
  if (number.ok()) return *number;
  errors.AddAt(node.position, what, " cannot be ", Quoted(*text), ": it must be ",
               Message(number.status()));
  return std::nullopt;
}

std::optional<size_t> ReadName(const ConfigNode& node, std::string_view what,
                               std::span<const std::string_view> names, ConfigErrors& errors) {
  const std::optional<std::string> text = ReadText(node, what, errors);
  if (!text.has_value()) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  errors.AddAt(node.position, what, " cannot be ", Quoted(*text), ": it must be one of ",
               Join(names, ", "));
  return std::nullopt;
}

std::span<const ConfigNode> ReadList(const ConfigNode& node, std::string_view what,
                                     ConfigErrors& errors) {
  if (node.kind == Kind::kList) return node.items;
  AddWrongKind(node, what, "a list", errors);
  return {};
}

}  // namespace stagedoor::server
