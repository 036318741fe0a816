#ifndef STAGEDOOR_CLIENT_OPENUSD_ROOT_FIELDS_H_
#define STAGEDOOR_CLIENT_OPENUSD_ROOT_FIELDS_H_

#include "daemon_stage.h"
#include "metadata_decoder.h"
#include "result.h"

namespace stagedoor::openusd {

// The fields of the pseudo-root of a layer that shows a stage: its metadata.
Result<Fields> FetchRootFields(const DaemonStage& stage);

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_ROOT_FIELDS_H_
