/* The C interface of libstagedoor, for renderers and other languages: connect, open a stage, read
 * values, sample times, skinned points, transforms and bounds, get whole frames, and watch for
 * changes. Pure C11.
 *
 *   sd_connection* connection = NULL;
 *   sd_stage* stage = NULL;
 *   sd_values* values = NULL;
 *   sd_value points;
 *   sd_error* error = NULL;
 *   if (sd_connect(NULL, &connection, &error) == SD_OK &&
 *       sd_stage_open(connection, "/show/shot.usda", NULL, &stage, &error) == SD_OK &&
 *       sd_get_value(stage, "/World/Char.points", 12, NULL, &values, &error) == SD_OK &&
 *       sd_values_get(values, 0, 0, &points, &error) == SD_OK) {
 *     ... points.data, points.count ...
 *   } else {
 *     fprintf(stderr, "%s\n", sd_error_message(error));
 *   }
 *   sd_error_destroy(error);
 *   sd_values_destroy(values);
 *   sd_stage_destroy(stage);
 *   sd_connection_destroy(connection);
 *
 * Objects are opaque. Each has a destroy function, which does nothing for NULL. Objects may be
 * destroyed in any order: a stage keeps its connection, and results do not need their stage.
 *
 * Functions that can fail return a code and take `error`, the last argument: if it is not NULL and
 * the call fails, *error is a new object, which the caller destroys. Results (*out) are set only if
 * the call succeeds. NULL for an argument that must be there is SD_INVALID_ARGUMENT.
 *
 * Threads: all functions may be called from any thread at the same time, with the same objects;
 * only a destroy function needs an object that no other thread is using. Calls block until the
 * daemon has answered or the deadline has passed. A child process must not use what its parent made
 * before fork().
 *
 * Frames are declared in stagedoor/c_frames.h, and the types that everything uses in
 * stagedoor/c_types.h. This header includes both.
 *
 * Strings are UTF-8 and end with a zero byte. Strings and arrays that functions return belong to
 * the object that they come from and live as long as it does.
 *
 * Compatibility: programs keep working with later libraries of the same soname. Structs of options
 * begin with their size, so that fields can be added at the end; set it with SD_INIT:
 *
 *   sd_connect_options options = SD_INIT(sd_connect_options);
 */
#ifndef STAGEDOOR_CLIENT_SDK_STAGEDOOR_H_
#define STAGEDOOR_CLIENT_SDK_STAGEDOOR_H_

#include <stddef.h>
#include <stdint.h>

#include "client/sdk/c_frames.h"
#include "client/sdk/c_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts up when functions or fields are added. */
#define SD_ABI_VERSION 3
/* The SD_ABI_VERSION of the library that is running. */
uint32_t sd_abi_version(void);

/* -------------------------------------------------------------------------------- connections */

typedef struct sd_connection sd_connection;

typedef struct sd_connect_options {
  size_t struct_size;
  /* Daemons that serve the same scenes, each "HOST:PORT" or "unix:PATH"; the first that answers is
   * used. None: the environment variable STAGEDOOR_ADDRESS, or a private daemon of
   * this user, which is started when it is needed. */
  const char* const* addresses;
  size_t address_count;
  /* The deadline of calls, retries included. 0: 60 seconds. */
  uint32_t timeout_ms;
  /* Encrypts the connection; so do ca_file and certificate_file. Files are PEM. NULL: none. */
  int32_t tls;
  const char* ca_file;
  const char* certificate_file;
  const char* key_file;
  const char* server_name;
  /* A file with a bearer token. */
  const char* token_file;
  /* A name for the daemon's list of stages. */
  const char* client_name;
  /* Maximum bytes of arrays that are kept, so that they are not sent again. 0: 256 MiB;
   * UINT64_MAX: none are kept. */
  uint64_t array_cache_bytes;
} sd_connect_options;

/* Returns at once; the first call waits for the daemon. `options` may be NULL. */
sd_code sd_connect(const sd_connect_options* options, sd_connection** out, sd_error** error);
void sd_connection_destroy(sd_connection* connection);

/* ------------------------------------------------------------------------------------- stages */

typedef struct sd_stage_options {
  size_t struct_size;
  /* The session layer as usda text. NULL: none. */
  const char* session_layer;
  /* Whether payloads stay unloaded. */
  int32_t load_none;
  /* The paths of the prims to populate. None: the whole stage. */
  const char* const* population_mask;
  size_t population_mask_count;
  /* A name under which others can join the session. NULL: a private one. */
  const char* session;
  /* A serialized stagedoor.v1.OpenStageRequest for everything else, such as load rules, variant
   * fallbacks, a change policy and a resolver context. The fields above are added. Since
   * SD_ABI_VERSION 3. */
  const void* request;
  size_t request_size;
} sd_stage_options;

/* `options` may be NULL, and so may all sd_call_options. */
sd_code sd_stage_open(sd_connection* connection, const char* root_layer,
                      const sd_stage_options* options, sd_stage** out, sd_error** error);
/* Gives the lease back, without waiting for the daemon. */
void sd_stage_destroy(sd_stage* stage);
/* A stage that reads this snapshot, whatever edits are made: calls fail with the reason
 * SNAPSHOT_GONE once the daemon does not hold it any more. Since SD_ABI_VERSION 3. */
sd_code sd_stage_at_snapshot(sd_stage* stage, const char* snapshot, sd_stage** out,
                             sd_error** error);
/* The newest snapshot that a reply has named, or the one that the stage reads, as 32 hexadecimal
 * digits and a zero byte. Since SD_ABI_VERSION 3. */
sd_code sd_stage_snapshot(const sd_stage* stage, char snapshot[33], sd_error** error);
/* Opens again what has changed on disk, in the session of the stage. The new snapshot is the one
 * that sd_stage_snapshot returns. Since SD_ABI_VERSION 3. */
sd_code sd_stage_reload(sd_stage* stage, const sd_call_options* call, sd_error** error);
/* The time codes of the stage, as it was opened. Any of the pointers may be NULL; NaN for a time
 * that is not authored. */
sd_code sd_stage_time_codes(const sd_stage* stage, double* start, double* end,
                            double* time_codes_per_second, sd_error** error);
/* Replaces the session layer by usda text, or removes it if `text` is NULL. */
sd_code sd_stage_set_session_layer(sd_stage* stage, const char* text, const sd_call_options* call,
                                   sd_error** error);

/* ------------------------------------------------------------------------------------- values */

/* The values of attributes at times. */
typedef struct sd_values sd_values;

/* Reads paths x times in one call. A time is in time codes; NaN is the default time. Errors of
 * single values do not fail the call: sd_values_get returns them. */
sd_code sd_get_values(sd_stage* stage, const char* const* paths, size_t path_count,
                      const double* times, size_t time_count, const sd_call_options* call,
                      sd_values** out, sd_error** error);
/* Reads one value: path 0 at time 0 of the result. */
sd_code sd_get_value(sd_stage* stage, const char* path, double time, const sd_call_options* call,
                     sd_values** out, sd_error** error);
void sd_values_destroy(sd_values* values);

size_t sd_values_path_count(const sd_values* values);
size_t sd_values_time_count(const sd_values* values);
/* The value of a path at a time, by their places in the request. Its error if it has one. */
sd_code sd_values_get(const sd_values* values, size_t path, size_t time, sd_value* out,
                      sd_error** error);
/* A number, for many of them; also SD_NOT_FOUND if there is no value. */
sd_code sd_values_number(const sd_values* values, size_t path, size_t time, double* out,
                         sd_error** error);
/* A text of a value of the kind SD_TEXT; the authored path of an asset. NULL if there is none. */
const char* sd_values_text(const sd_values* values, size_t path, size_t time, size_t index);
/* The resolved path of an asset among the texts of a value; of a missing asset, its path with
 * variable expressions evaluated. NULL if the value has no such asset. Since SD_ABI_VERSION 3. */
const char* sd_values_asset(const sd_values* values, size_t path, size_t time, size_t index);

/* ---------------------------------------------------------------------------- samples, points */

typedef struct sd_time_samples sd_time_samples;

/* The times of the samples of an attribute. */
sd_code sd_get_time_samples(sd_stage* stage, const char* path, const sd_call_options* call,
                            sd_time_samples** out, sd_error** error);
size_t sd_time_samples_count(const sd_time_samples* samples);
const double* sd_time_samples_data(const sd_time_samples* samples);
void sd_time_samples_destroy(sd_time_samples* samples);

typedef struct sd_skinned sd_skinned;

typedef struct sd_skinned_prim {
  const char* path;
  uint32_t time_index;
  /* x, y, z of each point, in the prim's own space. */
  const float* points;
  uint64_t point_count;
} sd_skinned_prim;

/* The points of skinned prims at times after blend shapes and skinning; without paths, of all. */
sd_code sd_get_skinned_points(sd_stage* stage, const char* const* paths, size_t path_count,
                              const double* times, size_t time_count, const sd_call_options* call,
                              sd_skinned** out, sd_error** error);
/* The number of results: one for each prim and time, and one for a prim that failed. */
size_t sd_skinned_count(const sd_skinned* skinned);
/* The error of the prim if it has one: SD_INVALID_ARGUMENT with the reason WRONG_KIND for a prim
 * that is not bound to a skeleton. */
sd_code sd_skinned_get(const sd_skinned* skinned, size_t index, sd_skinned_prim* out,
                       sd_error** error);
void sd_skinned_destroy(sd_skinned* skinned);

/* ------------------------------------------------------------------------- transforms, bounds */

typedef struct sd_transforms sd_transforms;
typedef struct sd_bounds sd_bounds;

/* Local-to-world matrices of prims at times, in one call. Since SD_ABI_VERSION 2. */
sd_code sd_get_transforms(sd_stage* stage, const char* const* paths, size_t path_count,
                          const double* times, size_t time_count, const sd_call_options* call,
                          sd_transforms** out, sd_error** error);
/* The matrix of a prim at a time, by their places in the request, in row-major order and for row
 * vectors: the translation is in matrix[12..14]. The error of the prim if it has one. */
sd_code sd_transforms_get(const sd_transforms* transforms, size_t path, size_t time,
                          double matrix[16], sd_error** error);
void sd_transforms_destroy(sd_transforms* transforms);

/* Axis-aligned bounds in world space of prims and their descendants at times, in one call. Since
 * SD_ABI_VERSION 2. */
sd_code sd_get_bounds(sd_stage* stage, const char* const* paths, size_t path_count,
                      const double* times, size_t time_count, const sd_call_options* call,
                      sd_bounds** out, sd_error** error);
/* The bounds of a prim at a time, by their places in the request; min > max if they are empty. The
 * error of the prim if it has one. */
sd_code sd_bounds_get(const sd_bounds* bounds, size_t path, size_t time, double min[3],
                      double max[3], sd_error** error);
void sd_bounds_destroy(sd_bounds* bounds);

/* ----------------------------------------------------------------------------- all other calls */

typedef struct sd_messages sd_messages;

/* Makes a call about the stage that only reads, such as "Traverse", "Explain" or "ComputeTopology".
 * `request` is its serialized message of stagedoor.v1, in which the reference to the stage is
 * filled in. *out is the reply, or the messages of a stream, with whole arrays. A stream whose
 * connection breaks is read again from its beginning. SD_UNIMPLEMENTED for any other method. Since
 * SD_ABI_VERSION 3. */
sd_code sd_call(sd_stage* stage, const char* method, const void* request, size_t request_size,
                const sd_call_options* call, sd_messages** out, sd_error** error);
size_t sd_messages_count(const sd_messages* messages);
/* A serialized message; NULL from the end on. *size may be NULL. */
const void* sd_messages_data(const sd_messages* messages, size_t index, size_t* size);
void sd_messages_destroy(sd_messages* messages);

/* -------------------------------------------------------------------------------------- assets */

/* Bytes of an asset, and which asset it is. */
typedef struct sd_asset sd_asset;

typedef struct sd_asset_options {
  size_t struct_size;
  /* The resolved path of the layer in which the asset path is written. NULL: none. */
  const char* anchor;
  /* A serialized stagedoor.v1.ResolverContext. NULL: the daemon's own rules alone. */
  const void* resolver_context;
  size_t resolver_context_size;
  /* The version that the asset must have: SD_ABORTED if it has another one. NULL: any. */
  const char* version;
  /* The bytes to read. A length of 0 stands for all of them. */
  uint64_t offset;
  uint64_t length;
  /* Whether to read no bytes, only what the asset is. */
  int32_t without_data;
} sd_asset_options;

/* Reads the bytes of a layer, a texture, a package or a file in one, as they are stored. Read large
 * assets in ranges, each with the version of the first. `options` may be NULL. All functions of
 * this section: since SD_ABI_VERSION 3. */
sd_code sd_read_asset(sd_connection* connection, const char* asset_path,
                      const sd_asset_options* options, const sd_call_options* call, sd_asset** out,
                      sd_error** error);
/* The asset path, made absolute unless it is a search path. */
const char* sd_asset_identifier(const sd_asset* asset);
/* Where the asset is: the anchor of asset paths in it. */
const char* sd_asset_resolved_path(const sd_asset* asset);
/* Names the content: another one after each change. */
const char* sd_asset_version(const sd_asset* asset);
/* The size of the whole asset. */
uint64_t sd_asset_size(const sd_asset* asset);
/* The bytes that were read. *size may be NULL. */
const void* sd_asset_data(const sd_asset* asset, size_t* size);
void sd_asset_destroy(sd_asset* asset);

/* ------------------------------------------------------------------------------------- watches */

typedef struct sd_watch sd_watch;
typedef struct sd_changes sd_changes;

/* Watches for changes of a stage since the newest snapshot that a reply has named, at and below
 * `paths`; without paths, everywhere. Returns at once. A thread of the library receives them until
 * the watch is destroyed. Keeps the stage open. Since SD_ABI_VERSION 2. */
sd_code sd_watch_open(sd_stage* stage, const char* const* paths, size_t path_count, sd_watch** out,
                      sd_error** error);
/* Waits for the next changes. SD_DEADLINE_EXCEEDED if there are none within `timeout_ms`;
 * SD_CANCELLED once the watch was stopped; else the error that ended the watch. */
sd_code sd_watch_next(sd_watch* watch, uint32_t timeout_ms, sd_changes** out, sd_error** error);
/* Ends a watch; another thread that waits in sd_watch_next returns. */
void sd_watch_stop(sd_watch* watch);
void sd_watch_destroy(sd_watch* watch);

/* The fingerprint of the snapshot with the changes. */
const char* sd_changes_snapshot(const sd_changes* changes);
/* Whether the prim or property at a path may have changed. */
int32_t sd_changes_affect(const sd_changes* changes, const char* path);
/* The paths that have changed. Whether a path is resynced: it may have appeared, disappeared or be
 * composed in another way, with everything below it. Else only fields of it have changed. NULL and
 * 0 from the end on. */
size_t sd_changes_count(const sd_changes* changes);
const char* sd_changes_path(const sd_changes* changes, size_t index);
int32_t sd_changes_resynced(const sd_changes* changes, size_t index);
void sd_changes_destroy(sd_changes* changes);

#ifdef __cplusplus
}
#endif

#endif /* STAGEDOOR_CLIENT_SDK_STAGEDOOR_H_ */
