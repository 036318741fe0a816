#ifndef STAGEDOOR_TESTS_SERVER_RICH_SCENE_H_
#define STAGEDOOR_TESTS_SERVER_RICH_SCENE_H_

#include <string>
#include <utility>
#include <vector>

namespace stagedoor::server {

// A scene that uses everything the API can report, in layers "/NAME.usd" with "/root.usd" as root,
// as usda text without its first line. Every text that need not be a name contains "ZQZ".
std::vector<std::pair<std::string, std::string>> RichLayers();

// Requests that together cover all of it: a method ("QueryService.GetPrim") and its request in text
// format, where $STAGE stands for the handle of the open stage.
std::vector<std::pair<std::string, std::string>> RichRequests();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_TESTS_SERVER_RICH_SCENE_H_
