#ifndef STAGEDOOR_SERVER_QUERIES_RENDER_FIELDS_H_
#define STAGEDOOR_SERVER_QUERIES_RENDER_FIELDS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <vector>

#include "scene/paths/path.h"
#include "scene/render/namespaced_settings.h"
#include "scene/render/render_spec.h"
#include "stagedoor/v1/render.pb.h"

namespace stagedoor::server {

class ReplyBudget;

// These stop when the budget is used up.

// Fills all of a RenderSettings but its path.
void FillRenderSpec(const RenderSpec& spec, ReplyBudget& budget, v1::RenderSettings* out);

void FillSettings(const std::vector<NamespacedSetting>& settings, ReplyBudget& budget,
                  google::protobuf::RepeatedPtrField<v1::Field>* out);

// Adds the paths of targets.
void AddTargets(const std::vector<Path>& paths, ReplyBudget& budget,
                google::protobuf::RepeatedPtrField<std::string>* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_RENDER_FIELDS_H_
