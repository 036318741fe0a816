#ifndef STAGEDOOR_CLIENT_CLI_FRAME_JSON_H_
#define STAGEDOOR_CLIENT_CLI_FRAME_JSON_H_

#include "absl/status/status.h"
#include "client/cli/json_writer.h"
#include "client/cli/output.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor {

// Prints the objects and parts of a frame as JSON, one on each line, with a member "object" that
// says what it is. IDs are texts (FrameIdText). Not thread-safe. Borrows the writer, which
// determines whether arrays are summarized, and the output.
class FrameJsonPrinter {
 public:
  FrameJsonPrinter(JsonWriter& json, Output& output) : json_(json), output_(output) {}

  // Prints what a message has. DATA_LOSS if its columns do not fit together.
  absl::Status Print(const v1::ExtractFrameResponse& message);

 private:
  absl::Status PrintHeader(const v1::FrameHeader& header);
  absl::Status PrintMaterials(const v1::FrameMaterials& materials);
  void PrintLight(const v1::FrameLight& light);
  void PrintLightSet(const v1::FrameLightSet& set);
  void PrintPrims(const v1::FramePrims& prims);
  void PrintVisibility(const v1::FrameVisibility& visibility);
  void PrintTransforms(const v1::FrameTransforms& transforms);
  absl::Status PrintGeometry(const v1::FrameGeometry& geometry);
  void PrintSubset(const v1::FrameSubset& subset);
  void PrintErrors(const v1::ExtractFrameResponse& message);

  // Begins and ends a line.
  void Begin(std::string_view object);
  void End();
  void WriteText(std::string_view key, std::string_view text);
  void WriteCount(uint64_t prims);
  void WriteId(std::string_view key, uint64_t id);
  template <typename Ids>
  void WriteIds(std::string_view key, const Ids& ids);
  template <typename Times>
  void WriteTimes(const Times& times);
  void WriteFrameValue(const v1::FrameValue& value);
  void WriteShared(const v1::FrameGeometry& geometry);
  void WriteInstances(const v1::FrameInstances& instances);
  absl::Status WriteMessage(std::string_view key, const google::protobuf::Message& message);

  JsonWriter& json_;
  Output& output_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_FRAME_JSON_H_
