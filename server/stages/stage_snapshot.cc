#include "server/stages/stage_snapshot.h"

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/errors.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor {
namespace {

constexpr size_t kBytesPerPrim = 600;
constexpr size_t kBytesPerSource = 400;

LruCacheOptions AttributeCacheOptions() {
  LruCacheOptions options;
  options.max_bytes = size_t{128} << 20;
  return options;
}

}  // namespace

StageSnapshot::StageSnapshot(uint64_t number, std::shared_ptr<const Stage> stage)
    : number_(number), stage_(std::move(stage)), attributes_(AttributeCacheOptions()) {}

size_t StageSnapshot::byte_size() const { return stage_->prim_count() * kBytesPerPrim; }

absl::StatusOr<std::shared_ptr<const CompiledAttribute>> StageSnapshot::FindAttribute(
    RequestContext& context, const std::string& path) const {
  using Loaded = decltype(attributes_)::Loaded;
  return attributes_.GetOrLoad(context, path, [&]() -> absl::StatusOr<Loaded> {
    SD_ASSIGN_OR_RETURN(const Attribute attribute, LookUpAttribute(*stage_, path));
    auto compiled = std::make_shared<CompiledAttribute>(
        CompiledAttribute{attribute, attribute.TypeName(), attribute.Compile(context),
                          attribute.CompileDefault(context)});
    return Loaded{std::move(compiled), kBytesPerSource};
  });
}

}  // namespace stagedoor
