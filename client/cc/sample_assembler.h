#ifndef STAGEDOOR_CLIENT_CC_SAMPLE_ASSEMBLER_H_
#define STAGEDOOR_CLIENT_CC_SAMPLE_ASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// The samples of one attribute for one interval: an item of the reply to SampleValues.
struct AttributeSamples {
  struct Sample {
    // In time codes of the stage; nothing if the value is not that of a time.
    std::optional<double> time;
    // Whether the value is the limit from the left at `time`.
    bool pre_time = false;
    // The error of the sample, UNIMPLEMENTED if it has a state that this client does not know; OK
    // if it has a value, none, or a blocked one.
    absl::Status status;
    // A block if the value is blocked, not set if there is none or an error. Arrays are complete.
    v1::Value value;
  };

  // Path i / N in interval i % N, where N is the number of intervals.
  uint32_t item = 0;
  // The error of the item, which has no samples then.
  absl::Status status;
  std::string type_name;
  v1::ValueVariation variation = v1::VALUE_VARIATION_UNSPECIFIED;
  std::vector<Sample> samples;
};

// Puts the messages of SampleValues together to whole items. Not thread-safe.
//
//   SampleAssembler assembler([&](AttributeSamples item) { …; return absl::OkStatus(); });
//   absl::Status status = client.SampleValues(
//       request, [&](const v1::SampleValuesResponse& part) { return assembler.Add(part); });
//   if (status.ok()) status = assembler.Finish();
//
// The messages must be whole (ClientOptions::assemble_arrays). A reply of a broken or malicious
// daemon is an error; memory is allocated only for bytes that have arrived.
class SampleAssembler {
 public:
  // Receives the items in order. Any status but OK is returned by Add or Finish.
  using Take = std::function<absl::Status(AttributeSamples)>;
  explicit SampleAssembler(Take take);

  // Adds the next message. DATA_LOSS if it does not follow from the previous ones.
  absl::Status Add(const v1::SampleValuesResponse& message);
  // Hands over the last item, once the stream has ended successfully. DATA_LOSS if it is not
  // complete.
  absl::Status Finish();

 private:
  absl::Status AddPart(const v1::SampledItem& part);
  void AddSample(const v1::ValueSample& sample);
  // Hands over the current item, if there is one.
  absl::Status HandOver();

  const Take take_;
  std::optional<AttributeSamples> item_;
  size_t sample_count_ = 0;  // of item_
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_SAMPLE_ASSEMBLER_H_
