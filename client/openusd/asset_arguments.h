#ifndef STAGEDOOR_CLIENT_OPENUSD_ASSET_ARGUMENTS_H_
#define STAGEDOOR_CLIENT_OPENUSD_ASSET_ARGUMENTS_H_

#include <map>
#include <string>
#include <vector>

#include "connection_arguments.h"
#include "result.h"

namespace stagedoor::openusd {

// Where assets are read, and how their paths are resolved: docs/openusd.md lists the keys. As a
// stage's resolver context in the API.
struct AssetArguments : ConnectionArguments {
  std::vector<std::string> search_paths;
  std::vector<std::string> pin_files;
  std::map<std::string, std::string> pins;  // from asset paths to those that replace them
};

// The arguments in lines KEY = VALUE. SD_INVALID_ARGUMENT for an unknown key or a value that is not
// understood.
Result<AssetArguments> ParseAssetArguments(const std::string& text);

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_ASSET_ARGUMENTS_H_
