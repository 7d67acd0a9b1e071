/** The texts of the import operations in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

const jobSchema = { $ref: '#/components/schemas/ImportJob' }

export const importDescription = `Takes a file of users: a JSON object on each line (\`application/x-ndjson\`), or CSV whose
first line names the members (\`text/csv\`). Needs the permission \`users:import\`.

The file is read while it arrives and may have any length; it may be packed (\`Content-Encoding: gzip\`). A row has the
members of a new user, and may have \`user_id\`, \`active\`, \`password_hash\` (a hash made elsewhere), \`must_change_password\`,
\`created_at\`, \`updated_at\` and \`last_login_at\`. A row that cannot be taken is rejected with a reason, and the others go on.
A user who is there already as the row says is \`unchanged\`, so sending a file twice does no harm.

Rows are committed some hundred at a time. With a \`job_id\` of your choice an import that was interrupted goes on where it
was when the same is sent again; \`from_row\`, \`from_line\` and \`complete\` send a file in parts. \`GET /imports/{job_id}\` tells how far
it is, and \`GET /imports/{job_id}/rows\` what became of each row.`

export const imported: Answers = {
  200: {
    description: 'The import, with its counts. Look at `rejected`: the answer is 200 also when no row was acceptable.',
    headers: {
      'Dry-Run': { description: '`true`: no user was changed.', schema: { type: 'string' } },
      'Idempotency-Replayed': { description: '`true`: this had been done before.', schema: { type: 'string' } },
    },
    content: { 'application/json': { schema: jobSchema } },
  },
}

export const bodies = {
  'application/x-ndjson': {
    schema: { type: 'string', description: 'One JSON object on each line.' },
    example: '{"username": "grace.hopper", "first_name": "Grace"}\n{"username": "lise.meitner", "active": false}\n',
  },
  'text/csv': {
    schema: { type: 'string', description: 'RFC 4180; the first line names the members.' },
    example: 'username,first_name,email\r\ngrace.hopper,Grace,grace.hopper@example.com\r\n',
  },
}

export const listDescription = `Imports of everybody, the last one to go on first. Needs the permission \`users:import\`, which also lets
go on with, or cancel, what somebody else has begun.`
export const listed: Answers = {
  200: {
    description: 'The imports of the last month.',
    content: { 'application/json': { schema: { type: 'array', items: jobSchema } } },
  },
}

export const getDescription = 'How far an import is. Needs the permission `users:import`.'
export const found: Answers = {
  200: { description: 'The import.', content: { 'application/json': { schema: jobSchema } } },
}

export const rowsDescription = `What became of each row, in the order of the file, for a month. Needs the permission
\`users:import\`.`
export const rows: Answers = {
  200: {
    description: 'A row on each line.',
    content: { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/ImportedRow' } } },
  },
}

export const cancelDescription = `Ends an import: no more of its rows are taken, and what it did until then stays. Needs the
permission \`users:import\`.`
