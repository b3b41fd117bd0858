/* SPDX-License-Identifier: Apache-2.0
 *
 * Plugins that are wrong in one way each, by the macro CASE_...
 */
#include <stdlib.h>
#include <string.h>

#include "device/opscope_plugin.h"

static const char* describe(void) {
#if defined(CASE_CRASHES_DESCRIBING)
  abort();
#elif defined(CASE_DESCRIBES_NONSENSE)
  return "bad:\n  signature: [\n";
#elif defined(CASE_DESCRIBES_NOTHING)
  return NULL;
#else
  return "bad:\n"
         "  signature: {inputs: {x: {shape: [n]}}, outputs: {y: {shape: [n]}}}\n"
         "  dtypes: [float32]\n"
         "  workloads: [{label: small, n: 64}]\n"
         "  roofline: {flops: n, bytes: n}\n"
         "  implementations: {only: {host: {plugin: this}}}\n";
#endif
}

#if defined(CASE_NO_PREPARE)
#define prepare NULL
#else
static int prepare(const opscope_request* request, void** state, char* error, size_t size) {
  (void)request;
#if defined(CASE_REFUSES_TO_PREPARE)
  strncpy(error, "n must be odd", size);
  (void)state;
  return 1;
#elif defined(CASE_REFUSES_WITHOUT_WORDS)
  (void)state, (void)error, (void)size;
  return 1;
#elif defined(CASE_FILLS_THE_BUFFER)
  (void)state;
  memset(error, 'x', size); /* and never ends it */
  return 1;
#else
  (void)error, (void)size;
  *state = malloc(1);
  return 0;
#endif
}
#endif

static int call(void* state, void* stream, char* error, size_t size) {
  (void)state, (void)stream;
#if defined(CASE_CRASHES_CALLING)
  (void)error, (void)size;
  abort();
#elif defined(CASE_REFUSES_TO_CALL)
  strncpy(error, "out of tickets", size);
  return 1;
#else
  (void)error, (void)size;
  return 0;
#endif
}

static void destroy(void* state) {
  free(state);
}

#if defined(CASE_NO_ENTRY)
#define opscope_plugin_entry opscope_plugin_other
#endif

const opscope_plugin* opscope_plugin_entry(void) {
#if defined(CASE_RETURNS_NOTHING)
  (void)describe, (void)call, (void)destroy;
  (void)&prepare;
  return NULL;
#else
  static const opscope_plugin plugin = {
#if defined(CASE_OTHER_ABI)
      OPSCOPE_PLUGIN_ABI + 1,
#else
      OPSCOPE_PLUGIN_ABI,
#endif
#if defined(CASE_SMALL_TABLE)
      8,
#else
      sizeof(opscope_plugin),
#endif
      "bad",
      describe,
      prepare,
      call,
      destroy};
  return &plugin;
#endif
}
