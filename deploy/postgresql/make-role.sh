#!/bin/sh
# Creates Rollbook's role and schema in an empty database; PostgreSQL's image runs it at its first start. The role owns
# its schema and has no other privilege.
set -eu
export PASSWORD_FILE="${ROLLBOOK_PASSWORD_FILE:-/run/secrets/rollbook-password}"

# psql reads the password itself: as an argument it would be visible to every user of the machine.
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'END'
\set password `cat "$PASSWORD_FILE"`
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
CREATE ROLE rollbook LOGIN PASSWORD :'password';
GRANT CONNECT ON DATABASE :"DBNAME" TO rollbook;
CREATE SCHEMA rollbook AUTHORIZATION rollbook;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
END
