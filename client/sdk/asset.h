#ifndef STAGEDOOR_CLIENT_SDK_ASSET_H_
#define STAGEDOOR_CLIENT_SDK_ASSET_H_

#include <string>

#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::sdk {

// Bytes of an asset, and which asset it is.
struct Asset {
  v1::AssetInfo info;
  std::string data;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_ASSET_H_
