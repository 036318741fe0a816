#ifndef STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_ANSWER_H_
#define STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_ANSWER_H_

#include <grpcpp/support/status.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {

// The texts of HTTP answers about frames.

// The weak entity tag of a frame: W/"…" with the digits of its fingerprint. Frames with equal tags
// look the same, although what no renderer reads may differ.
std::string FrameTag(std::string_view fingerprint);

// The bytes before the parts of a file. `problems` is the number of prims that could not be
// computed.
std::string FrameHead(std::string_view tag, v1::LayerFormat format, size_t problems);
// The head of an answer to HEAD, which has no parts.
std::string FrameHeadOnly(std::string_view tag, v1::LayerFormat format);
// That the client has the frame.
std::string NotModified(std::string_view tag);

// A part of a file, which is not empty, in the chunked transfer coding; and what ends the file.
std::string Chunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// The answer for a call that failed, with its message as text.
std::string ErrorAnswer(const grpc::Status& status);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_ANSWER_H_
