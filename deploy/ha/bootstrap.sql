-- Run once, on the primary, as its superuser. Gives Rollbook its schema and nothing else.
\getenv password ROLLBOOK_PASSWORD
CREATE DATABASE rollbook;
REVOKE ALL ON DATABASE rollbook FROM PUBLIC;

CREATE ROLE rollbook LOGIN PASSWORD :'password';
GRANT CONNECT ON DATABASE rollbook TO rollbook;

\connect rollbook
CREATE SCHEMA rollbook AUTHORIZATION rollbook;
-- For fast searches. The extension is trusted, but only a role that may create in the database could add it.
CREATE EXTENSION pg_trgm;
