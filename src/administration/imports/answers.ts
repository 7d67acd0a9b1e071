/** The texts of the import operations in the OpenAPI document. */
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'
import { ignoredMembers } from './schema.ts'

const ignored = Object.entries(ignoredMembers)
  .map(([name, why]) => `\`${name}\` (${why})`)
  .join(', ')

export const importDescription = `Imports a file of users: one JSON object per line (\`application/x-ndjson\`), CSV whose first line names the
members (\`text/csv\`), or the first sheet of an Excel file (.xlsx) whose first row names them. Needs the permission {access}, and a dry run with
\`mode=update\` also \`users:read\`, because it tells which values are the users'.

The file is processed while it arrives and can have any length; it can be compressed (\`Content-Encoding: gzip\`). CSV may separate its
cells by \`,\`, \`;\`, \`|\` or tabs, and may be in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252 if the media type says so
(\`text/csv; charset=windows-1252\`). An Excel file may have 32 MiB and is read as a whole; days and times in its cells are in UTC. A
row has the members of a new user, and optionally \`user_id\`, \`active\`, \`password_hash\` (a hash from another system),
\`must_change_password\`, \`created_at\`, \`updated_at\`, \`last_login_at\`, \`totp_secret\` (one-time codes in base32: SHA-1,
6 digits, 30 s) or \`factors\` (a list of \`kind\`, \`secret\` and \`name\`), \`organization\`: the name or id
of the organization to which the user belongs, and \`groups\`: the names of all groups that the user is in afterwards, in CSV separated by \`;\`. Changing memberships also needs \`groups:write\`. An invalid row is
rejected with a reason, and the other rows are imported. A user who already matches the row is reported as \`unchanged\`, so sending a file
twice does no harm. Rows as lists and exports show them are valid too. These of their members are ignored: ${ignored}.

Rows are committed a few hundred at a time. If an import with a \`job_id\` of your choice is interrupted, send the
same request again and the import continues where it stopped. With \`from_row\`, \`from_line\` and \`complete\` you can
send a file in parts. \`GET /imports/{job_id}\` returns the progress, and \`GET /imports/{job_id}/rows\` the result for
each row.`

export const bodies = {
  'application/x-ndjson': {
    schema: { type: 'string', description: 'One JSON object per line.' },
    example: '{"username": "grace.hopper", "first_name": "Grace"}\n{"username": "lise.meitner", "active": false}\n',
  },
  'text/csv': {
    schema: { type: 'string', description: 'RFC 4180; the first line names the members.' },
    example: 'username,first_name,email\r\ngrace.hopper,Grace,grace.hopper@example.com\r\n',
  },
  [xlsxMediaType]: {
    schema: {
      type: 'string',
      format: 'binary',
      description: 'An Excel file; the first row of its first sheet names the members.',
    },
  },
}

export const listDescription = `Lists the imports of all callers, the most recently active first. Needs the permission {access}, which also
allows you to continue or cancel imports that others started.`

export const getDescription = `Returns the progress of an import.`

export const rowsDescription = `Returns the result for each row, in the order of the file. Results are kept for a month. Needs the permission
{access}.`
export const rows = {
  200: {
    description: 'One row per line.',
    content: { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/ImportedRow' } } },
  },
}

export const cancelDescription = `Cancels an import: it accepts no more rows, and the rows that were imported before stay. Needs the permission
{access}.`
