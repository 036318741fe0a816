#ifndef STAGEDOOR_BASE_WARNING_H_
#define STAGEDOOR_BASE_WARNING_H_

#include <cstdint>
#include <string>

namespace stagedoor {

// A problem that did not fail a request but may explain its result, for example a file that could
// not be opened and is treated as empty.
struct Warning {
  enum class Kind : uint8_t {
    kMissingAsset,     // an asset does not exist
    kUnreadableAsset,  // an asset cannot be opened or parsed
    kInvalidMetadata,  // authored metadata have no meaning and are ignored
    kInvalidValue,     // an authored value cannot be decoded and is ignored
    kInvalidSkel,      // a part of a skeleton, its binding or a blend shape is not applied
    kStaleAsset,       // an asset is used as it was, because its origin is unavailable
  };

  Kind kind = Kind::kInvalidValue;
  std::string asset;    // the asset concerned, as authored or resolved; may be empty
  std::string path;     // the scene path concerned; may be empty
  std::string message;  // for people

  bool operator==(const Warning&) const = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_WARNING_H_
