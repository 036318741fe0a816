// The part of CrateValueReader for values that are composed of others: dictionaries, variant
// selections, relocates, unregistered values, splines and time samples (Core Specification,
// 16.3.10 Value Types).
#include <algorithm>
#include <cstring>

#include "scene/usdc/crate_spline.h"
#include "scene/usdc/crate_time_samples.h"
#include "scene/usdc/crate_value_reader.h"
#include "scene/usdc/crate_value_reader_inl.h"
#include "scene/values/unregistered_value.h"

namespace stagedoor {

bool CrateValueReader::ReadText(CrateCursor& in, std::string* out) {
  const uint64_t at = in.offset();
  uint32_t index = 0;
  std::string_view text;
  if (!in.Read(&index) || !tables_.FindString(index, &text)) return Fail(at, "bad string index");
  if (!Spend(at, text.size())) return false;
  *out = text;
  return true;
}

bool CrateValueReader::ReadDictionary(CrateCursor& in, Dictionary* out) {
  const uint64_t at = in.offset();
  uint64_t count = 0;
  if (!in.Read(&count)) return Fail(at, "dictionary is outside the file");
  // Each entry jumps to its value and continues after it, so the count cannot be checked up front.
  for (; count > 0; --count) {
    std::string key;
    Value value;
    if (!Spend(at, sizeof(Dictionary::Entry)) || !ReadText(in, &key) || !ReadNested(in, &value)) {
      return false;
    }
    out->Set(key, std::move(value));
  }
  return true;
}

bool CrateValueReader::ReadVariantSelections(CrateCursor& in, VariantSelections* out) {
  const uint64_t at = in.offset();
  uint64_t count = 0;
  if (!in.Read(&count) || count > in.remaining() / 8) {
    return Fail(at, "variant selections are outside the file");
  }
  if (!Spend(at, count * sizeof(VariantSelections::value_type))) return false;
  out->resize(count);
  for (auto& [set, variant] : *out) {
    if (!ReadText(in, &set) || !ReadText(in, &variant)) return false;
  }
  const auto by_set = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(out->begin(), out->end(), by_set);
  return true;
}

bool CrateValueReader::ReadRelocates(CrateCursor& in, Relocates* out) {
  const uint64_t at = in.offset();
  uint64_t count = 0;
  if (!in.Read(&count) || count > in.remaining() / 8) {
    return Fail(at, "relocates are outside the file");
  }
  if (!Spend(at, count * sizeof(Relocates::value_type))) return false;
  out->resize(count);
  for (auto& [source, target] : *out) {
    if (!ReadItem(in, &source) || !ReadItem(in, &target)) return false;
  }
  return true;
}

bool CrateValueReader::ReadUnregistered(CrateCursor& in, UnregisteredValue* out) {
  const uint64_t at = in.offset();
  if (!ReadNested(in, &out->held)) return false;
  const ValueType type = out->held.type();
  const bool known =
      !out->held.is_array() && (type == ValueType::kString || type == ValueType::kDictionary ||
                                type == ValueType::kUnregisteredListOp);
  return known || Fail(at, "unregistered value is not a string, dictionary or list op");
}

bool CrateValueReader::ReadSpline(CrateCursor& in, Spline* out) {
  const uint64_t at = in.offset();
  uint64_t size = 0;
  in.Read(&size);
  const auto blob = in.Take(size);
  unchecked_ = true;
  uint64_t custom = 0;
  if (!in.Read(&custom)) return Fail(at, "spline is outside the file");
  if (!Spend(at, size * 8) || !DecodeCrateSpline(blob, out)) return Fail(at, "corrupt spline data");
  for (; custom > 0; --custom) {
    double time = 0;
    Dictionary data;
    if (!Spend(at, sizeof(Dictionary)) || !ReadItem(in, &time) || !ReadDictionary(in, &data)) {
      return false;
    }
    const auto knot = std::lower_bound(out->knots.begin(), out->knots.end(), time,
                                       [](const SplineKnot& k, double t) { return k.time < t; });
    if (knot != out->knots.end() && knot->time == time) knot->custom_data = std::move(data);
  }
  return true;
}

bool CrateValueReader::ReadTimes(CrateValueRep rep, Array<double>* times) {
  if (tables_.FindTimes(rep, times)) return true;
  if (rep.is_array() && rep.type() == CrateType::kDouble) {
    if (!ReadArray(rep, times)) return false;
  } else {
    CrateCursor in = At(rep);
    uint64_t count = 0;
    if (rep.type() != CrateType::kDoubleVector || !in.Read(&count) ||
        !ReadPlainArray(in, count, times)) {
      return Fail(rep.payload(), "sample times are not an array of doubles");
    }
  }
  // Times are read often, by everything that shares them, so they are copied instead of viewed.
  if (tables_.bytes().may_change() && SourceOf(*times) != nullptr) {
    *times = Array<double>::Copy(times->span());
    unchecked_ = true;
  }
  if (unchecked_ && !tables_.bytes().Check().ok())
    return Fail(rep.payload(), "the file was modified while in use");
  for (size_t i = 0; i < times->size(); ++i) {
    if (!((*times)[i] == (*times)[i]) || (i > 0 && !((*times)[i - 1] < (*times)[i]))) {
      return Fail(rep.payload(), "sample times are not in ascending order");
    }
  }
  tables_.KeepTimes(rep, *times);
  return true;
}

bool CrateValueReader::ReadTimeSamples(CrateCursor& steady, Value* value) {
  // Every use of the samples is noted, so their location does not need a check of its own.
  CrateCursor in = CrateCursor::Current(tables_.bytes(), steady.offset());
  const uint64_t at = in.offset();
  int64_t distance = 0;
  uint64_t times_rep = 0;
  if (!in.Read(&distance) || !in.Jump(at, distance) || !in.Read(&times_rep)) {
    return Fail(at, "time samples are outside the file");
  }
  Array<double> times;
  if (!ReadTimes(CrateValueRep(times_rep), &times)) return false;
  const uint64_t values_at = in.offset();
  uint64_t count = 0;
  if (!in.Read(&distance) || !in.Jump(values_at, distance) || !in.Read(&count)) {
    return Fail(at, "time samples are outside the file");
  }
  if (count != times.size() || count > in.remaining() / sizeof(CrateValueRep)) {
    return Fail(at, "the numbers of sample values and times differ");
  }
  if (!tables_.bytes().NoteUse()) return Fail(at, "the file was modified while in use");
  *value = Value::FromSamples(MakeRef<CrateTimeSamples>(
      std::move(times), RefPtr<const CrateTables>::Share(&tables_), in.offset()));
  return true;
}

}  // namespace stagedoor
