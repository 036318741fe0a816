#ifndef STAGEDOOR_SERVER_FRAMES_VALUE_FIELDS_H_
#define STAGEDOOR_SERVER_FRAMES_VALUE_FIELDS_H_

#include "server/frames/frame_part.h"
#include "server/frames/frame_writer.h"
#include "server/frames/geometry_batch.h"
#include "server/frames/sampled_values.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {

// Fill messages, but for arrays of numbers, which they add to the part that the message belongs to.
// The results must outlive the part. Stop when the budget of the writer is used up.

// A value that there is at some time.
void FillFrameValue(const SampledValue& sampled, FrameWriter& writer, FramePart* part,
                    v1::FrameValue* out);

// Nothing if the instances could not be computed.
void FillFrameInstances(const FramePlan& plan, const FrameGeometry& geometry,
                        const SampledInstances& sampled, FrameWriter& writer, FramePart* part,
                        v1::FrameInstances* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_VALUE_FIELDS_H_
