#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures and judges nodes from a login node, without a scheduler: mpirun and the probe
# reach them by ssh (or by 'remote_agent' of the site file).
#
#     bash jobs/mpirun-login.sh HOSTFILE [option of 'assay run'...]
#     PLAN=local bash jobs/mpirun-login.sh hosts --set stream.size=1G
#
# HOSTFILE has a node a line, as for mpirun. No job protects these nodes: see that nobody
# works on them. The report is in assay-DATE-TIME in the folder where this was called; the
# exit status is that of 'assay run' (see README.md). Ctrl-C, or a TERM, ends the run with
# a report of what has been measured by then; 'assay run --resume FOLDER' goes on.
#
# ---- your site: what the environment can change ------------------------------------------
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${ASSAY:=$here/build/bin/assay}" # where it is; the same on every node
: "${PLAN:=node}"                   # a plan's name, or a file
: "${SITE:=}"                       # a site file
# module load openmpi

# ---- nothing to change below ---------------------------------------------------------------
set -euo pipefail
: "${1:?is missing: a hostfile, a node a line}"
words=("$PLAN" --hostfile "$1" -o "assay-$(date +%Y%m%d-%H%M%S)")
shift
[ -z "$SITE" ] || words+=(--site "$SITE")
[ "$(id -u)" != 0 ] || words+=(--allow-root) # recorded in the run
exec "$ASSAY" run "${words[@]}" "$@"
