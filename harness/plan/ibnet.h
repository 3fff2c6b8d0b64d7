/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes are behind which leaf switch, from what `ibnetdiscover` printed: in its
 * usual form (blocks of switches) or as `ibnetdiscover -p` (a line for each port). The
 * text is somebody's, read by its form and not by columns; what is not a link from an
 * adapter to a switch is passed over.
 */
#ifndef ASSAY_PLAN_IBNET_H
#define ASSAY_PLAN_IBNET_H

#include "plan/site.h"

/*
 * Groups of @text: one for each switch with adapters, named by the switch's description,
 * or its GUID where two have the same; nodes by the first word of the adapter's. A node
 * with several adapters is in the group of the first. Texts go into @a. ERR_USAGE when
 * there is not one link, or a node has no proper name.
 */
int ibnet_groups(const char *text, struct arena *a, struct site_group **groups, size_t *n,
		 struct err *e);

#endif
