#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/value_batch.h"
#include "client/cli/commands.h"
#include "client/cli/glob.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_filter.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

// The values of so many attributes are asked for at once, while the traversal waits.
constexpr size_t kPathsOfRequest = 1000;

// The criteria of a search. Patterns of one kind are alternatives; the kinds must all be met.
struct Criteria {
  std::vector<std::string> names, kinds, applied, properties;
  std::vector<ValueFilter> values;  // all must hold
  bool authored = false;

  bool wants_properties() const { return !properties.empty() || !values.empty(); }
};

absl::StatusOr<Criteria> CriteriaOf(const CommandLine& line) {
  Criteria criteria{.names = line.Options("name"),
                    .kinds = line.Options("kind"),
                    .applied = line.Options("applied"),
                    .properties = line.Options("property"),
                    .authored = line.Flag("authored")};
  for (const std::string& expression : line.Options("value")) {
    SD_ASSIGN_OR_RETURN(ValueFilter filter, ValueFilter::Parse(expression));
    criteria.values.push_back(std::move(filter));
  }
  if (!criteria.wants_properties() && line.Flag("authored")) {
    return UsageError("--authored is about properties: give --property or --value");
  }
  if (criteria.values.empty() && line.Flag("time")) {
    return UsageError("--time is for the values of --value");
  }
  return criteria;
}

bool AnyGlobMatches(const std::vector<std::string>& globs, std::string_view text) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return GlobMatches(glob, text);
         });
}

// Whether the schema is applied: "CollectionAPI" also stands for its instances
// ("CollectionAPI:lights").
bool IsApplied(const std::string& schema, const v1::Prim& prim) {
  const auto& all = prim.api_schemas();
  return std::any_of(all.begin(), all.end(), [&](const std::string& applied) {
    return applied == schema || applied.starts_with(schema + ":");
  });
}

bool PrimMatches(const Criteria& criteria, const v1::Prim& prim) {
  const std::string_view path = prim.path();
  return AnyGlobMatches(criteria.names, path.substr(path.rfind('/') + 1)) &&
         AnyGlobMatches(criteria.kinds, prim.kind()) &&
         std::all_of(criteria.applied.begin(), criteria.applied.end(),
                     [&](const std::string& schema) { return IsApplied(schema, prim); });
}

bool PropertyMatches(const Criteria& criteria, const v1::Property& property) {
  if (criteria.authored && !property.authored()) return false;
  if (!AnyGlobMatches(criteria.properties, property.name())) return false;
  if (criteria.values.empty()) return true;
  return property.kind() == v1::Property::KIND_ATTRIBUTE && !property.type_name().ends_with("[]");
}

std::vector<RecordPrinter::Column> ColumnsOf(const Criteria& criteria) {
  if (!criteria.wants_properties()) return {{"path"}, {"type"}, {"kind"}};
  if (criteria.values.empty()) return {{"path"}, {"type"}};
  return {{"path"}, {"type"}, {"value"}};
}

class Search {
 public:
  Search(Client& client, v1::StageRef stage, Criteria criteria, TimeArgument time,
         RecordPrinter& records, Output& output)
      : client_(client),
        stage_(std::move(stage)),
        criteria_(std::move(criteria)),
        time_(std::move(time)),
        records_(records),
        output_(output) {}

  absl::Status Run(v1::TraverseRequest request) {
    *request.mutable_stage() = stage_;
    for (const char* field : {"type_name", "kind"}) request.mutable_read_mask()->add_paths(field);
    if (!criteria_.applied.empty()) request.mutable_read_mask()->add_paths("api_schemas");
    if (criteria_.wants_properties()) request.mutable_read_mask()->add_paths("properties");
    SD_RETURN_IF_ERROR(client_.Traverse(request, [&](const v1::TraverseResponse& response) {
      for (const v1::Prim& prim : response.prims()) {
        if (prim.has_error()) return ItemErrorAt(prim.path(), prim.error());
        SD_RETURN_IF_ERROR(Examine(prim));
      }
      return output_.status();
    }));
    return CompareWaiting();
  }

 private:
  // An attribute whose value is to be compared.
  struct Candidate {
    std::string path, type_name;
  };

  absl::Status Examine(const v1::Prim& prim) {
    if (!PrimMatches(criteria_, prim)) return absl::OkStatus();
    if (!criteria_.wants_properties()) {
      records_.Add(SafeText(prim.path()),
                   {prim.path(), Cell::TextIfAny(prim.type_name()), Cell::TextIfAny(prim.kind())});
      return absl::OkStatus();
    }
    for (const v1::Property& property : prim.properties()) {
      if (!PropertyMatches(criteria_, property)) continue;
      std::string path = Concat(prim.path(), ".", property.name());
      if (criteria_.values.empty()) {
        records_.Add(SafeText(path), {path, Cell::TextIfAny(property.type_name())});
        continue;
      }
      waiting_.push_back({std::move(path), property.type_name()});
      if (waiting_.size() >= kPathsOfRequest) SD_RETURN_IF_ERROR(CompareWaiting());
    }
    return absl::OkStatus();
  }

  // Asks for the values of the attributes that wait, and prints those that match.
  absl::Status CompareWaiting() {
    if (waiting_.empty()) return absl::OkStatus();
    v1::StreamValuesRequest request;
    *request.mutable_stage() = stage_;
    for (const Candidate& candidate : waiting_) request.add_paths(candidate.path);
    *request.mutable_times()->add_times() = time_.time;
    SD_RETURN_IF_ERROR(client_.StreamValues(request, [&](const v1::StreamValuesResponse& response) {
      PrintWarnings(response.warnings(), output_);
      if (response.item() >= waiting_.size()) {
        return DataLossError("the daemon's reply is inconsistent: item ", response.item(), " of ",
                             waiting_.size());
      }
      return Compare(waiting_[response.item()], response);
    }));
    waiting_.clear();
    return absl::OkStatus();
  }

  absl::Status Compare(const Candidate& candidate, const v1::StreamValuesResponse& response) {
    if (response.has_error()) return ItemErrorAt(candidate.path, response.error());
    const v1::Value& value = response.value();
    if (!std::all_of(criteria_.values.begin(), criteria_.values.end(),
                     [&](const ValueFilter& filter) { return filter.Matches(value); })) {
      return absl::OkStatus();
    }
    const std::string text = ValueText(value, json_);
    records_.Add(Concat(SafeText(candidate.path), '\t', SafeText(text)),
                 {candidate.path, Cell::TextIfAny(candidate.type_name), ValueCell(value, text)});
    return output_.status();
  }

  Client& client_;
  const v1::StageRef stage_;
  const Criteria criteria_;
  const TimeArgument time_;
  RecordPrinter& records_;
  Output& output_;
  JsonWriter json_;
  std::vector<Candidate> waiting_;
};

}  // namespace

absl::Status RunFind(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(Criteria criteria, CriteriaOf(line));
  SD_ASSIGN_OR_RETURN(TimeArgument time, OneTime(line));
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const auto depth, line.CountOption("depth", 1000000));
  v1::TraverseRequest request;
  for (size_t i = 1; i < line.arguments().size(); ++i) request.add_roots(line.arguments()[i]);
  for (const std::string& type : line.Options("type")) request.add_schema_types(type);
  if (depth) request.set_max_depth(*depth);
  request.mutable_predicate()->set_preset(line.Flag("all") ? v1::PrimPredicate::PRESET_ALL
                                                           : v1::PrimPredicate::PRESET_DEFAULT);
  request.mutable_predicate()->set_instance_proxies(line.Flag("instance-proxies"));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  RecordPrinter records(format, ColumnsOf(criteria), output);
  Search search(client, stage.ref(), std::move(criteria), std::move(time), records, output);
  SD_RETURN_IF_ERROR(search.Run(std::move(request)));
  records.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
