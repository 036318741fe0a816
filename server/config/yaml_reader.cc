#include "server/config/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

using Kind = ConfigNode::Kind;

// Adds an error unless the file is text in UTF-8. yaml-cpp would guess other encodings, and take
// some control characters for the end of the file.
bool CheckFile(std::string_view text, ConfigErrors& errors) {
  const auto excluded = [](char c) {
    return IsAsciiControl(c) && c != '\t' && c != '\n' && c != '\r';
  };
  const auto found = std::find_if(text.begin(), text.end(), excluded);
  if (text.size() > kMaxConfigBytes) {
    errors.AddAt({}, "the file is larger than ", kMaxConfigBytes, " bytes");
  } else if (found != text.end()) {
    errors.AddAt({.line = 1 + static_cast<int>(std::count(text.begin(), found, '\n'))},
                 "the file must be text without control characters");
  } else if (!IsValidUtf8(text)) {
    errors.AddAt({}, "the file must be valid UTF-8");
  }
  return errors.empty();
}

ConfigPosition PositionOf(const YAML::Mark& mark) {
  return {.line = std::max(mark.line, 0) + 1, .column = std::max(mark.column, 0) + 1};
}

// Ends the parsing of YAML that is valid, but not supported. yaml-cpp reports its own errors by
// exceptions too, so its parser is prepared for them.
class Rejection final : public YAML::ParserException {
 public:
  using YAML::ParserException::ParserException;
};

[[noreturn]] void Reject(const YAML::Mark& mark, const std::string& message) {
  throw Rejection(mark, message);
}

// Receives the parts of a document and builds the tree. yaml-cpp's own trees would follow aliases.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(ConfigErrors& errors) : errors_(errors) {}

  ConfigNode TakeRoot() {
    if (root_.kind == Kind::kNull) root_.kind = Kind::kMap;
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) Reject(mark, "the file must be one YAML document");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { RejectAnchor(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { RejectAnchor(mark); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Add(mark, {}); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    CheckTag(mark, tag);
    CheckText(mark, value);
    if (InMap() && open_.back().keys.size() == open_.back().items.size()) {
      AddKey(mark, value);
    } else {
      Add(mark, {.kind = Kind::kText, .text = value});
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  [[noreturn]] static void RejectAnchor(const YAML::Mark& mark) {
    Reject(mark, "anchors and aliases are not supported; repeat the value");
  }
  static void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    // "?" stands for a plain value, "!" for one in quotes.
    if (!tag.empty() && tag != "?" && tag != "!") Reject(mark, "tags are not supported");
  }
  static void CheckText(const YAML::Mark& mark, const std::string& text) {
    if (std::any_of(text.begin(), text.end(), IsAsciiControl)) {
      Reject(mark, "texts must be one line without control characters");
    }
    if (!IsValidUtf8(text)) Reject(mark, "texts must be valid UTF-8");
  }

  bool InMap() const { return !open_.empty() && open_.back().kind == Kind::kMap; }

  void AddKey(const YAML::Mark& mark, const std::string& key) {
    ConfigNode& map = open_.back();
    if (map.keys.size() == kMaxConfigKeys) {
      Reject(mark, Concat("more than ", kMaxConfigKeys, " keys"));
    }
    for (const ConfigNode::Key& before : map.keys) {
      if (before.text != key) continue;
      errors_.AddAt(PositionOf(mark), "key ", Quoted(key), " is given twice; the first is on line ",
                    before.position.line);
    }
    map.keys.push_back({.text = key, .position = PositionOf(mark)});
  }

  void Add(const YAML::Mark& mark, ConfigNode node) {
    if (++nodes_ > kMaxConfigNodes) Reject(mark, Concat("more than ", kMaxConfigNodes, " values"));
    CheckIsValue(mark);
    // yaml-cpp notices a missing value only at what follows it.
    const bool missing = node.kind == Kind::kNull && InMap();
    node.position = missing ? open_.back().keys.back().position : PositionOf(mark);
    Attach(std::move(node));
  }
  void Open(const YAML::Mark& mark, const std::string& tag, Kind kind) {
    CheckTag(mark, tag);
    CheckIsValue(mark);
    if (++nodes_ > kMaxConfigNodes) Reject(mark, Concat("more than ", kMaxConfigNodes, " values"));
    if (open_.size() == kMaxConfigDepth) {
      Reject(mark, Concat("more than ", kMaxConfigDepth, " levels"));
    }
    open_.push_back({.kind = kind, .position = PositionOf(mark)});
  }
  void Close() {
    ConfigNode node = std::move(open_.back());
    open_.pop_back();
    Attach(std::move(node));
  }

  // Anything but a scalar where a map has its keys is an error.
  void CheckIsValue(const YAML::Mark& mark) const {
    if (InMap() && open_.back().keys.size() == open_.back().items.size()) {
      Reject(mark, "keys must be texts");
    }
  }
  void Attach(ConfigNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().items.push_back(std::move(node));
    }
  }

  ConfigErrors& errors_;
  bool started_ = false;
  size_t nodes_ = 0;
  ConfigNode root_;
  std::vector<ConfigNode> open_;  // lists and maps whose end is yet to come
};

}  // namespace

ConfigNode ReadYaml(std::string_view text, ConfigErrors& errors) {
  TreeBuilder builder(errors);
  if (!CheckFile(text, errors)) return builder.TakeRoot();
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // The second call finds the end of the file, or another document, which is an error.
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
  } catch (const Rejection& error) {
    errors.AddAt(PositionOf(error.mark), error.msg);
  } catch (const YAML::Exception& error) {
    errors.AddAt(PositionOf(error.mark), "not valid YAML: ", error.msg);
  } catch (const std::exception& error) {
    errors.AddAt({}, "the file cannot be parsed as YAML: ", error.what());
  }
  return builder.TakeRoot();
}

}  // namespace stagedoor::server
