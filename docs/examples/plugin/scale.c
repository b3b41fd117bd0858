/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole plugin in C, for the host device: y = 2 x, in one kernel or in two halves.
 *   cc -shared -fPIC -O2 -I INCLUDE -o libscale.so scale.c      (INCLUDE holds device/opscope_plugin.h)
 *   opscope run --ops . --op scale --device host
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/opscope_plugin.h"

static const char* describe(void) {
  return "scale:\n"
         "  doc: y = 2 x, from a plugin.\n"
         "  signature:\n"
         "    inputs: {x: {shape: [n]}}\n"
         "    outputs: {y: {shape: [n]}}\n"
         "  dtypes: [float32]\n"
         "  workloads:\n"
         "    - {label: small, n: 4096}\n"
         "    - {label: large, n: 4194304}\n"
         "  roofline: {flops: n, bytes: 2 * n * elem_bytes}\n"
         "  reference: twice\n"
         "  implementations:\n"
         "    whole: {doc: One kernel., host: {plugin: this}}\n"
         "    halves: {doc: Two kernels., host: {plugin: this}}\n";
}

/* A half of the work, or all of it. */
typedef struct part {
  const float* from;
  float* to;
  size_t count;
} part;

typedef struct state {
  opscope_host_launch launch;
  int parts;
  part part[2];
} state;

static void run(void* data) {
  const part* p = data;
  for (size_t i = 0; i < p->count; ++i) p->to[i] = 2 * p->from[i];
}

static const opscope_tensor* tensor(const opscope_request* request, const char* name) {
  for (uint32_t i = 0; i < request->tensor_count; ++i)
    if (strcmp(request->tensors[i].name, name) == 0) return &request->tensors[i];
  return NULL;
}

static int refuse(char* error, size_t size, const char* sentence) {
  snprintf(error, size, "%s", sentence);
  return 1;
}

static int prepare(const opscope_request* request, void** made, char* error, size_t size) {
  const opscope_tensor *x = tensor(request, "x"), *y = tensor(request, "y");
  if (x == NULL || y == NULL) return refuse(error, size, "there must be tensors x and y");
  if (request->host_launch == NULL) return refuse(error, size, "it runs on the host device alone");
  state* s = calloc(1, sizeof *s);
  if (s == NULL) return refuse(error, size, "there is no memory");
  const size_t n = (size_t)x->shape[0];
  s->launch = request->host_launch;
  s->parts = strcmp(request->implementation, "halves") == 0 ? 2 : 1;
  const size_t first = s->parts == 2 ? n / 2 : n;
  s->part[0] = (part){x->data, y->data, first};
  s->part[1] = (part){(const float*)x->data + first, (float*)y->data + first, n - first};
  *made = s;
  return 0;
}

static int call(void* data, void* stream, char* error, size_t size) {
  state* s = data;
  for (int i = 0; i < s->parts; ++i)
    if (s->launch(stream, s->parts == 2 ? "scale_half" : "scale", run, &s->part[i]) != 0)
      return refuse(error, size, "the host device took no kernel");
  return 0;
}

static void destroy(void* data) {
  free(data);
}

const opscope_plugin* opscope_plugin_entry(void) {
  static const opscope_plugin plugin = {
      OPSCOPE_PLUGIN_ABI, sizeof(opscope_plugin), "scale", describe, prepare, call, destroy};
  return &plugin;
}
