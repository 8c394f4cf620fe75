#!/usr/bin/env bash
# Proves the original Wordle on three nodes of one CPU each, on this one machine, and disturbs them: a node is killed, a
# node is cut off, a worker hangs, a node joins late, the head dies. Every result must be the same, byte for byte, as that of one machine.
#
#   sudo deploy/smoke.sh [scenario ...]     all of them without arguments: token local three kill cut hang late head code job
#
# Needs root: the nodes are network namespaces, with addresses that exist nowhere else. Takes about ten minutes on two
# cores; every step has a time limit. On any exit its processes, namespaces and files are removed (KEEP=1 keeps files).
set -euo pipefail
ROOT="$(cd "$(dirname "$0")/.." && pwd)"
PY="${PY:-$ROOT/.venv/bin/python}"
RAY="$(dirname "$PY")/ray"
if [ "$(id -u)" != 0 ]; then echo "smoke.sh needs root: it makes network namespaces (sudo make smoke-cluster)" >&2; exit 2; fi
for tool in ip "$PY" "$RAY"; do
  command -v "$tool" > /dev/null || { echo "smoke.sh needs $tool (ip is in the package iproute2, the others come with make setup)" >&2; exit 2; }
done
. "$ROOT/deploy/nodes.sh"
DRIVER=""
trap end_net EXIT
trap 'exit 130' INT TERM

WHOLE=(+experiment=exact_opening rank.show=0)                # the proof
SHORT=("${WHOLE[@]}" top=4000 verify=none)                   # long enough to be disturbed
CLUSTER=(executor.address=auto)
SECONDS_A_RUN=400

say() { printf '%5d s  %s\n' "$SECONDS" "$*"; }
fail() { say "FAILED: $*"; tail -n 25 "$WORK/run.log" 2>/dev/null || true; exit 1; }

begin_run() { # name, arguments...: on the head's node, in the background
  local name=$1
  shift
  (cd "$ROOT" && on head timeout $SECONDS_A_RUN "$PY" -m pipeline "$@" "${CLUSTER[@]}" outputs_root="$WORK/out" name="$name") \
    > "$WORK/run.log" 2>&1 &
  DRIVER=$! RUN_STARTED=$SECONDS
}

end_run() { # the exit code it must have
  local code=0
  wait "$DRIVER" || code=$?
  [ "$code" = "$1" ] || fail "exit code $code instead of $1"
}

await() { # seconds, what, command...: until the command succeeds
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "$what did not happen in time"
    kill -0 "$DRIVER" 2>/dev/null || fail "the run ended before $what"
    sleep 0.2
  done
}

has_parts() { [ "$(find "$WORK/out/$1" -path '*/search-*/part-*' 2>/dev/null | wc -l)" -ge "$2" ]; }
has_said() { grep -q "$1" "$WORK/run.log"; }

undated() { LC_ALL=C sed 's/CreationDate (D:[0-9Z]*)//' "$1"; } # graphviz writes the time into tree.pdf

same() { # name, reference: rank, openers, trees, certificate and result
  local a="$WORK/out/$1" b="$WORK/out/$2" file count=0
  while read -r file; do
    cmp <(undated "$a/$file") <(undated "$b/$file") || fail "$file differs from that of one machine"
    count=$((count + 1))
  done < <(cd "$b" && ls rank.parquet openers.parquet result.json tree.* && find certificate -type f)
  diff <(cd "$a" && find certificate tree.* -type f | sort) <(cd "$b" && find certificate tree.* -type f | sort) || fail "other files"
  [ $count -ge 15 ] || fail "only $count files to compare"
  say "  $count files are the same, byte for byte, as those of one machine"
}

up() { # a fresh cluster of the head and these nodes
  end_cluster head w1 w2 w3
  start_head "${DASHBOARD:-false}"
  local node
  for node in "$@"; do start_worker "$node"; done
}

local_run() { # name, arguments...: the reference, without a cluster
  [ -f "$WORK/out/$1/done" ] && return
  local name=$1 before=$SECONDS
  shift
  (cd "$ROOT" && on head timeout $SECONDS_A_RUN "$PY" -m pipeline "$@" executor.workers=2 outputs_root="$WORK/out" name="$name") \
    > "$WORK/run.log" 2>&1 || fail "the local run"
  touch "$WORK/out/$name/done"
  say "  one machine, 2 workers: $((SECONDS - before)) s ($name)"
}

scenario_token() {
  say "token: without it, and with a wrong one, the run ends with a clear error"
  up
  local code=0
  (unset RAY_AUTH_TOKEN; HOME=$WORK begin_run token "${SHORT[@]}"; end_run 1)
  grep "token is missing" "$WORK/run.log" || fail "no word of the token"
  (RAY_AUTH_TOKEN=$(printf '0%.0s' {1..64}); begin_run token "${SHORT[@]}"; end_run 1)
  grep "is the token that of this cluster" "$WORK/run.log" || fail "no word of the token"
}

scenario_local() {
  say "local: the whole proof and the short one on one machine, without a cluster"
  local_run local "${WHOLE[@]}"
  local_run local_short "${SHORT[@]}"
}

scenario_three() {
  say "three: the whole proof on three nodes of one CPU each; each compiles its kernel once"
  local_run local "${WHOLE[@]}"
  up w1 w2
  begin_run three "${WHOLE[@]}"
  await 300 "three warm nodes" has_said "3 CPUs in all"
  say "  three nodes are warm after $((SECONDS - RUN_STARTED)) s"
  end_run 0
  say "  proven in $((SECONDS - RUN_STARTED)) s with warming up"
  grep PROVEN "$WORK/run.log"
  same three local
}

disturbed() { # name: runs the short proof until the search is under way
  up w1 w2
  begin_run "$1" "${SHORT[@]}"
  await 300 "the search" has_parts "$1" 12
}

scenario_kill() {
  say "kill: kill -9 of all processes of a node during the search"
  local_run local_short "${SHORT[@]}"
  disturbed kill
  kill_node w2
  local killed=$SECONDS
  await 30 "the news of the lost node" has_said "node 10.77.0.12 .* is lost"
  say "  noticed after $((SECONDS - killed)) s"
  end_run 0
  say "  finished in $((SECONDS - RUN_STARTED)) s"
  same kill local_short
}

scenario_cut() {
  say "cut: the network of a node is cut during the search"
  local_run local_short "${SHORT[@]}"
  disturbed cut
  cut_off w2
  local cut=$SECONDS
  await 30 "the news of the lost node" has_said "node 10.77.0.12 .* is lost"
  say "  noticed after $((SECONDS - cut)) s"
  end_run 0
  say "  finished in $((SECONDS - RUN_STARTED)) s, $((SECONDS - cut)) s after the cut"
  same cut local_short
}

scenario_hang() {
  say "hang: a worker stops for good in the middle of a task, with executor.task_deadline=15"
  local_run local_short "${SHORT[@]}"
  up w1 w2
  begin_run hang "${SHORT[@]}" executor.task_deadline=15
  await 300 "the search" has_parts hang 12
  await 30 "a task on w2" stop_worker w2
  local stopped=$SECONDS
  end_run 0
  say "  finished in $((SECONDS - RUN_STARTED)) s, $((SECONDS - stopped)) s after the worker hung"
  same hang local_short
}

stop_worker() { # node: suspends a worker that is at work on a task there
  local pid
  for pid in $(ip netns pids "$NET-$1"); do
    if tr '\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null | grep -q '^ray::run_task'; then kill -STOP "$pid"; return; fi
  done
  return 1
}

scenario_late() {
  say "late: two nodes begin, a third with an empty kernel cache joins during the search"
  local_run local_short "${SHORT[@]}"
  rm -rf "${WORK:?}/w3/cache"
  up w1
  begin_run late "${SHORT[@]}"
  await 300 "the search" has_parts late 12
  local joined=$SECONDS
  start_worker w3
  await 200 "the use of the late node" has_said "3 CPUs in all"
  say "  joined, warm and used $((SECONDS - joined)) s after its start began"
  end_run 0
  say "  finished in $((SECONDS - RUN_STARTED)) s"
  same late local_short
}

scenario_head() {
  say "head: the head's Ray dies during the search; a rerun on a new cluster goes on"
  local_run local_short "${SHORT[@]}"
  disturbed head
  local pid died=$SECONDS
  for pid in $(ip netns pids "$NET-head"); do
    if grep -aqE 'gcs_server|raylet' "/proc/$pid/comm" 2>/dev/null; then kill -9 "$pid"; fi
  done
  end_run 1
  say "  the run ended after $((SECONDS - died)) s with exit code 1:"
  grep "error: " "$WORK/run.log"
  local saved
  saved=$(find "$WORK/out/head" -path '*/search-*/part-*' | wc -l)
  up w1 w2
  begin_run head "${SHORT[@]}"
  end_run 0
  grep -q "$saved from an earlier run" "$WORK/run.log" || fail "the rerun did not go on from $saved parts"
  say "  the rerun went on from $saved parts and finished in $((SECONDS - RUN_STARTED)) s"
  same head local_short
}

scenario_code() {
  say "code: a late node with another version of the package is refused by name"
  cp -r "$ROOT/pipeline" "$WORK/other" && echo "# another version" >> "$WORK/other/__init__.py"
  up w1
  begin_run code "${SHORT[@]}"
  await 300 "the search" has_parts code 12
  ray_on_other
  end_run 1
  grep "error: .*node 10.77.0.13 .*code" "$WORK/run.log" || fail "no word of the node"
}

ray_on_other() { # node w3, where the package is another: the folder is mounted over ours
  local start=("$RAY" start --num-cpus=1 --object-store-memory=200000000 --node-ip-address=10.77.0.13 --address="10.77.0.1:$PORT")
  (cd "$ROOT" && on w3 bash -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$WORK/other" "$ROOT/pipeline" "${start[@]}") \
    > "$WORK/w3/start.log" 2>&1 || fail "w3: $(cat "$WORK/w3/start.log")"
}

scenario_job() {
  if ! "$PY" -c 'import aiohttp' 2>/dev/null; then
    say "job: left out, ray job submit needs ray[default] (the extra cluster)"
    return
  fi
  say "job: ray job submit from a throw-away working directory"
  local_run local_short "${SHORT[@]}"
  DASHBOARD=true up w1 w2
  mkdir -p "$WORK/empty"
  local before=$SECONDS job=(python -m pipeline "${SHORT[@]}" "${CLUSTER[@]}")
  job[0]=$PY
  (cd "$WORK/empty" && on head timeout $SECONDS_A_RUN "$RAY" job submit --address=http://127.0.0.1:8265 --working-dir . -- \
    "${job[@]}" outputs_root=outputs name=job) > "$WORK/run.log" 2>&1 && fail "a relative outputs_root was taken"
  grep "error: .*outputs_root" "$WORK/run.log" || fail "no word of outputs_root"
  (cd "$WORK/empty" && on head timeout $SECONDS_A_RUN "$RAY" job submit --address=http://127.0.0.1:8265 --working-dir . -- \
    "${job[@]}" outputs_root="$WORK/out" name=job time_limit=3) > "$WORK/run.log" 2>&1 || fail "the job with a time limit"
  grep "NOT PROVEN" "$WORK/run.log" || fail "the time limit was not met"
  (cd "$WORK/empty" && on head timeout $SECONDS_A_RUN "$RAY" job submit --address=http://127.0.0.1:8265 --working-dir . -- \
    "${job[@]}" outputs_root="$WORK/out" name=job) > "$WORK/run.log" 2>&1 || fail "the job"
  grep "search .* from an earlier run" "$WORK/run.log" || fail "the second job did not go on from the first"
  say "  refused, stopped by its time limit, submitted again and finished: $((SECONDS - before)) s"
  same job local_short
}

make_net
make_node head 1
make_node w1 11
make_node w2 12
make_node w3 13
for scenario in "${@:-token local three kill cut hang late head code job}"; do
  for one in $scenario; do "scenario_$one"; done
done
say "all is well"
