#ifndef STAGEDOOR_SERVER_CONFIG_CONFIG_NODE_H_
#define STAGEDOOR_SERVER_CONFIG_CONFIG_NODE_H_

#include <string>
#include <vector>

namespace stagedoor::server {

// A place in a configuration file. Lines and columns begin at 1.
struct ConfigPosition {
  int line = 1;
  int column = 1;
};

// A value in a configuration file, with all that is below it. Numbers and booleans are texts, which
// the reader of the key interprets.
struct ConfigNode {
  enum class Kind { kNull, kText, kList, kMap };
  struct Key {
    std::string text;
    ConfigPosition position;
  };

  Kind kind = Kind::kNull;
  ConfigPosition position;        // that of the key, for a value that is missing
  std::string text;               // of kText: valid UTF-8 without control characters
  std::vector<Key> keys;          // of kMap, all different, in the order of the file
  std::vector<ConfigNode> items;  // of kList; the values of `keys` of kMap

  // Whether both mean the same, wherever they are.
  friend bool operator==(const ConfigNode& a, const ConfigNode& b) {
    return a.kind == b.kind && a.text == b.text && a.keys == b.keys && a.items == b.items;
  }
  friend bool operator==(const Key& a, const Key& b) { return a.text == b.text; }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_CONFIG_NODE_H_
