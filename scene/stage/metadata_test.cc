#include "scene/stage/metadata.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/values/refused_value.h"

namespace stagedoor {
namespace {

// The outcome of a request that composes a field with this opinion.
absl::StatusCode Compose(const Value& opinion) {
  LayerBuilder builder;
  const Path path = *Path::Parse("/P");
  builder.Set(builder.EnsurePrim(path), Fields().customData, opinion);
  const std::shared_ptr<const Layer> layer = std::move(builder).Build({});
  RequestContext context;
  ComposeField(context, {{layer.get(), layer->tree().Find(path), 0}}, Fields().customData, nullptr,
               [](RequestContext&, Value value, const SpecHandle&) { return value; });
  return context.Check().code();
}

TEST(MetadataTest, RefusedOpinionsFailTheRequest) {
  EXPECT_EQ(Compose(RefusedValue("x")), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Compose(Value::Invalid("a.usdc: damaged")), absl::StatusCode::kOk);
  EXPECT_EQ(Compose(Value(1)), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace stagedoor
