#ifndef STAGEDOOR_CLIENT_SDK_STAGE_OPTIONS_H_
#define STAGEDOOR_CLIENT_SDK_STAGE_OPTIONS_H_

#include <string>
#include <vector>

#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::sdk {

// How a stage is opened.
struct StageOptions {
  // Content of the session layer, as usda text. Default: none.
  std::string session_layer = {};
  // Whether payloads are loaded unless a load rule of `request` decides.
  bool load_payloads = true;
  // The absolute paths of the prims to populate, with their ancestors and descendants. Default: the
  // whole stage.
  std::vector<std::string> population_mask = {};
  std::vector<std::string> muted_layers = {};
  // A name under which others can join, and see and make edits. Default: a private session.
  std::string session = {};
  v1::ChangePolicy change_policy = v1::CHANGE_POLICY_UNSPECIFIED;
  v1::Interpolation interpolation = v1::INTERPOLATION_UNSPECIFIED;
  // Everything else: load rules, variant fallbacks, resolver context. The fields above are added.
  v1::OpenStageRequest request = {};
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_STAGE_OPTIONS_H_
