#ifndef STAGEDOOR_SERVER_TESTING_FRAME_SCENE_TEST_H_
#define STAGEDOOR_SERVER_TESTING_FRAME_SCENE_TEST_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {

// A server, and a client that holds a frame of an open stage and applies what it is sent of the
// next one.
class FrameSceneTest : public ServerTest {
 protected:
  using Strings = std::vector<std::string>;
  using Doubles = std::vector<double>;

  struct Transform {
    Doubles times;
    Doubles matrices;
  };

  // Opens a stage of its own on a root layer with this text. The client holds nothing.
  void Load(std::string_view text) {
    Write("root.usda", text);
    stage_ = Open();
    Forget();
  }
  // Replaces the session layer.
  void Edit(std::string_view content) {
    v1::SetSessionLayerRequest request;
    *request.mutable_stage() = stage_;
    request.mutable_session_layer()->set_content(Concat("#usda 1.0\n", content));
    const auto reply = client().SetSessionLayer(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
  }
  void Forget() {
    Clear();
    names_.clear();
    token_.clear();
  }

  void SetShutter(double open, double close) {
    options_.mutable_sample_policy()->set_shutter_open(open);
    options_.mutable_sample_policy()->set_shutter_close(close);
  }

  // A request for the frame at a time, with what `options_` has and the token of the frame that the
  // client holds.
  v1::ExtractFrameRequest RequestAt(double time) const {
    v1::ExtractFrameRequest request = options_;
    *request.mutable_stage() = stage_;
    request.mutable_time()->set_numeric(time);
    request.set_base_token(token_);
    return request;
  }
  // The parts that the client is sent of the frame at a time, sorted: "row /A", "visibility /A",
  // "transform /A", "geometry /A" if all of it is sent, "value /A.points", "no value /A.points",
  // "fields /A", "instances /A", "subset /A/S", "material /M", "light /L", "set", "camera",
  // "settings", "removed /A", "error /A".
  Strings Next(double time) { return Extract(RequestAt(time)); }
  Strings Extract(const v1::ExtractFrameRequest& request) {
    sent_.clear();
    shared_.clear();
    messages_ = All(&Client::ExtractFrame, request);
    for (const v1::ExtractFrameResponse& message : messages_) Apply(message);
    std::sort(sent_.begin(), sent_.end());
    EXPECT_FALSE(messages_.empty());
    if (!messages_.empty()) token_ = messages_.back().token();
    EXPECT_NE(token_, "");
    return sent_;
  }
  bool IsComplete() const { return messages_.at(0).header().complete(); }
  // Whether the latest frame sent a part.
  bool WasSent(const std::string& part) const {
    return std::binary_search(sent_.begin(), sent_.end(), part);
  }
  // Whether a value of the latest frame came as a reference to another geometry.
  bool WasShared(const std::string& value) const {
    return std::find(shared_.begin(), shared_.end(), value) != shared_.end();
  }
  // The reason why a request fails; empty if it does not.
  std::string Failure(const v1::ExtractFrameRequest& request) {
    return ErrorReason(End(&Client::ExtractFrame, request));
  }

  // The parts that the client holds, by path.
  std::map<std::string, v1::FramePrims> rows_;  // each with one row
  std::map<std::string, bool> visible_;
  std::map<std::string, Transform> transforms_;
  std::map<std::string, v1::FrameValue> values_;  // of geometry: "/A.points"
  std::map<std::string, v1::FrameInstances> instances_;
  std::map<std::string, v1::FrameSubset> subsets_;
  std::map<std::string, v1::FrameLight> lights_;
  std::map<std::string, v1::MaterialNetwork> materials_;
  v1::ComputeCamerasResponse camera_;

  // The numbers of a value with a single sample.
  template <typename Number>
  std::vector<Number> Numbers(const std::string& value) const {
    const auto found = values_.find(value);
    if (found == values_.end() || found->second.values_size() != 1) return {};
    return Unpack<Number>(found->second.values(0).array_value());
  }

  // The translation in a matrix of an object.
  Doubles TranslationOf(const std::string& path, size_t sample = 0) const {
    const auto found = transforms_.find(path);
    if (found == transforms_.end()) return {};
    const Doubles& matrices = found->second.matrices;
    if (matrices.size() < 16 * (sample + 1)) return {};
    return {matrices[16 * sample + 12], matrices[16 * sample + 13], matrices[16 * sample + 14]};
  }

  v1::StageRef stage_;
  v1::ExtractFrameRequest options_;
  std::string token_;
  std::vector<v1::ExtractFrameResponse> messages_;  // of the latest frame
  Strings shared_;                                  // values of it that came as references
  std::map<uint64_t, std::string> names_;           // of objects

 private:
  void Clear() {
    rows_.clear();
    visible_.clear();
    transforms_.clear();
    values_.clear();
    instances_.clear();
    subsets_.clear();
    lights_.clear();
    materials_.clear();
    camera_.Clear();
  }

  void Sent(std::string_view part, std::string_view what) { sent_.push_back(Concat(part, what)); }

  void Apply(const v1::ExtractFrameResponse& message) {
    if (message.has_header()) ApplyHeader(message.header());
    ApplyMaterials(message.materials());
    for (const v1::FrameLight& light : message.lights()) {
      names_[light.id()] = light.path();
      lights_[light.path()] = light;
      Sent("light ", light.path());
    }
    for (int i = 0; i < message.light_sets_size(); ++i) Sent("set", "");
    ApplyRows(message.prims());
    ApplyPlaces(message);
    for (const v1::FrameGeometry& geometry : message.geometry()) ApplyGeometry(geometry);
    for (const v1::FrameSubset& subset : message.subsets()) {
      names_[subset.id()] = subset.path();
      subsets_[subset.path()] = subset;
      Sent("subset ", subset.path());
    }
    for (const uint64_t id : message.removed()) Remove(id);
    for (const v1::ItemStatus& error : message.path_errors()) {
      Sent("error ", message.error_paths(static_cast<int>(error.item())));
    }
  }

  void ApplyHeader(const v1::FrameHeader& header) {
    if (header.complete()) Clear();
    if (header.has_settings()) Sent("settings", "");
    if (!header.has_camera()) return;
    camera_ = header.camera();
    Sent("camera", "");
  }

  void ApplyMaterials(const v1::FrameMaterials& materials) {
    ASSERT_EQ(materials.paths_size(), materials.ids_size());
    ASSERT_EQ(materials.networks_size(), materials.ids_size());
    for (int i = 0; i < materials.ids_size(); ++i) {
      EXPECT_EQ(materials.networks(i).item(), static_cast<uint32_t>(i));
      names_[materials.ids(i)] = materials.paths(i);
      materials_[materials.paths(i)] = materials.networks(i);
      Sent("material ", materials.paths(i));
    }
  }

  void ApplyRows(const v1::FramePrims& rows) {
    for (int i = 0; i < rows.ids_size(); ++i) {
      v1::FramePrims& row = rows_[rows.paths(i)];
      row.Clear();
      row.add_ids(rows.ids(i));
      row.add_paths(rows.paths(i));
      row.add_type_names(rows.type_names(static_cast<int>(rows.types(i))));
      row.add_purposes(rows.purposes(i));
      row.add_materials(rows.materials(i));
      row.add_light_sets(rows.light_sets(i));
      row.add_shadow_sets(rows.shadow_sets(i));
      row.add_geometry(rows.geometry(i));
      row.add_prototypes(rows.prototypes(i));
      if (!rows.pass_members().empty()) {
        row.set_pass_members(rows.pass_members().substr(static_cast<size_t>(i), 1));
      }
      if (rows.draw_modes_size() != 0) row.add_draw_modes(rows.draw_modes(i));
      names_[rows.ids(i)] = rows.paths(i);
      names_.try_emplace(rows.geometry(i), rows.paths(i));
      Sent("row ", rows.paths(i));
    }
  }

  void ApplyPlaces(const v1::ExtractFrameResponse& message) {
    const v1::FrameVisibility& visibility = message.visibility();
    for (int i = 0; i < visibility.ids_size(); ++i) {
      const std::string& name = NameOf(visibility.ids(i));
      visible_[name] = visibility.visible()[static_cast<size_t>(i)] != 0;
      Sent("visibility ", name);
    }
    const v1::FrameTransforms& transforms = message.transforms();
    const Doubles numbers = Unpack<double>(transforms.matrices());
    size_t next_number = 0;
    int next_time = 0;
    for (int i = 0; i < transforms.ids_size(); ++i) {
      Transform& transform = transforms_[NameOf(transforms.ids(i))];
      const size_t count = transforms.counts(i);
      transform.times.clear();
      for (size_t s = 0; count > 1 && s < count; ++s) {
        transform.times.push_back(transforms.times(next_time++));
      }
      const auto first = numbers.begin() + static_cast<ptrdiff_t>(next_number);
      transform.matrices.assign(first, first + static_cast<ptrdiff_t>(16 * count));
      next_number += 16 * count;
      Sent("transform ", NameOf(transforms.ids(i)));
    }
    EXPECT_EQ(next_number, numbers.size());
    EXPECT_EQ(next_time, transforms.times_size());
  }

  void ApplyGeometry(const v1::FrameGeometry& geometry) {
    const std::string& name = NameOf(geometry.id());
    if (geometry.complete()) {
      std::erase_if(values_,
                    [&](const auto& value) { return value.first.starts_with(name + "."); });
      instances_.erase(name);
      Sent("geometry ", name);
    }
    for (const v1::FrameValue& value : geometry.values()) {
      const std::string full = Concat(name, ".", value.name());
      Sent(value.removed() ? "no value " : "value ", full);
      if (value.removed()) {
        values_.erase(full);
      } else {
        values_[full] = value;
      }
    }
    for (const v1::FrameSharedValues& shared : geometry.shared()) ApplyShared(name, shared);
    if (geometry.fields_size() != 0) Sent("fields ", name);
    if (!geometry.has_instances()) return;
    instances_[name] = geometry.instances();
    Sent("instances ", name);
  }

  void ApplyShared(const std::string& name, const v1::FrameSharedValues& shared) {
    for (const std::string& value : shared.names()) {
      const std::string full = Concat(name, ".", value);
      const auto other = values_.find(Concat(NameOf(shared.geometry()), ".", value));
      ASSERT_NE(other, values_.end()) << full;
      values_[full] = v1::FrameValue(other->second);
      Sent("value ", full);
      shared_.push_back(full);
    }
  }

  void Remove(uint64_t id) {
    const std::string& name = NameOf(id);
    Sent("removed ", name);
    if (rows_.contains(name) && rows_[name].ids(0) == id) {
      rows_.erase(name);
      visible_.erase(name);
      transforms_.erase(name);
    }
    subsets_.erase(name);
    lights_.erase(name);
    materials_.erase(name);
  }

  const std::string& NameOf(uint64_t id) { return names_[id]; }

  Strings sent_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_FRAME_SCENE_TEST_H_
