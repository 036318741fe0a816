#include "scene/clips/clip_template.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// How many files are announced at once.
constexpr size_t kAnnouncedFiles = 256;

// Times are counted in units of 1/10000, so that fractional strides add up with the same rounding
// as in OpenUSD; otherwise a file at the end of the range could be missed or found in one of them
// only.
constexpr double kParts = 10000;

// A template's path, with the file name split at its dots.
struct Pattern {
  std::string directory;  // with the final slash
  std::vector<std::string> pieces;
  size_t whole = 0;                // index of the piece for the integer part of the time
  std::optional<size_t> fraction;  // index of the piece for its fraction
  size_t whole_digits = 0;
  size_t fraction_digits = 0;
};

bool IsHashes(std::string_view piece) {
  return std::all_of(piece.begin(), piece.end(), [](char c) { return c == '#'; });
}

absl::StatusOr<Pattern> ParsePattern(const std::string& path) {
  Pattern pattern;
  // 12.3.4.1.3.1: one group of hashes, or two adjacent ones; hashes in directories are no
  // placeholders. Empty pieces are dropped, as TfStringTokenize does.
  const size_t slash = path.rfind('/');
  const size_t base = slash == std::string::npos ? 0 : slash + 1;
  pattern.directory = path.substr(0, base);
  std::vector<size_t> groups;
  for (size_t begin = base; begin <= path.size();) {
    const size_t dot = std::min(path.find('.', begin), path.size());
    if (dot > begin) {
      std::string piece = path.substr(begin, dot - begin);
      if (IsHashes(piece)) groups.push_back(pattern.pieces.size());
      pattern.pieces.push_back(std::move(piece));
    }
    begin = dot + 1;
  }
  const bool adjacent = groups.size() == 2 && groups[1] == groups[0] + 1;
  if (groups.size() != 1 && !adjacent) {
    return InvalidArgumentError("templateAssetPath ", Quoted(path),
                                " must be like path/name.###.usd or path/name.###.###.usd");
  }
  pattern.whole = groups[0];
  pattern.whole_digits = pattern.pieces[groups[0]].size();
  if (adjacent) {
    pattern.fraction = groups[1];
    pattern.fraction_digits = pattern.pieces[groups[1]].size();
  }
  constexpr size_t kMaxDigits = 300;
  if (pattern.whole_digits > kMaxDigits || pattern.fraction_digits > kMaxDigits) {
    return InvalidArgumentError("templateAssetPath has a group of more than ", kMaxDigits,
                                " hashes");
  }
  return pattern;
}

std::string FileName(const Pattern& pattern, double time) {
  // The formats of _DeriveClipTimeString: the integer part is truncated and padded with zeros, the
  // fraction rounded to the number of hashes.
  char text[1024];
  std::vector<std::string> pieces = pattern.pieces;
  std::snprintf(text, sizeof(text), "%0*d", static_cast<int>(pattern.whole_digits),
                static_cast<int>(std::clamp<double>(time, INT32_MIN, INT32_MAX)));
  pieces[pattern.whole] = text;
  if (pattern.fraction) {
    std::snprintf(text, sizeof(text), "%.*f", static_cast<int>(pattern.fraction_digits), time);
    const std::string_view number = text;
    pieces[*pattern.fraction] = std::string(number.substr(number.find('.') + 1));
  }
  return pattern.directory + Join(pieces, ".");
}

absl::Status CheckRange(const ClipTemplate& pattern) {
  if (!(pattern.stride > 0)) {
    return InvalidArgumentError("templateStride is ", pattern.stride,
                                " but must be greater than 0");
  }
  if (pattern.active_offset && !(std::abs(*pattern.active_offset) <= pattern.stride)) {
    return InvalidArgumentError("templateActiveOffset is ", *pattern.active_offset,
                                " but must not exceed templateStride ", pattern.stride);
  }
  if (!(pattern.start <= pattern.end)) {
    return InvalidArgumentError("templateEndTime ", pattern.end, " is before templateStartTime ",
                                pattern.start);
  }
  if (!((pattern.end - pattern.start) / pattern.stride < kMaxTemplateClips)) {
    return InvalidArgumentError(
        "the template has too many clips; increase templateStride or narrow the range");
  }
  return absl::OkStatus();
}

// Announces the next files, whose names are computed again when they are looked up.
void AnnounceNext(const Pattern& pattern, double part, double end, double step,
                  const AnnounceFiles& announce) {
  std::vector<std::string> names;
  for (; part <= end && names.size() < kAnnouncedFiles; part += step) {
    names.push_back(FileName(pattern, part / kParts));
  }
  announce(names);
}

}  // namespace

std::string WithoutFormatArguments(const std::string& asset_path) {
  return asset_path.substr(0, asset_path.find(":SDF_FORMAT_ARGS:"));
}

absl::StatusOr<DerivedClips> DeriveClips(RequestContext& context, const ClipTemplate& pattern,
                                         const std::function<bool(const std::string&)>& exists,
                                         const AnnounceFiles& announce) {
  SD_RETURN_IF_ERROR(CheckRange(pattern));
  SD_ASSIGN_OR_RETURN(const Pattern parsed,
                      ParsePattern(WithoutFormatArguments(pattern.asset_path)));
  const double start = pattern.start * kParts;
  const double end = pattern.end * kParts;
  const double step = pattern.stride * kParts;
  const double offset = pattern.active_offset.value_or(0) * kParts;
  DerivedClips clips;
  const auto add_time = [&](double time) {
    clips.times.push_back(Vec2d{{pattern.times_offset.Apply(time), time}});
  };
  // 12.3.4.1.3.5: with an active offset, the curve gets a knot at either end, as far out as the
  // offset is long.
  if (pattern.active_offset) add_time((start - std::abs(offset)) / kParts);
  // A look-up takes some 10 microseconds, more if the name is long.
  const auto look_up_steps = static_cast<int64_t>(128 + pattern.asset_path.size() / 16);
  Pacer pacer(context);
  Reservation reserved(context);
  size_t announced = 0;
  for (double part = start; part <= end; part += step) {
    SD_RETURN_IF_ERROR(pacer.Step(look_up_steps));
    if (part + step == part) return InvalidArgumentError("templateStride is lost in rounding");
    if (announce != nullptr && announced-- == 0) {
      announced = kAnnouncedFiles - 1;
      AnnounceNext(parsed, part, end, step, announce);
    }
    const double time = part / kParts;
    std::string name = FileName(parsed, time);
    // A missing file leaves a gap in the numbers, not in the list of assets: the clip before it
    // stays active.
    if (!exists(name)) continue;
    SD_RETURN_IF_ERROR(reserved.Grow(sizeof(std::string) + 2 * sizeof(Vec2d) + name.size(),
                                     "the clips of a template"));
    add_time(time);
    const double active = pattern.active_offset ? (part + offset) / kParts : time;
    clips.active.push_back(Vec2d{{active, static_cast<double>(clips.assets.size())}});
    clips.assets.push_back(std::move(name));
  }
  if (pattern.active_offset) add_time((end + std::abs(offset)) / kParts);
  return clips;
}

}  // namespace stagedoor
