#ifndef STAGEDOOR_CLIENT_CLI_FRAME_CONTENTS_H_
#define STAGEDOOR_CLIENT_CLI_FRAME_CONTENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/output.h"
#include "client/cli/record_printer.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor {

// The contents of a frame as text: counts, and a record for each prim. Keeps no arrays. Not
// thread-safe.
class FrameContents {
 public:
  // Takes what a message of the frame has. DATA_LOSS if its columns do not fit together.
  absl::Status Add(const v1::ExtractFrameResponse& message);

  // Prints the lines of a summary. To be called once all messages were added, as the next one.
  void PrintSummary(Output& output) const;
  void PrintPrims(RecordFormat format, Output& output) const;

  bool has_prims() const { return !rows_.empty(); }
  // The token of the frame; empty before the last message.
  const std::string& token() const { return token_; }

 private:
  struct Row {
    uint64_t id = 0, geometry = 0, material = 0, light_set = 0, shadow_set = 0, prototype = 0;
    std::string path, type, draw_mode;
    v1::Purpose purpose = v1::PURPOSE_UNSPECIFIED;
  };
  struct Geometry {
    size_t points = 0;
    size_t instances = 0;
    size_t samples = 1;                                  // at most, of a value or the instances
    std::unordered_map<std::string, size_t> samples_of;  // of values that have several
    bool has_points = false, has_instances = false;
  };

  void AddPrims(const v1::FramePrims& prims);
  void AddGeometry(const v1::FrameGeometry& geometry);
  void AddValue(const v1::FrameValue& value, Geometry* to);
  void AddShared(const v1::FrameSharedValues& shared, Geometry* to);
  void CountBytes(const v1::Value& value);
  size_t SamplesOf(const Row& row) const;
  std::vector<Cell> CellsOf(const Row& row) const;

  v1::FrameHeader header_;
  std::string token_;
  std::vector<Row> rows_;
  std::unordered_map<uint64_t, Geometry> geometry_;
  std::unordered_map<uint64_t, std::string> materials_;  // paths
  std::unordered_map<uint64_t, uint32_t> xform_samples_;
  std::unordered_map<uint64_t, bool> visible_;
  size_t lights_ = 0, light_sets_ = 0, subsets_ = 0, removed_ = 0, errors_ = 0;
  size_t array_bytes_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_FRAME_CONTENTS_H_
