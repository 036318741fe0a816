#include "scene/edit/private_copy.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scene/layer/field_keys.h"
#include "scene/values/array_owner.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

constexpr size_t kNoLimit = size_t{1} << 30;

// An array in bytes that something else owns, such as a mapped file.
Value InFile(const std::vector<double>& bytes) {
  auto owner = MakeRef<AssetArrayOwner>(AssetArrayOwner::Origin{});
  return Value(Array<double>::View(bytes.data(), bytes.size(), std::move(owner)));
}

// Samples that are decoded on demand.
class DecodedSamples final : public TimeSamples {
 public:
  explicit DecodedSamples(Value value)
      : TimeSamples(Array<double>{1, 2}), value_(std::move(value)) {}
  Value At(size_t) const override { return value_; }
  Value Between(size_t, double) const override { return value_; }
  bool MayHoldEdits() const override { return false; }

 private:
  const Value value_;
};

std::shared_ptr<const Layer> LayerWith(Value value) {
  LayerBuilder builder;
  builder.Set(builder.EnsureProperty(*Path::Parse("/A.x"), SpecType::kAttribute), Fields().default_,
              std::move(value));
  return std::move(builder).Build({.identifier = "l.usda"});
}

// The value of /A.x in a private copy.
absl::StatusOr<Value> Copied(Value value, size_t limit = kNoLimit) {
  RequestContext context;
  const auto layer = LayerWith(std::move(value));
  auto copy = MakePrivateCopy(context, *layer, limit);
  if (!copy.ok()) return copy.status();
  return *copy->Get(copy->Find(*Path::Parse("/A.x")), Fields().default_);
}

TEST(PrivateCopyTest, ArraysOfFilesAreCopiedAndOthersShared) {
  const std::vector<double> bytes = {1, 2, 3};
  const auto copied = Copied(InFile(bytes));
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_EQ(*copied, Value(Array<double>{1, 2, 3}));
  EXPECT_NE(copied->array()->raw_data(), bytes.data());
  const Value own(Array<double>{1, 2, 3});
  const auto shared = Copied(own);
  ASSERT_TRUE(shared.ok()) << shared.status();
  EXPECT_EQ(shared->array()->raw_data(), own.array()->raw_data());
}

TEST(PrivateCopyTest, SamplesAreDecodedAndCopied) {
  const std::vector<double> bytes = {1, 2, 3};
  const auto copied = Copied(Value::FromSamples(MakeRef<DecodedSamples>(InFile(bytes))));
  ASSERT_TRUE(copied.ok()) << copied.status();
  ASSERT_NE(copied->samples(), nullptr);
  EXPECT_TRUE(copied->samples()->InMemory());
  EXPECT_EQ(copied->samples()->size(), 2u);
  EXPECT_EQ(copied->samples()->At(1), Value(Array<double>{1, 2, 3}));
  EXPECT_NE(copied->samples()->At(1).array()->raw_data(), bytes.data());
}

TEST(PrivateCopyTest, LayersThatAreTooLargeAreRefused) {
  const std::vector<double> bytes(10000);
  EXPECT_EQ(Copied(InFile(bytes), 70000).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Copied(InFile(bytes), 90000).ok());
}

TEST(PrivateCopyTest, DamagedValuesAreRefused) {
  EXPECT_EQ(Copied(Value::Invalid("damaged")).status().code(), absl::StatusCode::kDataLoss);
}

TEST(PrivateCopyTest, WholeBytesCountWhatIsShared) {
  const Value shared(Array<double>::FromVector(std::vector<double>(10000)));
  const auto layer = LayerWith(shared);
  EXPECT_LT(layer->byte_size(), 10000u) << "the array is not its own";
  EXPECT_GE(WholeBytes(*layer), 80000u);
}

}  // namespace
}  // namespace stagedoor
