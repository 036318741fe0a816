#ifndef STAGEDOOR_TESTS_TOOLS_HELD_FRAME_H_
#define STAGEDOOR_TESTS_TOOLS_HELD_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "stagedoor/v1/frame.pb.h"
#include "tests/tools/held_parts.h"

namespace stagedoor {

// A frame that a client holds, kept as frame.proto says, with a list of errors in the messages of
// the daemon. Independent of the caches of the client libraries. Not thread-safe.
class HeldFrame {
 public:
  using Kind = HeldPartKind;
  using Key = HeldPartKey;
  using Parts = HeldParts;

  // Counts of the messages of one frame.
  struct Counts {
    size_t messages = 0;
    size_t bytes = 0;
    size_t parts = 0;      // sent or removed
    size_t redundant = 0;  // sent, and equal to what was held
    size_t shared = 0;     // sent as references to values of other geometry
  };

  // Begins a frame.
  void Begin();
  // Takes the next message, with its arrays.
  void Apply(const v1::ExtractFrameResponse& message);
  // Ends the frame, and drops what belongs to none any more. With `without_invisible`, the frame
  // need not have the prims of lights, nor those that sets of lights are for.
  void End(bool without_invisible = false);

  const Parts& parts() const { return parts_; }
  const std::string& token() const { return token_; }
  const v1::FrameHeader& header() const { return header_; }
  const Counts& counts() const { return counts_; }
  // The paths of the prims of the frame in the order in which they were sent.
  const std::vector<std::string>& sent_paths() const { return sent_paths_; }
  // The paths that could not be computed of the frame, and an error for each.
  const std::vector<std::string>& error_paths() const { return error_paths_; }
  const std::vector<v1::ItemStatus>& errors() const { return errors_; }
  // The first hundred errors in the messages of the frame, or in what is held at its end.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void TakeHeader(const v1::FrameHeader& header);
  void TakeMaterials(const v1::FrameMaterials& materials);
  void TakeLight(const v1::FrameLight& light);
  void TakeLightSet(const v1::FrameLightSet& set);
  void TakePrims(const v1::FramePrims& prims);
  void TakeVisibility(const v1::FrameVisibility& visibility);
  void TakeTransforms(const v1::FrameTransforms& transforms);
  void TakeGeometry(const v1::FrameGeometry& geometry);
  void TakeInstances(uint64_t geometry, const v1::FrameInstances& instances);
  void TakeValue(uint64_t geometry, const v1::FrameValue& value);
  void TakeShared(uint64_t geometry, const v1::FrameSharedValues& shared);
  void TakeErrors(const v1::ExtractFrameResponse& message);
  void Remove(uint64_t id);
  void Forget(const v1::FrameGeometry& geometry);

  // Checks that there are times if there are several samples.
  void CheckTimes(const std::string& what, int samples,
                  const google::protobuf::RepeatedField<double>& times);
  void Put(Key key, const v1::ExtractFrameResponse& part);
  void Problem(std::string text);

  Parts parts_;
  v1::FrameHeader header_;  // with what earlier ones said
  std::string token_;
  Counts counts_;
  std::vector<std::string> sent_paths_, error_paths_, problems_;
  std::vector<v1::ItemStatus> errors_;
  // The names of the values that came with the latest geometry of the frame, and which that is.
  std::map<uint64_t, std::set<std::string>> sent_values_;
  std::deque<uint64_t> latest_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_HELD_FRAME_H_
