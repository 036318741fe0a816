#ifndef STAGEDOOR_TESTS_SERVER_RICH_SCENE_H_
#define STAGEDOOR_TESTS_SERVER_RICH_SCENE_H_

#include <string>
#include <utility>
#include <vector>

namespace stagedoor {

// A scene that uses all that the API can tell, in layers "/NAME.usd" of which "/root.usd" is the
// root, as usda without its first line. "ZQZ" is part of every text that need not be a name.
std::vector<std::pair<std::string, std::string>> RichLayers();

// Requests that together ask for all of it: a method ("QueryService.GetPrim") and its request in
// text format, where $STAGE is the handle of the open stage.
std::vector<std::pair<std::string, std::string>> RichRequests();

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_SERVER_RICH_SCENE_H_
