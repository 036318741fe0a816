#include "benchmarks/scene_info.h"

#include <filesystem>
#include <fstream>

#include "benchmarks/require.h"

namespace stagedoor::bench {

SceneInfo::SceneInfo(const std::string& scenes, const std::string& name)
    : folder_(std::filesystem::absolute(scenes + "/" + name).lexically_normal().string()) {
  std::ifstream file(folder_ + "/scene.json");
  Require(file.good(),
          "cannot read " + folder_ + "/scene.json; generate the scenes with scenes.py");
  facts_ = nlohmann::json::parse(file, nullptr, false);
  Require(facts_.is_object(), folder_ + "/scene.json is malformed");
}

}  // namespace stagedoor::bench
