/** What the OpenAPI document says of the users' operations: descriptions, answers, examples that work when sent. */
import type { Answers } from '../../http/endpoint/operation.ts'
import { contentTypes } from './list/formats.ts'

const user = { 'application/json': { schema: { $ref: '#/components/schemas/User' } } }
const etag = {
  ETag: { description: 'A strong validator of the user; send it back as `If-Match`.', schema: { type: 'string' } },
}
export const dryRun = {
  'Dry-Run': { description: '`true`: nothing was changed.', schema: { type: 'string' } },
}

export const databaseAccounts = `
### The account in the database is a separate step

Rollbook administers the users of the product's web UI only. It never creates, changes or drops an account of the
product's relational database. Where a user needs one too, usually so, make it with the database's own tools, on
PostgreSQL for instance:`

export const createDescription = `Creates a user of the web UI. Needs the permission \`users:write\`.

Only \`username\` is required, and all values are strings. A user without a password cannot sign in until one is set.
With an \`Idempotency-Key\` a repeated request has one effect and gets the first answer again.
${databaseAccounts}

    createuser --pwprompt ada

or in SQL: \`CREATE ROLE ada LOGIN SUPERUSER CREATEDB\`, with no more of these rights than are needed.`

export const listDescription = `Information for every existing user: one consistent snapshot, ordered by \`user_id\`.
Needs the permission \`users:read\`.

Without \`limit\` the whole list is streamed, however long it is; a list that could not be finished ends in an aborted
connection, never cleanly. With \`limit\` a \`Link\` header with \`rel="next"\` leads to the next page. All filters must
hold together. \`offset\` jumps to any place of the order, for a scroll bar: who reads on follows the \`Link\`.
\`Accept: application/x-ndjson\` and \`Accept: text/csv\` give the same rows in those formats.`

export const getDescription = 'One user. Needs the permission `users:read`.'

export const updateDescription = `Changes what is given and leaves the rest (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). Needs the permission \`users:write\`.

\`email: null\` clears the address. With \`If-Match\` the change happens only if the user is still as it was read. The last
active administrator can be neither disabled nor demoted.`

/** Swagger UI fills the form with it; the docs page makes the name unique, so that it can be executed as it stands. */
export const createExample = {
  username: 'ada.lovelace',
  email: 'ada.lovelace@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  password: 'analytical engine no. 1',
}

export const created: Answers = {
  201: {
    description: 'The user was created.',
    headers: {
      ...etag,
      Location: { description: 'Where the user is from now on.', schema: { type: 'string' } },
      'Idempotency-Replayed': { description: '`true`: this is the first answer again.', schema: { type: 'string' } },
    },
    content: user,
  },
  200: { description: 'Dry run: the user as it would be created.', headers: dryRun, content: user },
}

const rows = { type: 'string', description: 'The same members as in JSON.' }

export const listed: Answers = {
  200: {
    description: 'Every user that matches.',
    headers: {
      Link: {
        description: 'With `limit`: `<…>; rel="next"` leads to the next page, if there is one.',
        schema: { type: 'string' },
      },
      'Total-Count': { description: 'With `count`: how many users match.', schema: { type: 'integer' } },
      'Total-Count-Estimated': {
        description: '`true`: that is about so many. With `count=estimate`, where they were not counted.',
        schema: { type: 'string' },
      },
      ETag: {
        description: 'A weak validator of the list; send it back as `If-None-Match`.',
        schema: { type: 'string' },
      },
    },
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/User' } } },
      'application/x-ndjson': { schema: { ...rows, description: 'One user in JSON on each line.' } },
      [contentTypes.csv.split(';')[0] as string]: {
        schema: { ...rows, description: 'A header row and a row for each user.' },
      },
    },
  },
  304: { description: 'Nothing has changed since the list with this `If-None-Match`.' },
}

export const found: Answers = {
  200: { description: 'The user.', headers: etag, content: user },
  304: { description: 'The user is still as with this `If-None-Match`.' },
}

export const updated: Answers = {
  200: {
    description: 'The user as it is now; in a dry run, as it would be, without an ETag.',
    headers: { ...etag, ...dryRun },
    content: user,
  },
}
