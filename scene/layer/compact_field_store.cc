#include "scene/layer/compact_field_store.h"

#include "base/hash.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/heap_bytes.h"

namespace stagedoor {
namespace {

// Longer lists of fields are stored per spec, so that a hostile file cannot create many long
// shapes.
constexpr size_t kMaxShapeFields = 32;
constexpr size_t kMaxShapes = 1 << 16;

}  // namespace

class CompactFieldStore final : public FieldStore {
 public:
  using Builder = CompactFieldStoreBuilder;

  explicit CompactFieldStore(Builder&& from)
      : shapes_(std::move(from.shapes_)),
        records_(std::move(from.records_)),
        values_(std::move(from.values_)),
        own_(std::move(from.own_)),
        bytes_(CountBytes()) {}

  Value Get(SpecId spec, Token field) const override {
    const Value* found = Find(spec, field);
    return found ? *found : Value();
  }
  bool Has(SpecId spec, Token field) const override { return Find(spec, field) != nullptr; }

  std::vector<Token> Names(SpecId spec) const override {
    std::vector<Token> names;
    const uint32_t shape = records_[spec].shape;
    if (shape == Builder::kOwnShape) {
      for (const auto& field : own_.at(spec)) names.push_back(field.first);
    } else if (shape != Builder::kNoShape) {
      for (const auto& entry : shapes_[shape].entries) names.push_back(entry.name);
    }
    return names;
  }

  size_t byte_size() const override { return bytes_; }

 private:
  size_t CountBytes() const {
    size_t bytes = records_.capacity() * sizeof(records_[0]) + values_.capacity() * sizeof(Value);
    for (const auto& shape : shapes_) bytes += shape.entries.capacity() * sizeof(shape.entries[0]);
    for (const auto& [spec, fields] : own_) {
      bytes += fields.capacity() * sizeof(fields[0]);
      for (const auto& field : fields) bytes += HeapBytes(field.second);
    }
    for (const Value& value : values_) bytes += HeapBytes(value);
    return bytes;
  }
  const Value* Find(SpecId spec, Token field) const {
    const Builder::Record record = records_[spec];
    if (record.shape >= Builder::kOwnShape) {
      return record.shape == Builder::kNoShape ? nullptr : FindOwn(spec, field);
    }
    for (const auto& entry : shapes_[record.shape].entries) {
      if (!(entry.name == field)) continue;
      return entry.slot == Builder::kShared ? &entry.shared : &values_[record.first + entry.slot];
    }
    return nullptr;
  }
  const Value* FindOwn(SpecId spec, Token field) const {
    for (const auto& [name, value] : own_.at(spec)) {
      if (name == field) return &value;
    }
    return nullptr;
  }

  const std::vector<Builder::Shape> shapes_;
  const std::vector<Builder::Record> records_;
  const std::vector<Value> values_;
  const Builder::OwnFields own_;
  const size_t bytes_;
};

CompactFieldStoreBuilder::CompactFieldStoreBuilder() : table_(64, kNoShape) {}
CompactFieldStoreBuilder::~CompactFieldStoreBuilder() = default;

bool CompactFieldStoreBuilder::IsShared(const Field& field) {
  static const FieldKeys& names = Fields();
  const Token name = field.first;
  if (name == names.typeName) return field.second.Is<Token>();
  if (name == names.custom) return field.second.Is<bool>();
  if (name == names.variability) return field.second.Is<Variability>();
  return name == names.specifier && field.second.Is<Specifier>();
}

uint64_t CompactFieldStoreBuilder::HashOf(const FieldList& fields) {
  uint64_t h = fields.size();
  for (const Field& field : fields) {
    h = HashCombine(h, field.first.hash());
    if (!IsShared(field)) continue;
    const Token* token = field.second.Get<Token>();
    const bool* flag = field.second.Get<bool>();
    h = HashCombine(h, token ? token->hash() : flag ? *flag : 2);
  }
  return h;
}

bool CompactFieldStoreBuilder::Matches(const Shape& shape, const FieldList& fields) {
  if (shape.entries.size() != fields.size()) return false;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Entry& entry = shape.entries[i];
    if (!(entry.name == fields[i].first)) return false;
    const bool shared = IsShared(fields[i]);
    if (shared != (entry.slot == kShared)) return false;
    if (shared && !(entry.shared == fields[i].second)) return false;
  }
  return true;
}

uint32_t CompactFieldStoreBuilder::FindOrAddShape(const FieldList& fields) {
  if (fields.size() > kMaxShapeFields) return kOwnShape;
  const uint64_t hash = HashOf(fields);
  const size_t mask = table_.size() - 1;
  size_t i = hash & mask;
  for (; table_[i] != kNoShape; i = (i + 1) & mask) {
    const Shape& shape = shapes_[table_[i]];
    if (shape.hash == hash && Matches(shape, fields)) return table_[i];
  }
  if (shapes_.size() >= kMaxShapes) return kOwnShape;
  const uint32_t id = static_cast<uint32_t>(shapes_.size());
  table_[i] = id;
  Shape& shape = shapes_.emplace_back();
  shape.hash = hash;
  shape.entries.reserve(fields.size());
  for (const Field& field : fields) {
    const bool shared = IsShared(field);
    shape.entries.push_back(
        {field.first, shared ? kShared : shape.slots++, shared ? field.second : Value()});
  }
  if (shapes_.size() * 2 > table_.size()) GrowTable();
  return id;
}

void CompactFieldStoreBuilder::GrowTable() {
  table_.assign(table_.size() * 2, kNoShape);
  const size_t mask = table_.size() - 1;
  for (uint32_t id = 0; id < shapes_.size(); ++id) {
    size_t i = shapes_[id].hash & mask;
    while (table_[i] != kNoShape) i = (i + 1) & mask;
    table_[i] = id;
  }
}

void CompactFieldStoreBuilder::Put(SpecId spec, FieldList* fields) {
  if (spec >= records_.size()) records_.resize(spec + 1);
  Record& record = records_[spec];
  if (record.shape == kOwnShape) {
    own_[spec] = std::move(*fields);
    return;
  }
  if (record.shape != kNoShape && record.first + shapes_[record.shape].slots == values_.size()) {
    values_.resize(record.first);  // stored last, so its space can be reused
  }
  record.shape = FindOrAddShape(*fields);
  if (record.shape == kOwnShape) {
    own_[spec] = std::move(*fields);
    return;
  }
  record.first = static_cast<uint32_t>(values_.size());
  for (Field& field : *fields) {
    if (!IsShared(field)) values_.push_back(std::move(field.second));
  }
}

void CompactFieldStoreBuilder::Get(SpecId spec, FieldList* fields) const {
  fields->clear();
  if (spec >= records_.size()) return;
  const Record record = records_[spec];
  if (record.shape == kOwnShape) {
    *fields = own_.at(spec);
  } else if (record.shape != kNoShape) {
    for (const Entry& entry : shapes_[record.shape].entries) {
      fields->emplace_back(
          entry.name, entry.slot == kShared ? entry.shared : values_[record.first + entry.slot]);
    }
  }
}

std::unique_ptr<const FieldStore> CompactFieldStoreBuilder::Build(
    std::span<const SpecId> final_ids) && {
  std::vector<Record> records(final_ids.size());
  OwnFields own;
  for (SpecId id = 0; id < records_.size(); ++id) {
    records[final_ids[id]] = records_[id];
    if (records_[id].shape == kOwnShape) own[final_ids[id]] = std::move(own_[id]);
  }
  records_ = std::move(records);
  own_ = std::move(own);
  if (values_.capacity() > values_.size() + values_.size() / 4) values_.shrink_to_fit();
  return std::make_unique<CompactFieldStore>(std::move(*this));
}

}  // namespace stagedoor
