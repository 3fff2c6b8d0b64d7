/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the keys of steps and the ids of requests say. A step on one node has the key
 * "stage/name@NODE"; one over all nodes "stage/name@*", over the K-th of sets of SIZE
 * nodes "stage/name@*SIZE:K". What looks for a culprit when such a one failed is derived
 * from it: ".0", ".1", ".2" the parts of a set, "~NODE" one node with a proven partner.
 * '*' is in no name of a node.
 */
#ifndef ASSAY_RECORD_KEY_H
#define ASSAY_RECORD_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_SET "@*"

/* Length of the plan's key "stage/name@*..." in @key, 0 when it is of a single node. */
size_t key_set(const char *key);

/* @key is of a launch that looks for a culprit; its values are compared with nothing. */
bool key_is_search(const char *key);

/* How the id of a request begins that excludes a node for a gate it failed. */
#define KEY_GATE "gate:"

/* The step that a request "WANT:TARGET:STEP" is about, 0 when its id names none. */
int64_t key_request_step(const char *id);

#endif
