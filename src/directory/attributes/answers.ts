/** The texts of the operations on attributes in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'
import { dryRun, etag, json, jsonList, replayed, text } from '../../http/endpoint/response-parts.ts'

const list = jsonList('Attribute')

export const listDescription = `Lists the definitions of the custom attributes of users, by name. There are at most 64. Needs the permission
\`attributes:read\`.`

export const createDescription = `Defines a custom attribute. From then on users can have a value in \`attributes\`. It can be \`required\` only if there are no users yet. Otherwise define it without \`required\`, give all users a value, then set it. Needs the permission \`attributes:write\`, with \`required\` also \`users:read\`.`

export const getDescription = 'Returns one definition. Needs the permission `attributes:read`.'

export const updateDescription = `Changes the given members of a definition and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). If existing users would violate it, the response is 409 \`attribute_violated\` and says how many. While Rollbook checks the users, or writes the index for \`searchable\` or \`unique\`, changes of users wait. Needs the permission
\`attributes:write\`, and \`users:read\` for a change that is judged against values: \`type\`, \`options\`, \`required\`, \`unique\`, \`pattern\` and limits.`

export const deleteDescription = `Deletes a definition and the values that users have. This cannot be undone. The users' \`updated_at\` and \`ETag\`
change; there is one event \`attribute.deleted\` and none for each user. To see how many users have a value, use \`dry_run\`. Needs
the permissions \`attributes:write\` and \`users:read\`.`

/** The docs page makes the name unique, so that the example can be sent as it stands. */
export const createExample = { name: 'department', label: 'Department', type: 'string', searchable: true }

export const listed: Answers = { 200: { description: 'All definitions.', content: list } }

export const created: Answers = {
  201: {
    description: 'The attribute was defined.',
    headers: { ...etag('definition'), ...replayed, Location: text('The URL of the definition.') },
    content: json('Attribute'),
  },
  200: { description: 'Dry run: the definition as it would be.', headers: dryRun, content: json('Attribute') },
}

export const found: Answers = {
  200: { description: 'The definition.', headers: etag('definition'), content: json('Attribute') },
  304: { description: 'The definition has not changed since this `If-None-Match`.' },
}

export const updated: Answers = {
  200: {
    description: 'The definition after the change, or as it would be after it.',
    headers: { ...etag('definition'), ...dryRun },
    content: json('Attribute'),
  },
}

export const deleted: Answers = {
  200: {
    description: 'The definition and its values were deleted, or would be.',
    headers: dryRun,
    content: json('ConfirmationOfAttributeDeletion'),
  },
}
