#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/value_batch.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

constexpr RecordPrinter::Column kShort[] = {{"kind"}, {"type"}, {"name"}};
constexpr RecordPrinter::Column kLong[] = {{"kind"},  {"type"},   {"name"},
                                           {"flags"}, {"source"}, {"value"}};

std::string PropertyText(const v1::Property& property) {
  if (property.kind() == v1::Property::KIND_RELATIONSHIP) return Concat("rel ", property.name());
  // The type name may be unknown.
  return property.type_name().empty() ? property.name()
                                      : Concat(property.type_name(), " ", property.name());
}

// Lists one prim.
class Listing {
 public:
  Listing(Client& client, const StageLease& stage, std::string path, RecordPrinter& records,
          Output& output)
      : client_(client),
        stage_(stage.ref()),
        path_(std::move(path)),
        records_(records),
        output_(output) {}

  absl::Status PrintShort() {
    SD_ASSIGN_OR_RETURN(const v1::Prim prim, GetPrim({"children", "properties"}));
    for (const std::string& child : prim.children()) {
      records_.Add(SafeText(child) + "/", {"prim", Cell(), child});
    }
    for (const v1::Property& property : prim.properties()) {
      const bool attribute = property.kind() != v1::Property::KIND_RELATIONSHIP;
      records_.Add(SafeText(PropertyText(property)),
                   {attribute ? "attribute" : "relationship", Cell::TextIfAny(property.type_name()),
                    property.name()});
    }
    return absl::OkStatus();
  }

  absl::Status PrintLong(const TimeArgument& time, JsonWriter json) {
    SD_RETURN_IF_ERROR(PrintChildren());
    SD_ASSIGN_OR_RETURN(const v1::Prim prim,
                        GetPrim({"properties", "properties.source", "properties.targets"}));
    std::vector<const v1::Property*> attributes;
    for (const v1::Property& property : prim.properties()) {
      if (property.kind() != v1::Property::KIND_RELATIONSHIP) attributes.push_back(&property);
    }
    if (!attributes.empty()) SD_RETURN_IF_ERROR(PrintValues(attributes, time, json));
    for (const v1::Property& property : prim.properties()) {
      if (property.kind() == v1::Property::KIND_RELATIONSHIP) PrintRelationship(property);
    }
    return absl::OkStatus();
  }

 private:
  void FillPredicate(v1::PrimPredicate* predicate) const {
    predicate->set_preset(v1::PrimPredicate::PRESET_ALL);
    predicate->set_instance_proxies(true);
  }

  absl::StatusOr<v1::Prim> GetPrim(const std::vector<const char*>& fields) {
    v1::GetPrimRequest request;
    *request.mutable_stage() = stage_;
    request.set_path(path_);
    for (const char* field : fields) request.mutable_read_mask()->add_paths(field);
    FillPredicate(request.mutable_predicate());
    SD_ASSIGN_OR_RETURN(v1::GetPrimResponse response, client_.GetPrim(request));
    return std::move(*response.mutable_prim());
  }

  absl::Status PrintChildren() {
    v1::TraverseRequest request;
    *request.mutable_stage() = stage_;
    request.add_roots(path_);
    request.set_max_depth(1);
    FillPredicate(request.mutable_predicate());
    for (const char* field :
         {"type_name", "kind", "inactive", "unloaded", "instance", "abstract", "undefined"}) {
      request.mutable_read_mask()->add_paths(field);
    }
    return client_.Traverse(request, [&](const v1::TraverseResponse& response) {
      for (const v1::Prim& prim : response.prims()) {
        if (prim.has_error()) return ItemErrorAt(prim.path(), prim.error());
        if (prim.path() == path_) continue;
        const std::string name = prim.path().substr(prim.path().rfind('/') + 1) + "/";
        records_.Add("",
                     {"prim", Cell::TextIfAny(prim.type_name()), name,
                      Cell::TextIfAny(PrimFlagWords(prim)), Cell(), Cell::TextIfAny(prim.kind())});
      }
      return output_.status();
    });
  }

  // Asks for all values at once. They arrive one by one, however large the arrays are.
  absl::Status PrintValues(const std::vector<const v1::Property*>& attributes,
                           const TimeArgument& time, JsonWriter& json) {
    v1::StreamValuesRequest request;
    *request.mutable_stage() = stage_;
    const std::string prefix = path_ == "/" ? "/." : path_ + ".";
    for (const v1::Property* attribute : attributes) request.add_paths(prefix + attribute->name());
    *request.mutable_times()->add_times() = time.time;
    return client_.StreamValues(request, [&](const v1::StreamValuesResponse& response) {
      PrintWarnings(response.warnings(), output_);
      if (response.item() >= attributes.size()) {
        return DataLossError("the daemon's reply is inconsistent: item ", response.item(), " of ",
                             attributes.size());
      }
      const v1::Property& attribute = *attributes[response.item()];
      records_.Add("", {"attribute", Cell::TextIfAny(attribute.type_name()), attribute.name(),
                        Cell(), SourceWord(attribute.source()), StreamedCell(response, json)});
      return output_.status();
    });
  }

  Cell StreamedCell(const v1::StreamValuesResponse& response, JsonWriter& json) {
    if (response.has_error()) {
      ++output_.problems().errors;
      return Cell(Concat("error: ", response.error().message()));
    }
    if (response.state() == v1::ITEM_STATE_BLOCKED) return Cell("blocked");
    return ValueCell(response.value(), ValueText(response.value(), json));
  }

  void PrintRelationship(const v1::Property& relationship) {
    records_.Add("", {"relationship", Cell(), relationship.name(), Cell(), Cell(),
                      Cell::List(relationship.targets())});
  }

  Client& client_;
  const v1::StageRef stage_;
  const std::string path_;
  RecordPrinter& records_;
  Output& output_;
};

}  // namespace

absl::Status RunLs(Client& client, const CommandLine& line, Output& output) {
  const bool full = line.Flag("long");
  if (line.Flag("time") && !full) return UsageError("ls takes --time only with -l");
  SD_ASSIGN_OR_RETURN(const TimeArgument time, OneTime(line));
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line, /*otherwise=*/"summary"));
  SD_ASSIGN_OR_RETURN(RecordFormat format, RecordFormatOf(line));
  if (full && format == RecordFormat::kText) format = RecordFormat::kTable;
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  std::vector<RecordPrinter::Column> columns(std::begin(kShort), std::end(kShort));
  if (full) columns.assign(std::begin(kLong), std::end(kLong));
  RecordPrinter records(format, std::move(columns), output);
  Listing listing(client, stage, line.arguments().size() > 1 ? line.arguments()[1] : "/", records,
                  output);
  SD_RETURN_IF_ERROR(full ? listing.PrintLong(time, std::move(json)) : listing.PrintShort());
  records.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
