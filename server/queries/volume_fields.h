#ifndef STAGEDOOR_SERVER_QUERIES_VOLUME_FIELDS_H_
#define STAGEDOOR_SERVER_QUERIES_VOLUME_FIELDS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <vector>

#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "stagedoor/v1/render.pb.h"

namespace stagedoor::server {

class ReplyBudget;

// Adds the fields of a Volume prim at `times`. Stops when the budget is used up.
void FillVolumeFields(const Prim& volume, const std::vector<TimeCode>& times, ReplyBudget& budget,
                      google::protobuf::RepeatedPtrField<v1::VolumeField>* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_VOLUME_FIELDS_H_
