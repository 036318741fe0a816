// Arrays that compress to almost nothing are legitimate: they are charged to a budget, not
// rejected.
#include <string>
#include <type_traits>

#include "base/memory_pool.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/refused_value.h"

namespace stagedoor {
namespace {

// More memory than a value of a small file may take without being charged.
constexpr size_t kBytes = size_t{24} << 20;

template <typename T>
Array<T> Constant(T number) {
  T* items;
  Array<T> array = Array<T>::Uninitialized(kBytes / sizeof(T), &items);
  std::fill_n(items, array.size(), number);
  return array;
}

std::string CrateWith(Value value) {
  LayerBuilder builder;
  const SpecId spec = builder.EnsureProperty(*Path::Parse("/P.a"), SpecType::kAttribute);
  builder.Set(spec, Fields().default_, std::move(value));
  return *WriteUsdc(*std::move(builder).Build({}));
}

std::shared_ptr<const Layer> Read(std::string bytes, std::shared_ptr<MemoryPool> budget) {
  auto owner = MakeRef<OwnedBytes>(std::move(bytes));
  const auto view = std::as_bytes(std::span(owner->bytes));
  auto layer = ReadUsdc(view, std::move(owner), {.identifier = "a.usdc"}, std::move(budget));
  EXPECT_TRUE(layer.ok()) << layer.status();
  return layer.ok() ? *layer : nullptr;
}

Value DefaultOf(const Layer& layer) {
  return layer.Get(layer.tree().Find(*Path::Parse("/P.a")), Fields().default_);
}

template <typename T>
class ConstantArrayTest : public testing::Test {};
using Numbers = testing::Types<int32_t, uint32_t, int64_t, uint64_t, Half, float, double>;
TYPED_TEST_SUITE(ConstantArrayTest, Numbers);

TYPED_TEST(ConstantArrayTest, IsReadAndChargedAsLongAsItLives) {
  // 7 is stored as an integer, 7.25 in a lookup table.
  for (const double number : {7.0, 7.25}) {
    if (number != 7 && std::is_integral_v<TypeParam>) continue;
    const Value written(Constant(TypeParam(static_cast<float>(number))));
    std::string bytes = CrateWith(written);
    EXPECT_LT(bytes.size(), kBytes / 200);
    const auto budget = std::make_shared<MemoryPool>("test", size_t{256} << 20);
    const auto layer = Read(std::move(bytes), budget);
    ASSERT_TRUE(layer);
    EXPECT_EQ(budget->used(), 0u);
    {
      const Value value = DefaultOf(*layer);
      EXPECT_EQ(value, written) << value.invalid_reason();
      EXPECT_EQ(budget->used(), kBytes);
    }
    EXPECT_EQ(budget->used(), 0u);
    EXPECT_EQ(DefaultOf(*Read(CrateWith(written), nullptr)), written);
  }
}

TEST(UsdcExpansionTest, ValuesBeyondTheBudgetAreRefusedUntilThereIsRoom) {
  const auto budget = std::make_shared<MemoryPool>("test", kBytes + kBytes / 2);
  const auto layer = Read(CrateWith(Value(Constant(7))), budget);
  ASSERT_TRUE(layer);
  Value first = DefaultOf(*layer);
  EXPECT_FALSE(first.is_invalid()) << first.invalid_reason();
  const Value second = DefaultOf(*layer);
  EXPECT_TRUE(IsRefused(second));
  RequestContext context;
  FailIfRefused(context, first);
  EXPECT_FALSE(context.failed());
  FailIfRefused(context, second);
  EXPECT_EQ(context.Check().code(), absl::StatusCode::kResourceExhausted);
  // Writers fail instead of leaving the value out.
  EXPECT_EQ(WriteUsdc(*layer).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(WriteCompleteUsda(*layer).status().code(), absl::StatusCode::kResourceExhausted);
  first = Value();
  EXPECT_FALSE(DefaultOf(*layer).is_invalid());
  EXPECT_TRUE(WriteUsdc(*layer).ok());
}

TEST(UsdcExpansionTest, DamageIsNotMistakenForLackOfMemory) {
  RequestContext context;
  FailIfRefused(context, Value::Invalid("a.usdc: damaged"));
  EXPECT_FALSE(context.failed());
}

}  // namespace
}  // namespace stagedoor
