#ifndef STAGEDOOR_SCENE_USDC_CRATE_SPLINE_H_
#define STAGEDOOR_SCENE_USDC_CRATE_SPLINE_H_

#include <cstddef>
#include <span>
#include <string>

#include "scene/usdc/crate_format.h"
#include "scene/values/spline.h"

namespace stagedoor {

// Encodes and decodes the bytes of a spline in a crate file, without the custom data of its knots
// (Core Specification, 16.3.10.33 Splines). Thread-safe.

// Returns false if the bytes are damaged or have an unknown version. No bytes give an empty spline.
bool DecodeCrateSpline(std::span<const std::byte> blob, Spline* spline);

// Returns the bytes and raises `*version` to the crate version that the spline needs.
std::string EncodeCrateSpline(const Spline& spline, CrateVersion* version);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_SPLINE_H_
