-- Run once, on the primary, as its superuser. From here on Rollbook has its schema and nothing else.
\getenv password ROLLBOOK_PASSWORD
CREATE DATABASE rollbook;
REVOKE ALL ON DATABASE rollbook FROM PUBLIC;

CREATE ROLE rollbook LOGIN PASSWORD :'password';
GRANT CONNECT ON DATABASE rollbook TO rollbook;

\connect rollbook
CREATE SCHEMA rollbook AUTHORIZATION rollbook;
-- For searches that are quick. It counts as trusted, but only a role that may create in the database could add it.
CREATE EXTENSION pg_trgm;
