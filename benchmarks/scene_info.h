#ifndef STAGEDOOR_BENCHMARKS_SCENE_INFO_H_
#define STAGEDOOR_BENCHMARKS_SCENE_INFO_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stagedoor::bench {

// SceneInfo is what scene.json records about a benchmark scene.
class SceneInfo {
 public:
  // Reads the scene `name` in the directory of scenes. Exits the process if there is none.
  SceneInfo(const std::string& scenes, const std::string& name);

  const std::string& folder() const { return folder_; }
  // The path of the root layer.
  std::string root() const { return folder_ + "/" + text("root"); }

  double number(const char* key) const { return facts_.at(key).get<double>(); }
  int integer(const char* key) const { return facts_.at(key).get<int>(); }
  std::string text(const char* key) const { return facts_.at(key).get<std::string>(); }
  std::vector<std::string> texts(const char* key) const {
    return facts_.at(key).get<std::vector<std::string>>();
  }
  std::vector<int> integers(const char* key) const {
    return facts_.at(key).get<std::vector<int>>();
  }

 private:
  std::string folder_;
  nlohmann::json facts_;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_SCENE_INFO_H_
