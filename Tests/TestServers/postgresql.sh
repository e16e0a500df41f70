#!/bin/bash
# Starts Debian's PostgreSQL on a Unix socket in FOLDER, with a table for shared logins that the user fleet owns: FOLDER
set -eu
folder=$1 as=()
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
# It does not run as root.
[ "$(id -u)" != 0 ] || { as=(setpriv --reuid=nobody --regid=nogroup --clear-groups); chown nobody "$folder"; }
"${as[@]}" "$bin/initdb" -D "$folder/data" -A trust -U fleet > "$folder/log" 2>&1
"${as[@]}" "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= >> "$folder/log" 2>&1 &
export PGHOST=$folder PGUSER=fleet PGDATABASE=postgres
until psql -qc 'CREATE TABLE authctl (key text PRIMARY KEY, value text NOT NULL, version bigint NOT NULL)' 2>> "$folder/log"; do sleep 0.1; done
touch "$folder/ready"
wait
