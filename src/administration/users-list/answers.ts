/** OpenAPI texts of the list of users. */
import { json, text } from '../../http/endpoint/response-parts.ts'
import { contentTypes } from './formats.ts'

export const listDescription = `Returns information for every existing user: one consistent snapshot, ordered by \`user_id\`.
Needs the permission {access}.

Without \`limit\` the whole list is streamed, however long it is; if it cannot be completed, the connection is aborted. With
\`limit\`, a \`Link\` header with \`rel="next"\` links to the next page. Filters are combined with AND. \`offset\` jumps to any
position of the list, for a scroll bar; to read page after page, follow the \`Link\`. \`Accept: application/x-ndjson\`,
\`Accept: text/csv\` and \`Accept: ${contentTypes.xlsx}\` (an Excel file)
return the same rows in those formats. With \`include=groups\`, each row
has the names of the user's groups and the roles that follow from them; this and \`group\` also need \`groups:read\`.`

export const closestDescription = `Returns up to three users whose names, username or email are spelt nearly as \`q\`: for
"Did you mean …?" when the list finds none. Needs the permission {access}.

Every word is compared in any order, ignoring case and accents; a word may have a wrong, missing, additional or swapped
character. The longest four words count, and words of less than three characters do not.`

const rows = { type: 'string', description: 'The same members as in JSON.' }

export const listed = {
  200: {
    description: 'Every user that matches.',
    headers: {
      Link: text('With `limit`: `<…>; rel="next"` links to the next page, if there is one.'),
      'Total-Count': { description: 'With `count`: how many users match.', schema: { type: 'integer' } },
      'Total-Count-Estimated': text(
        '`true`: `Total-Count` is approximate. Sent with `count=estimate` if the users were not counted.',
      ),
      ETag: text('A weak validator of the list; send it back as `If-None-Match`.'),
    },
    content: {
      ...json('ListedUser[]'),
      'application/x-ndjson': { schema: { ...rows, description: 'One user in JSON per line.' } },
      [contentTypes.csv.split(';')[0] as string]: {
        schema: { ...rows, description: 'A header row and a row for each user.' },
      },
      [contentTypes.xlsx]: {
        schema: {
          type: 'string',
          format: 'binary',
          description:
            'The columns of CSV as an Excel file, with a further sheet after each 1,048,575 users. Days and times are cells of that kind, in UTC.',
        },
      },
    },
  },
  304: { description: 'The list has not changed since this `If-None-Match`.' },
}
