#ifndef STAGEDOOR_SERVER_STAGES_SNAPSHOT_FINGERPRINT_H_
#define STAGEDOOR_SERVER_STAGES_SNAPSHOT_FINGERPRINT_H_

#include <string>
#include <string_view>

#include "scene/stage/stage.h"

namespace stagedoor::server {

// Identifies what a stage holds: 32 hexadecimal digits made from its cache key and the identifiers
// and content versions of all layers and pin files that it was composed of. Equal on every daemon
// that opens the same layers, and after a restart. Value clips, which are opened when they are
// first read, are not included.
std::string SnapshotFingerprint(std::string_view cache_key, const Stage& stage);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SNAPSHOT_FINGERPRINT_H_
