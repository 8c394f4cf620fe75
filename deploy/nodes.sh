# Nodes of a Ray cluster as network namespaces of this machine, for smoke.sh: sourced, not run. Needs root.
#
# Every node has an address of its own in 10.77.0.0/24, its own /tmp/ray, its own kernel cache and nothing else to talk
# to: no address of the machine itself is used, no port of it is opened. Sets nothing up before `make_net` is called.

NET="wp$$"                                # prefix of all namespaces
WORK="$(mktemp -d "${TMPDIR:-/tmp}/wordle-smoke.XXXXXX")"
PORT=6379
. "$ROOT/deploy/node.env"
unset RAY_AUTH_TOKEN_PATH
RAY_AUTH_TOKEN="$("$PY" -c 'import secrets; print(secrets.token_hex(32))')"
export RAY_AUTH_TOKEN

make_net() { # a bridge in a namespace of its own
  ip netns add "$NET"
  ip -n "$NET" link add bridge type bridge
  ip -n "$NET" link set bridge up
}

make_node() { # name, last byte of its address
  ip netns add "$NET-$1"
  ip -n "$NET" link add "to-$1" type veth peer name eth0 netns "$NET-$1"
  ip -n "$NET" link set "to-$1" master bridge up
  ip -n "$NET-$1" address add "10.77.0.$2/24" dev eth0
  ip -n "$NET-$1" link set eth0 up
  ip -n "$NET-$1" link set lo up
  mkdir -p "$WORK/$1/ray" "$WORK/$1/cache"
  echo "10.77.0.$2" > "$WORK/$1/address"
}

on() { # node, command...: in the node's network, with its own /tmp/ray and its own kernel cache
  local node=$1
  shift
  mkdir -p /tmp/ray
  XDG_CACHE_HOME="$WORK/$node/cache" ip netns exec "$NET-$node" \
    bash -c 'mount --bind "$0" /tmp/ray && exec "$@"' "$WORK/$node/ray" "$@"
}

ray_on() { # node, options of `ray start`...
  local node=$1
  shift
  (cd "$ROOT" && on "$node" timeout 60 "$RAY" start --num-cpus=1 --object-store-memory=200000000 \
    --node-ip-address="$(cat "$WORK/$node/address")" --disable-usage-stats "$@") > "$WORK/$node/start.log" 2>&1 \
    || { cat "$WORK/$node/start.log"; return 1; }
}

start_head() { ray_on head --head --port=$PORT --include-dashboard="${1:-false}"; }
start_worker() { ray_on "$1" --address="$(cat "$WORK/head/address"):$PORT"; }
cut_off() { ip -n "$NET" link set "to-$1" down; }
plug_in() { ip -n "$NET" link set "to-$1" up; }

kill_node() { # kill -9 of every process of the node
  local pids
  pids=$(ip netns pids "$NET-$1")
  [ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
}

end_cluster() { # all nodes, as if switched off; their caches stay
  local node
  for node in "$@"; do
    kill_node "$node"
    plug_in "$node"
    rm -rf "${WORK:?}/$node/ray"
    mkdir -p "$WORK/$node/ray"
  done
}

end_net() { # on any exit: processes, namespaces, files
  local space
  for space in $(ip netns list | awk '{print $1}' | grep -E "^$NET(-|\$)"); do
    kill -9 $(ip netns pids "$space") 2>/dev/null || true
    ip netns delete "$space" || true
  done
  [ -n "${KEEP:-}" ] || rm -rf "$WORK"
}
