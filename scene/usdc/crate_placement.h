// CratePlacement: where the values of a crate under construction lie in the file.
//
// A file begins with an offset that is known only when all values have their places, so a crate
// that is made while it is read is laid out first (CrateRecorder without a file) and written then
// (CrateReplay). What is recorded are places, not bytes. Not thread-safe.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_PLACEMENT_H_
#define STAGEDOOR_SCENE_USDC_CRATE_PLACEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "scene/usdc/crate_format.h"

namespace stagedoor {

class CratePlacement {
 public:
  virtual ~CratePlacement() = default;

  // The place of a value whose bytes are `head` followed by `bulk`; equal values of a type have one
  // place.
  virtual CrateValueRep Place(CrateType type, uint64_t flags, std::string_view head,
                              std::string_view bulk, bool aligned) = 0;
};

// What was placed, in order, for a CrateReplay.
struct CrateLog {
  std::vector<CrateValueRep> reps;
  std::vector<bool> fresh;  // the value was new

  size_t size() const { return reps.size(); }
  void Resize(size_t size) {
    reps.resize(size);
    fresh.resize(size);
  }
};

// Finds the places.
class CrateRecorder final : public CratePlacement {
 public:
  // With a file: values are appended to it. Without: the first of them is to lie at kCrateBootSize,
  // and `log`, which outlives the recorder, gets the places.
  explicit CrateRecorder(std::string* file);
  explicit CrateRecorder(CrateLog* log);

  CrateValueRep Place(CrateType type, uint64_t flags, std::string_view head, std::string_view bulk,
                      bool aligned) override;

  // Behind the last value.
  uint64_t end() const { return end_; }
  // How many values were new.
  uint64_t placed() const { return places_.size(); }
  // RESOURCE_EXHAUSTED for too large a file.
  const absl::Status& status() const { return status_; }
  size_t byte_size() const;

 private:
  // Of a value's type and bytes, under keys that are drawn for each recorder: files that are made
  // so that two values have the same one cannot be prepared.
  struct Digest {
    uint64_t a = 0, b = 0;
    friend bool operator==(const Digest&, const Digest&) = default;
  };
  struct DigestHash {
    size_t operator()(const Digest& digest) const { return digest.a; }
  };
  void DrawKeys();
  void Take(std::string_view bytes, Digest* digest) const;

  uint64_t keys_[4];
  std::string* file_ = nullptr;
  CrateLog* log_ = nullptr;
  uint64_t end_ = kCrateBootSize;
  std::unordered_map<Digest, CrateValueRep, DigestHash> places_;
  absl::Status status_;
};

// Gives the recorded places, in the order in which they were recorded, and the bytes of the values
// that were new.
class CrateReplay final : public CratePlacement {
 public:
  // `log` outlives it.
  explicit CrateReplay(const CrateLog& log) : log_(log) {}

  CrateValueRep Place(CrateType type, uint64_t flags, std::string_view head, std::string_view bulk,
                      bool aligned) override;

  // The bytes that were placed and not taken yet. The end of them may lie in the value that was
  // placed last, if it was placed while `keeps` was set: who sets it keeps the value until then.
  std::string& text() { return text_; }
  std::string_view bulk() const { return bulk_; }
  void TakeBulk(size_t bytes) { bulk_.remove_prefix(bytes); }
  void set_keeps(bool keeps) { keeps_ = keeps; }
  // False when values are not those that were recorded: their file has changed.
  bool consistent() const { return consistent_; }
  // Whether everything that was recorded has been placed, and the values end at `end`.
  bool Ended(uint64_t end) const { return consistent_ && next_ == log_.size() && end_ == end; }

 private:
  const CrateLog& log_;
  size_t next_ = 0;
  uint64_t end_ = kCrateBootSize;
  bool keeps_ = false;
  bool consistent_ = true;
  std::string text_;
  std::string_view bulk_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_PLACEMENT_H_
