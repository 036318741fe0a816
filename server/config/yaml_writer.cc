#include "server/config/yaml_writer.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

using Kind = ConfigNode::Kind;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether the text means itself anywhere in YAML, in lists on one line too.
bool IsPlain(std::string_view text) {
  if (text.empty() || !(IsAlphanumeric(text.front()) || text.front() == '/')) return false;
  const std::string lower = AsciiLower(text);
  if (lower == "null" || text.back() == ':') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsAlphanumeric(c) || std::string_view("/._-+=@%:").find(c) != std::string_view::npos;
  });
}

bool IsTextList(const ConfigNode& node) {
  return node.kind == Kind::kList &&
         std::all_of(node.items.begin(), node.items.end(),
                     [](const auto& i) { return i.kind == Kind::kText; });
}

// The node on the line of its key or dash, if it fits there.
std::string OnOneLine(const ConfigNode& node) {
  if (node.kind == Kind::kText) return YamlText(node.text);
  if (node.kind == Kind::kNull) return "null";
  if (node.kind == Kind::kMap && node.keys.empty()) return "{}";
  if (!IsTextList(node)) return "";
  std::vector<std::string> texts;
  for (const ConfigNode& item : node.items) texts.push_back(item.text);
  return YamlTextList(texts);
}

}  // namespace

std::string YamlText(std::string_view text) {
  if (IsPlain(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (IsAsciiControl(c)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      quoted.append(Concat("\\x", kDigits[static_cast<size_t>(c) / 16], kDigits[c % 16]));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string YamlTextList(std::span<const std::string> texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) parts.push_back(YamlText(text));
  return Concat("[", Join(parts, ", "), "]");
}

std::string WriteYaml(const ConfigNode& node, size_t indent) {
  const std::string margin(indent, ' ');
  if (const std::string line = OnOneLine(node); !line.empty()) return Concat(margin, line, "\n");
  std::string out;
  for (size_t i = 0; i < node.items.size(); ++i) {
    const ConfigNode& item = node.items[i];
    const std::string line = OnOneLine(item);
    if (node.kind == Kind::kMap) {
      const std::string key = YamlText(node.keys[i].text);
      out.append(line.empty() ? Concat(margin, key, ":\n", WriteYaml(item, indent + 2))
                              : Concat(margin, key, ": ", line, "\n"));
    } else {
      // The first line of the item follows the dash.
      out.append(Concat(margin, "- ", WriteYaml(item, indent + 2).substr(indent + 2)));
    }
  }
  return out;
}

}  // namespace stagedoor::server
