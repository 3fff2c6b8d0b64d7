/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which networks of this node carry anything: its IPv4 addresses, and whether a peer
 * answers on each of its own. Plain TCP, so that it says what is wrong where MPI would
 * only hang. What is exchanged is JSON, see links_card() and links_try().
 */
#ifndef ASSAY_KERNELS_FENCE_LINKS_H
#define ASSAY_KERNELS_FENCE_LINKS_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"

struct links; /* a listening socket and the thread that answers on it */

/*
 * Answers whoever connects with @token and nothing else; links_close() ends it. The token
 * tells this job's rank from any other program that has the same port elsewhere.
 */
int links_open(struct links **l, uint32_t token, struct err *e);
void links_close(struct links *l);

/*
 * What peers need to know: {"host","port","token","nets":[{"name","address","mask",
 * "up"}]}, one net an IPv4 address that is not of the loopback; up: it has a carrier.
 */
json_t *links_card(const struct links *l, const char *host);

/*
 * Connects to each address of @peer's card that this node, with card @self, has a network
 * for, from there: [{"name","to","problem"}], name as @self calls it, problem "" when the
 * peer answered. Takes at most @wait s for all of them together.
 */
json_t *links_try(const json_t *self, const json_t *peer, double wait);

#endif
