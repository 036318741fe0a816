/* Uses each function of stagedoor.h, with the scene tests/data/stage_door below $SCENES. */
#include <math.h>
#include <stagedoor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "client.c: %s\n", what);
  ++failures;
}

/* Prints the error of a call that should have succeeded, and destroys it. */
static void expect_ok(sd_code code, sd_error** error, const char* what) {
  check(code == SD_OK, what);
  if (*error != NULL) fprintf(stderr, "  %s\n", sd_error_message(*error));
  sd_error_destroy(*error);
  *error = NULL;
}

static void check_values(sd_stage* stage) {
  static const char* const paths[] = {"/Shot/Camera.focalLength", "/Shot/Theatre/Floor.points",
                                      "/Shot/Camera.nothing", "/Shot/Camera.projection",
                                      "/Shot/Theatre/Floor.faceVertexCounts"};
  static const double times[] = {1, 12.5};
  sd_values* values = NULL;
  sd_value value;
  sd_error* error = NULL;
  double number = 0;
  expect_ok(sd_get_values(stage, paths, 5, times, 2, NULL, &values, &error), &error, "get_values");
  check(sd_values_path_count(values) == 5 && sd_values_time_count(values) == 2, "counts");

  check(sd_values_number(values, 0, 1, &number, NULL) == SD_OK && number == 42.5, "number");
  check(sd_values_get(values, 0, 1, &value, NULL) == SD_OK && value.kind == SD_NUMBER &&
            value.number == 42.5 && strcmp(value.type_name, "float") == 0,
        "a number as a value");

  check(sd_values_get(values, 1, 0, &value, NULL) == SD_OK && value.kind == SD_ARRAY &&
            value.component == SD_COMPONENT_FLOAT32 && value.rows == 1 && value.columns == 3 &&
            value.count == 4 && strcmp(value.type_name, "point3f[]") == 0,
        "an array");
  check(((const float*)value.data)[0] == -5, "the first number of the array");

  check(sd_values_get(values, 2, 0, &value, &error) == SD_NOT_FOUND,
        "an attribute that is missing");
  check(sd_error_code(error) == SD_NOT_FOUND, "code");
  check(strcmp(sd_error_reason(error), "ATTRIBUTE_NOT_FOUND") == 0, "reason");
  check(strcmp(sd_error_path(error), paths[2]) == 0, "path");
  check(strlen(sd_error_message(error)) > 0 && strlen(sd_error_hint(error)) > 0, "message");
  sd_error_destroy(error);
  error = NULL;

  check(sd_values_get(values, 3, 0, &value, NULL) == SD_OK && value.kind == SD_TEXT &&
            value.count == 1 && strcmp(sd_values_text(values, 3, 0, 0), "perspective") == 0,
        "a token");
  check(sd_values_text(values, 3, 0, 1) == NULL && sd_values_text(values, 0, 0, 0) == NULL,
        "texts that are not there");
  check(sd_values_get(values, 4, 0, &value, NULL) == SD_OK &&
            value.component == SD_COMPONENT_INT32 && value.columns == 1,
        "an array of integers");
  check(sd_values_get(values, 5, 0, &value, NULL) == SD_OUT_OF_RANGE, "a path that is not there");
  sd_values_destroy(values);

  values = NULL;
  expect_ok(sd_get_value(stage, "/Shot/Camera.focalLength", NAN, NULL, &values, &error), &error,
            "the default time");
  check(sd_values_get(values, 0, 0, &value, NULL) == SD_OK, "the value at the default time");
  sd_values_destroy(values);
}

static void check_samples_and_points(sd_stage* stage) {
  static const char* const body = "/Shot/Characters/Actor/Body";
  static const char* const camera = "/Shot/Camera";
  static const double time = 12;
  sd_time_samples* samples = NULL;
  sd_skinned* skinned = NULL;
  sd_skinned_prim prim;
  sd_error* error = NULL;
  expect_ok(sd_get_time_samples(stage, "/Shot/Curtain/Cloth.wind", NULL, &samples, &error), &error,
            "time samples");
  check(sd_time_samples_count(samples) > 2 &&
            sd_time_samples_data(samples)[0] < sd_time_samples_data(samples)[1],
        "the times");
  sd_time_samples_destroy(samples);

  expect_ok(sd_get_skinned_points(stage, &body, 1, &time, 1, NULL, &skinned, &error), &error,
            "skinned points");
  check(sd_skinned_count(skinned) == 1, "one prim");
  check(sd_skinned_get(skinned, 0, &prim, NULL) == SD_OK && strcmp(prim.path, body) == 0 &&
            prim.time_index == 0 && prim.point_count == 12 && isfinite(prim.points[35]),
        "its points");
  check(sd_skinned_get(skinned, 1, &prim, NULL) == SD_OUT_OF_RANGE, "no second prim");
  sd_skinned_destroy(skinned);

  skinned = NULL;
  expect_ok(sd_get_skinned_points(stage, &camera, 1, &time, 1, NULL, &skinned, &error), &error,
            "camera");
  check(sd_skinned_get(skinned, 0, &prim, &error) != SD_OK, "a camera is not skinned");
  check(strcmp(sd_error_reason(error), "WRONG_KIND") == 0, "why");
  sd_error_destroy(error);
  error = NULL;
  sd_skinned_destroy(skinned);
}

static void check_geometry(sd_stage* stage) {
  static const char* const paths[] = {"/Shot/Camera", "/Shot/Nobody", "/Shot/Theatre"};
  static const double times[] = {1, 12};
  sd_transforms* transforms = NULL;
  sd_bounds* bounds = NULL;
  sd_error* error = NULL;
  double matrix[16] = {0}, min[3] = {0}, max[3] = {0};
  expect_ok(sd_get_transforms(stage, paths, 3, times, 2, NULL, &transforms, &error), &error,
            "transforms");
  check(sd_transforms_get(transforms, 0, 0, matrix, NULL) == SD_OK && matrix[0] == 1 &&
            matrix[12] == 0 && matrix[13] == 1.6 && matrix[14] == 8 && matrix[15] == 1,
        "the transform of the camera");
  check(sd_transforms_get(transforms, 1, 0, matrix, &error) == SD_NOT_FOUND, "no such prim");
  check(strcmp(sd_error_reason(error), "PRIM_NOT_FOUND") == 0, "why there is no transform");
  check(strcmp(sd_error_path(error), paths[1]) == 0, "the path without a transform");
  sd_error_destroy(error);
  error = NULL;
  check(sd_transforms_get(transforms, 2, 1, matrix, NULL) == SD_OK, "the last transform");
  check(sd_transforms_get(transforms, 3, 0, matrix, NULL) == SD_OUT_OF_RANGE, "no fourth path");
  check(sd_transforms_get(transforms, 0, 2, matrix, NULL) == SD_OUT_OF_RANGE, "no third time");
  check(sd_transforms_get(transforms, 0, 0, NULL, NULL) == SD_INVALID_ARGUMENT, "no matrix");
  sd_transforms_destroy(transforms);

  expect_ok(sd_get_bounds(stage, paths, 3, times, 2, NULL, &bounds, &error), &error, "bounds");
  check(sd_bounds_get(bounds, 2, 1, min, max, NULL) == SD_OK && min[0] == -5 && min[1] == 0 &&
            max[0] == 5 && max[1] == 4 && max[2] == 5,
        "the bounds of the theatre");
  check(sd_bounds_get(bounds, 0, 0, min, max, NULL) == SD_OK && min[0] > max[0],
        "a camera has empty bounds");
  check(sd_bounds_get(bounds, 1, 0, min, max, NULL) == SD_NOT_FOUND, "no bounds of nothing");
  check(sd_bounds_get(bounds, 0, 0, min, NULL, NULL) == SD_INVALID_ARGUMENT, "no maximum");
  sd_bounds_destroy(bounds);
}

static int32_t count_messages(sd_frame* frame, void* data) {
  (void)frame;
  ++*(int*)data;
  return 0;
}

/* The prim at a path; 0 if there is none. */
static uint64_t find_prim(const sd_frame* frame, const char* path, sd_frame_prim* prim) {
  const uint64_t* ids = NULL;
  const size_t count = sd_frame_ids(frame, SD_FRAME_PRIM, &ids);
  for (size_t i = 0; i < count; ++i) {
    if (sd_frame_get_prim(frame, ids[i], prim, NULL) == SD_OK && strcmp(prim->path, path) == 0) {
      return ids[i];
    }
  }
  return 0;
}

/* The base color of a material. */
static void check_material(const sd_frame* frame, uint64_t id) {
  sd_frame_material material;
  sd_frame_node node;
  sd_frame_input input;
  check(sd_frame_get_material(frame, id, &material, NULL) == SD_OK &&
            strcmp(material.path, "/Shot/Theatre/Looks/Wood") == 0,
        "the material of the floor");
  check(sd_frame_get_node(frame, id, material.surface, &node, NULL) == SD_OK &&
            strcmp(node.id, "UsdPreviewSurface") == 0,
        "its shader");
  for (size_t i = 0; sd_frame_get_input(frame, id, material.surface, i, &input, NULL) == SD_OK;
       ++i) {
    if (strcmp(input.name, "diffuseColor") != 0) continue;
    check(input.value.kind == SD_TUPLE && ((const float*)input.value.data)[0] == 0.45f,
          "its base color");
    return;
  }
  check(0, "the input diffuseColor");
}

static void check_objects(const sd_frame* frame) {
  sd_frame_prim floor, body, shade;
  sd_frame_place place;
  sd_frame_value value;
  sd_frame_camera camera;
  sd_frame_info info;
  sd_value points;
  check(sd_frame_get_info(frame, &info, NULL) == SD_OK && info.time == 8 &&
            strcmp(info.up_axis, "Y") == 0 && info.time_codes_per_second == 24,
        "the header");
  check(sd_frame_get_camera(frame, 0, &camera, NULL) == SD_OK && camera.sample_count == 3 &&
            camera.time == 7.75,
        "the camera");
  check(find_prim(frame, "/Shot/Theatre/Floor", &floor) != 0 &&
            strcmp(floor.type_name, "Mesh") == 0 && floor.prototype == 0,
        "the floor");
  check_material(frame, floor.material);
  check(sd_frame_get_sample(frame, floor.geometry, "points", 0, &points, NULL) == SD_OK &&
            points.count == 4 && ((const float*)points.data)[0] == -5,
        "its points");
  check(find_prim(frame, "/Shot/Characters/Actor/Body", &body) != 0 &&
            sd_frame_get_value(frame, body.geometry, "points", &value, NULL) == SD_OK &&
            value.sample_count == 3 && value.times[2] == 8.25 && value.changed == 1,
        "points that a skeleton moves");
  check(sd_frame_get_place(frame, find_prim(frame, "/Shot/Props/LampB/Shade", &shade), &place,
                           NULL) == SD_OK &&
            place.visible == 1 && place.sample_count == 3 && place.matrices[15] == 1,
        "a lamp that swings");
  check(sd_frame_value_name(frame, floor.geometry, 0) != NULL, "names of values");
}

static void check_frames(sd_stage* stage) {
  sd_frame_options options = SD_INIT(sd_frame_options);
  sd_frame* frame = NULL;
  sd_error* error = NULL;
  int messages = 0;
  uint8_t fingerprint[32] = {0}, other[32] = {0};
  options.camera = "/Shot/Camera";
  options.shutter_open = -0.25;
  options.shutter_close = 0.25;
  options.shutter_segments = 2;
  expect_ok(sd_frame_create(stage, &options, &frame, &error), &error, "frame");
  expect_ok(sd_frame_next(frame, 7, NULL, NULL, NULL, &error), &error, "the first frame");
  check(sd_frame_is_complete(frame) == 1, "the first frame is complete");
  check(sd_frame_ids(frame, SD_FRAME_PRIM, NULL) == 9, "the prims");
  check(sd_frame_ids(frame, SD_FRAME_LIGHT, NULL) == 5, "the lights");
  expect_ok(sd_frame_next(frame, 8, count_messages, &messages, NULL, &error), &error,
            "the next frame");
  check(messages > 0 && sd_frame_is_complete(frame) == 0, "the next frame is not complete");
  check(sd_frame_changed(frame, SD_FRAME_PRIM, NULL) == 0, "no prim is new");
  check(sd_frame_changed(frame, SD_FRAME_TRANSFORM, NULL) == 2, "the lamp and its bulb move");
  check(sd_frame_camera_changed(frame) == 1, "so does the camera");
  check(sd_frame_failure_count(frame) == 0 && sd_frame_failure(frame, 0, NULL) == SD_OUT_OF_RANGE,
        "nothing has failed");
  check_objects(frame);
  expect_ok(sd_frame_fingerprint(frame, 8, NULL, fingerprint, &error), &error, "fingerprint");
  expect_ok(sd_frame_fingerprint(frame, 7, NULL, other, &error), &error, "another one");
  check(memcmp(fingerprint, other, 32) != 0, "frames that differ");
  sd_frame_cancel(frame); /* no call runs */
  sd_frame_destroy(frame);
}

static void check_watch(sd_stage* stage) {
  static const char* const camera = "/Shot/Camera";
  sd_watch* watch = NULL;
  sd_changes* changes = NULL;
  sd_error* error = NULL;
  expect_ok(sd_watch_open(stage, &camera, 1, &watch, &error), &error, "watch");
  check(sd_watch_next(watch, 1, &changes, NULL) == SD_DEADLINE_EXCEEDED, "nothing has changed");
  expect_ok(
      sd_stage_set_session_layer(
          stage, "#usda 1.0\nover \"Shot\" {\nover \"Camera\" {\nfloat focalLength = 7\n}\n}\n",
          NULL, &error),
      &error, "an edit to see");
  expect_ok(sd_watch_next(watch, 60000, &changes, &error), &error, "changes");
  check(sd_changes_affect(changes, "/Shot/Camera.focalLength") == 1, "what has changed");
  check(sd_changes_affect(changes, "/Shot/Theatre") == 0, "what has not");
  check(sd_changes_count(changes) == 1 &&
            strcmp(sd_changes_path(changes, 0), "/Shot/Camera.focalLength") == 0,
        "its path");
  check(sd_changes_resynced(changes, 1) == 0 && sd_changes_path(changes, 1) == NULL, "no other");
  check(strlen(sd_changes_snapshot(changes)) == 32, "the snapshot");
  sd_changes_destroy(changes);
  expect_ok(sd_stage_set_session_layer(stage, NULL, NULL, &error), &error, "the edit removed");
  changes = NULL;
  sd_watch_stop(watch);
  check(sd_watch_next(watch, 60000, &changes, NULL) == SD_CANCELLED, "a watch that was stopped");
  check(changes == NULL && sd_changes_count(NULL) == 0, "no changes");
  sd_watch_destroy(watch);
  check(sd_watch_open(NULL, NULL, 0, &watch, NULL) == SD_INVALID_ARGUMENT, "no stage to watch");
}

static void check_edits(sd_stage* stage) {
  sd_call_options call = SD_INIT(sd_call_options);
  sd_values* values = NULL;
  sd_error* error = NULL;
  double number = 0;
  call.timeout_ms = 30000;
  call.request_id = "frame-12";
  call.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  expect_ok(
      sd_stage_set_session_layer(
          stage, "#usda 1.0\nover \"Shot\" {\nover \"Camera\" {\nfloat focalLength = 7\n}\n}\n",
          &call, &error),
      &error, "session layer");
  expect_ok(sd_get_value(stage, "/Shot/Camera.focalLength", NAN, &call, &values, &error), &error,
            "edit");
  check(sd_values_number(values, 0, 0, &number, NULL) == SD_OK && number == 7, "the edited value");
  sd_values_destroy(values);
  expect_ok(sd_stage_set_session_layer(stage, NULL, NULL, &error), &error, "no session layer");
}

static void check_wrong_arguments(sd_connection* connection, sd_stage* stage) {
  sd_error* error = NULL;
  sd_stage* none = NULL;
  sd_values* values = NULL;
  const char* const missing = NULL;
  const double time = 1;
  check(sd_stage_open(connection, NULL, NULL, &none, &error) == SD_INVALID_ARGUMENT, "no layer");
  check(strcmp(sd_error_message(error), "the argument 'root_layer' is NULL") == 0, "says which");
  sd_error_destroy(error);
  error = NULL;
  check(sd_stage_open(NULL, "/a.usda", NULL, &none, NULL) == SD_INVALID_ARGUMENT, "no connection");
  check(sd_get_values(stage, &missing, 1, &time, 1, NULL, &values, NULL) == SD_INVALID_ARGUMENT,
        "a path that is NULL");
  check(sd_get_values(stage, NULL, 0, NULL, 0, NULL, &values, NULL) == SD_INVALID_ARGUMENT,
        "no times");
  check(sd_get_values(NULL, NULL, 0, &time, 1, NULL, &values, NULL) == SD_INVALID_ARGUMENT,
        "no stage");
  check(sd_stage_open(connection, "/nothing.usda", NULL, &none, NULL) == SD_NOT_FOUND, "no file");
  check(none == NULL && values == NULL, "results are set only by success");
  check(sd_error_code(NULL) == SD_OK && strcmp(sd_error_reason(NULL), "") == 0, "no error");
  sd_stage_destroy(NULL);
  sd_values_destroy(NULL);
}

int main(void) {
  sd_connect_options options = SD_INIT(sd_connect_options);
  sd_stage_options stage_options = SD_INIT(sd_stage_options);
  sd_connection* connection = NULL;
  sd_stage* stage = NULL;
  sd_error* error = NULL;
  char root[4096];
  double start = 0, end = 0, rate = 0;
  const char* const address = getenv("STAGEDOOR_ADDRESS");
  snprintf(root, sizeof(root), "%s/stage_door/root.usda", getenv("SCENES"));
  options.addresses = &address;
  options.address_count = 1;
  options.client_name = "client.c";
  expect_ok(sd_connect(&options, &connection, &error), &error, "connect");
  stage_options.session = "client.c";
  expect_ok(sd_stage_open(connection, root, &stage_options, &stage, &error), &error, "open");
  expect_ok(sd_stage_time_codes(stage, &start, &end, &rate, &error), &error, "time codes");
  check(start == 1 && end == 48 && rate == 24, "the time codes");
  if (failures == 0) {
    check_values(stage);
    check_samples_and_points(stage);
    check_geometry(stage);
    check_frames(stage);
    check_edits(stage);
    check_watch(stage);
    check_wrong_arguments(connection, stage);
  }
  check(sd_abi_version() == SD_ABI_VERSION, "the version of the library");
  sd_connection_destroy(connection); /* the stage keeps it */
  sd_stage_destroy(stage);
  return failures == 0 ? 0 : 1;
}
