/** The texts of the operations on oneself in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

const me = { 'application/json': { schema: { $ref: '#/components/schemas/Me' } } }
const etag = {
  ETag: { description: 'A strong validator of the user; send it back as `If-Match`.', schema: { type: 'string' } },
}
export const dryRun = {
  'Dry-Run': { description: '`true`: nothing was changed.', schema: { type: 'string' } },
}

export const getDescription = `The user who is signed in, with what they may do. A web UI asks this first: 401 says that
nobody is signed in.

With \`must_change_password\` everything else is refused until \`POST /me/password\` has set another password.`

export const updateDescription = `Changes one's own names or e-mail address (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). \`email\`, or \`null\` to clear it, needs \`current_password\` beside it. Everything else of a user
is for administrators.`

export const changePasswordDescription = `Sets a new password. Every other session of this user ends in the same moment, and
so do the access tokens issued before; this session goes on.

Wrong current passwords are counted and slowed down as at sign-in.`

export const found: Answers = { 200: { description: 'Who is signed in.', headers: etag, content: me } }

export const updated: Answers = {
  200: {
    description: 'The user as it is now; in a dry run, as it would be, without an ETag.',
    headers: { ...etag, ...dryRun },
    content: me,
  },
}

export const passwordChanged: Answers = {
  200: {
    description: 'The password was changed; in a dry run `changed` is false.',
    headers: dryRun,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ConfirmationOfPassword' } } },
  },
}
