#!/bin/bash
# Starts Debian's etcd three times on loopback, as one cluster with authentication: FOLDER CLIENT_PORT… PEER_PORT…, three of each.
# The user fleet, whose password is in PASSWORD, may read and write the keys that begin with "authctl/"; the process of each node is
# in FOLDER/N.pid.
set -eu
folder=$1 clients=("$2" "$3" "$4") peers=("$5" "$6" "$7")
cluster="1=http://127.0.0.1:$5,2=http://127.0.0.1:$6,3=http://127.0.0.1:$7"
for node in 1 2 3; do
    client="http://127.0.0.1:${clients[node - 1]}" peer="http://127.0.0.1:${peers[node - 1]}"
    HOME=$folder /usr/bin/etcd --logger zap --name $node --data-dir "$folder/$node" --listen-client-urls "$client" \
        --advertise-client-urls "$client" --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
        --initial-cluster "$cluster" > "$folder/$node.log" 2>&1 &
    echo $! > "$folder/$node.pid"
done
ask() { curl -sSf --retry 300 --retry-all-errors --retry-delay 0 -d "$2" "http://127.0.0.1:${clients[0]}/v3/auth/$1" >> "$folder/log"; }
ask user/add '{"name": "root", "password": "Staple-9"}'
ask user/add "{\"name\": \"fleet\", \"password\": \"$PASSWORD\"}"
ask role/add '{"name": "root"}'
ask role/add '{"name": "authctl"}'
# From "authctl/" to "authctl0", which is all that begins with the first.
ask role/grant '{"name": "authctl", "perm": {"permType": "READWRITE", "key": "YXV0aGN0bC8=", "range_end": "YXV0aGN0bDA="}}'
ask user/grant '{"user": "root", "role": "root"}'
ask user/grant '{"user": "fleet", "role": "authctl"}'
ask enable '{}'
touch "$folder/ready"
wait
