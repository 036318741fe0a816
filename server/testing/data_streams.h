#ifndef STAGEDOOR_SERVER_TESTING_DATA_STREAMS_H_
#define STAGEDOOR_SERVER_TESTING_DATA_STREAMS_H_

#include <map>
#include <string>
#include <vector>

namespace stagedoor::server {

// The content of a file that was streamed in messages with a field `data`.
template <typename Response>
std::string DataOf(const std::vector<Response>& parts) {
  std::string data;
  for (const Response& part : parts) data += part.data();
  return data;
}

// The contents, by name, of the files that were streamed in messages with a field `chunk`.
template <typename Response>
std::map<std::string, std::string> FilesOf(const std::vector<Response>& parts) {
  std::map<std::string, std::string> files;
  std::string name;
  for (const Response& part : parts) {
    if (!part.chunk().name().empty()) name = part.chunk().name();
    files[name] += part.chunk().data();
  }
  return files;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_DATA_STREAMS_H_
