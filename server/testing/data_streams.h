#ifndef STAGEDOOR_SERVER_TESTING_DATA_STREAMS_H_
#define STAGEDOOR_SERVER_TESTING_DATA_STREAMS_H_

#include <map>
#include <string>
#include <vector>

namespace stagedoor {

// The file that a stream of messages with `data` makes.
template <typename Response>
std::string DataOf(const std::vector<Response>& parts) {
  std::string data;
  for (const Response& part : parts) data += part.data();
  return data;
}

// The files, by name, that a stream of messages with `chunk` makes.
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

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_TESTING_DATA_STREAMS_H_
