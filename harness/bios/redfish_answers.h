/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the answers of a Redfish service say of BIOS settings, one function a resource:
 * for answers that were saved and for those that a BMC gives now.
 */
#ifndef ASSAY_BIOS_REDFISH_ANSWERS_H
#define ASSAY_BIOS_REDFISH_ANSWERS_H

#include <jansson.h>

#include "bios/source.h"

/* The body as JSON, an object; NULL with the reason. json_decref() it. */
json_t *redfish_parse(const char *text, size_t len, struct err *e);

/*
 * The Bios resource: "Attributes", or on old BMCs the attributes beside its own members.
 * An error body, and one without attributes, is an error.
 */
int redfish_bios(struct bios_reading *out, const json_t *bios, struct err *e);

/*
 * Open job of the BIOS in a collection of jobs, or in one job; fills out->job. Links to
 * jobs tell nothing of them, which is remarked.
 */
void redfish_jobs(struct bios_reading *out, const json_t *jobs);

/*
 * The settings object: what it holds becomes pending. Some BMCs list what was changed,
 * some everything; entries that equal the present value count only while a job is open,
 * so redfish_jobs() comes first. 0, or -1 when it is none.
 */
int redfish_settings(struct bios_reading *out, const json_t *settings, struct err *e);

/*
 * The attribute registry: read-only, locked by the present value of another attribute,
 * and the names it shows values by. What is no registry changes nothing.
 */
void redfish_registry(struct bios_reading *out, const json_t *registry);

/* Chassis and sled in a ComputerSystem of Dell's; fills out->chassis. */
void redfish_chassis(struct bios_reading *out, const json_t *system);

/* Link to the settings object of @bios, NULL when it has none. */
const char *redfish_settings_link(const json_t *bios);

#endif
