#ifndef STAGEDOOR_CLIENT_CLI_DUMP_RECORD_WRITER_H_
#define STAGEDOOR_CLIENT_CLI_DUMP_RECORD_WRITER_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/cli/json_writer.h"
#include "client/cli/stage_options.h"
#include "stagedoor/v1/prims.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor {

// Writes the stage, prim and collection records of the conformance corpus, which `stagedoor dump`
// prints. Fields with their usual value are left out. Not thread-safe.
class DumpRecordWriter {
 public:
  // Layers are named relative to the directory `folder`; `with_stack` adds the prim and property
  // stacks.
  DumpRecordWriter(std::string folder, std::vector<TimeArgument> times, bool with_stack)
      : folder_(std::move(folder)), times_(std::move(times)), with_stack_(with_stack) {}

  void WriteStage(const v1::Stage& stage, JsonWriter& json);
  // To be called in stage order: an instance refers to the first prim written that shares its
  // prototype.
  void WritePrim(const v1::Prim& prim, JsonWriter& json);
  void WriteCollection(const v1::Collection& collection, JsonWriter& json);

  // The path of a layer's file relative to the directory. A path inside a package is kept as it is,
  // and so is an identifier that is not an absolute path.
  std::string LayerName(std::string_view identifier) const;

 private:
  void WriteFlags(const v1::Prim& prim, JsonWriter& json);
  void WriteVariantSets(const v1::Prim& prim, JsonWriter& json);
  void WriteProperty(const v1::Property& property, JsonWriter& json);
  void WriteAttribute(const v1::Property& property, JsonWriter& json);
  void WriteValues(const v1::Property& property, JsonWriter& json);
  void WriteStacks(const v1::Property& property, JsonWriter& json);
  void WriteSites(const google::protobuf::RepeatedPtrField<v1::Site>& sites, JsonWriter& json);

  const std::string folder_;
  const std::vector<TimeArgument> times_;
  const bool with_stack_;
  std::unordered_map<uint64_t, std::string> first_instances_;  // path by prototype
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_DUMP_RECORD_WRITER_H_
