#!/bin/sh
# Makes the role and the schema of Rollbook in an empty database; PostgreSQL's own image runs it at its first start. The
# role owns its schema and may do nothing else.
set -eu
export PASSWORD_FILE="${ROLLBOOK_PASSWORD_FILE:-/run/secrets/rollbook-password}"

# psql reads the password itself: as an argument every user of the machine could see it.
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'END'
\set password `cat "$PASSWORD_FILE"`
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
CREATE ROLE rollbook LOGIN PASSWORD :'password';
GRANT CONNECT ON DATABASE :"DBNAME" TO rollbook;
CREATE SCHEMA rollbook AUTHORIZATION rollbook;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
END
