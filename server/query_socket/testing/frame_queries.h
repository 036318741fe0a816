#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_QUERIES_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_QUERIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

// Binds a stage to 0, and paths of it to 0 and so on.
inline v1::ClientFrames BindingsOf(const v1::StageRef& stage,
                                   const std::vector<std::string>& paths) {
  v1::ClientFrames frames;
  *frames.add_frames()->mutable_bind_stage()->mutable_ref() = stage;
  auto* bound = frames.add_frames()->mutable_bind_paths();
  for (const std::string& path : paths) bound->add_paths(path);
  return frames;
}

// Asks for paths of stage 0 at a time.
inline v1::ClientFrame QueryOf(uint64_t id, const std::vector<uint32_t>& paths, double time) {
  v1::ClientFrame frame;
  v1::Query* query = frame.mutable_query();
  query->set_request_id(id);
  for (const uint32_t path : paths) query->add_paths(path);
  query->mutable_times()->add_frames(time);
  return frame;
}

// Asks for path 0 of stage 0, at the times that are the IDs of the queries.
inline v1::ClientFrames Queries(uint64_t first, uint64_t count) {
  v1::ClientFrames frames;
  for (uint64_t id = first; id < first + count; ++id) {
    *frames.add_frames() = QueryOf(id, {0}, static_cast<double>(id));
  }
  return frames;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_QUERIES_H_
