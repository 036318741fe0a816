#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/float_cell.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

using GroupsReply = v1::ComputeCollisionGroupsResponse;

absl::Status InconsistentPhysics() { return DataLossError("the daemon's reply is inconsistent"); }

size_t RowsOf(const GroupsReply& reply) {
  size_t rows = 0;
  for (const v1::CollisionGroup& group : reply.groups()) {
    rows = std::max(rows, size_t{group.row()} + 1);
  }
  return rows;
}

// The paths of the groups that collide with one, or of those that do not. `stride` is the size of a
// row of the table.
std::vector<std::string> GroupsThat(const GroupsReply& reply, size_t stride,
                                    const v1::CollisionGroup& group, bool collide) {
  std::vector<std::string> paths;
  for (const v1::CollisionGroup& other : reply.groups()) {
    const char byte = reply.enabled()[group.row() * stride + other.row() / 8];
    const bool enabled = (static_cast<uint8_t>(byte) >> (other.row() % 8) & 1) != 0;
    if (enabled == collide) paths.push_back(other.path());
  }
  return paths;
}

std::string JoinedPaths(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    text += Concat(text.empty() ? "" : ", ", SafeText(path));
  }
  return text.empty() ? "nothing" : text;
}

absl::Status PrintGroups(const GroupsReply& reply, RecordFormat format, Output& output) {
  const size_t rows = RowsOf(reply), stride = (rows + 7) / 8;
  if (rows > static_cast<size_t>(reply.groups_size()) || reply.enabled().size() != rows * stride) {
    return InconsistentPhysics();
  }
  RecordPrinter records(format, {{"path"}, {"collides_with"}, {"filters"}, {"merge_group"}},
                        output);
  for (const v1::CollisionGroup& group : reply.groups()) {
    const std::vector<std::string> enabled = GroupsThat(reply, stride, group, true);
    const std::string merged =
        group.has_merge_group() ? Concat(" (merged as '", SafeText(group.merge_group()), "')") : "";
    records.Add(
        Concat(SafeText(group.path()), merged, ": collides with ", JoinedPaths(enabled)),
        {group.path(), Cell::List(enabled), Cell::List(GroupsThat(reply, stride, group, false)),
         group.has_merge_group() ? Cell(group.merge_group()) : Cell()});
  }
  records.Finish();
  return absl::OkStatus();
}

absl::Status PrintColliders(const v1::ComputeCollisionGroupsRequest& request,
                            const GroupsReply& reply, RecordFormat format, Output& output) {
  if (reply.colliders_size() != request.paths_size()) return InconsistentPhysics();
  RecordPrinter records(format, {{"path"}, {"groups"}, {"filtered_pairs"}}, output);
  for (int i = 0; i < request.paths_size(); ++i) {
    std::vector<std::string> groups;
    for (const uint32_t group : reply.colliders(i).groups()) {
      if (group >= static_cast<uint32_t>(reply.groups_size())) return InconsistentPhysics();
      groups.push_back(reply.groups(static_cast<int>(group)).path());
    }
    const std::vector<std::string> pairs(reply.colliders(i).filtered_pairs().begin(),
                                         reply.colliders(i).filtered_pairs().end());
    const std::string filtered = pairs.empty() ? "" : Concat(", filters ", JoinedPaths(pairs));
    records.Add(Concat(SafeText(request.paths(i)), ": in ", JoinedPaths(groups), filtered),
                {request.paths(i), Cell::List(groups), Cell::List(pairs)});
  }
  records.Finish();
  return absl::OkStatus();
}

template <typename Numbers>
std::string NumbersText(const Numbers& numbers) {
  std::string text;
  for (const float number : numbers) {
    text += Concat(text.empty() ? "(" : ", ", FormatNumber(number));
  }
  return text + ")";
}

void PrintBodies(const v1::ComputeMassPropertiesResponse& reply, RecordFormat format,
                 Output& output) {
  RecordPrinter records(format,
                        {{"path"},
                         {"mass", true},
                         {"center_of_mass"},
                         {"diagonal_inertia"},
                         {"principal_axes", false, false}},
                        output);
  for (const v1::RigidBodyMass& body : reply.bodies()) {
    records.Add(Concat(SafeText(body.path()), ": mass ", FormatNumber(body.mass()), " at ",
                       NumbersText(body.center_of_mass()), ", inertia ",
                       NumbersText(body.diagonal_inertia())),
                {body.path(), FloatCell(body.mass()), FloatsCell(body.center_of_mass()),
                 FloatsCell(body.diagonal_inertia()), FloatsCell(body.principal_axes())});
  }
  records.Finish();
}

void PrintColliderMasses(const v1::ComputeMassPropertiesResponse& reply, RecordFormat format,
                         Output& output) {
  RecordPrinter records(format,
                        {{"path"},
                         {"body"},
                         {"mass", true},
                         {"volume", true},
                         {"density", true},
                         {"material"},
                         {"center_of_mass", false, false}},
                        output);
  for (const v1::RigidBodyMass& body : reply.bodies()) {
    for (const v1::ColliderMass& collider : body.colliders()) {
      const std::string material =
          collider.material().empty() ? "" : Concat(" of ", SafeText(collider.material()));
      records.Add(Concat(SafeText(collider.path()), ": mass ", FormatNumber(collider.mass()),
                         ", volume ", FormatNumber(collider.volume()), ", density ",
                         FormatNumber(collider.density()), material),
                  {collider.path(), body.path(), FloatCell(collider.mass()), collider.volume(),
                   FloatCell(collider.density()), Cell::TextIfAny(collider.material()),
                   FloatsCell(collider.center_of_mass())});
    }
  }
  records.Finish();
}

template <typename Request>
void AddPathArguments(const CommandLine& line, Request* request) {
  for (size_t i = 1; i < line.arguments().size(); ++i) request->add_paths(line.arguments()[i]);
}

}  // namespace

absl::Status RunCollisionGroups(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  v1::ComputeCollisionGroupsRequest request;
  AddPathArguments(line, &request);
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const GroupsReply reply, client.ComputeCollisionGroups(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  if (!request.paths().empty()) return PrintColliders(request, reply, format, output);
  return PrintGroups(reply, format, output);
}

absl::Status RunMass(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  v1::ComputeMassPropertiesRequest request;
  AddPathArguments(line, &request);
  request.set_with_colliders(line.Flag("colliders"));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const v1::ComputeMassPropertiesResponse reply,
                      client.ComputeMassProperties(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  if (request.with_colliders()) {
    PrintColliderMasses(reply, format, output);
  } else {
    PrintBodies(reply, format, output);
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
