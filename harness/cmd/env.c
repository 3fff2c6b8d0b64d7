/* SPDX-License-Identifier: Apache-2.0 */
/* What main gives to commands: see cmd.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "bios/credentials.h"
#include "cmd/cmd.h"

void cmd_env_open(struct cmd_env *env)
{
	env->credentials = mem_calloc(1, sizeof(*env->credentials));
	credentials_take(env->credentials);
}

void cmd_env_release(struct cmd_env *env)
{
	credentials_release(env->credentials);
	free(env->credentials);
	env->credentials = NULL;
}
