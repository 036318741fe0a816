#ifndef STAGEDOOR_CLIENT_OPENUSD_STAGE_ARGUMENTS_H_
#define STAGEDOOR_CLIENT_OPENUSD_STAGE_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connection_arguments.h"
#include "result.h"

namespace stagedoor::openusd {

// Which stage a layer shows, and how: docs/openusd.md lists the keys.
struct StageArguments : ConnectionArguments {
  // The parts of the layer's namespace that are fetched when they are loaded.
  enum class Boundaries { kNone, kPayloads, kDepth };

  std::string root;  // an absolute path or a URI, as the daemon sees it
  std::string session;
  std::string session_layer;          // an identifier
  std::vector<std::string> variants;  // paths with variant selections
  std::vector<std::string> mask;
  bool load_none = false;
  bool held = false;  // interpolation
  std::string snapshot;

  Boundaries boundaries = Boundaries::kNone;
  uint32_t boundary_depth = 0;
  std::optional<double> time;  // all values are those at this time
  size_t cache_bytes = size_t{256} << 20;
  size_t prefetch = 4096;  // the most attributes whose values are fetched in one call
};

// Whether a path is a URI of the scheme "stagedoor".
bool IsStagedoorUri(const std::string& path);

// The arguments of the layer at `path`: those in its text, replaced by `given`. The root layer is
// that of the arguments, or `path` without its scheme and without the extension "stagedoor".
// SD_INVALID_ARGUMENT for an unknown key or a value that is not understood.
Result<StageArguments> ParseStageArguments(const std::string& path, const std::string& text,
                                           const ArgumentMap& given);

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_STAGE_ARGUMENTS_H_
