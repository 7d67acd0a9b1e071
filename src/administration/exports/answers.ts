/** The texts of the export with password hashes in the OpenAPI document. */
import { json, text } from '../../http/endpoint/response-parts.ts'

export const exportDescription = `Exports every user with their password hash and their one-time codes, encrypted with a passphrase, to move to another store:
\`POST /users/import\` accepts the rows there. Needs the permission {access}, which only roles with all
permissions have.

The response is a file in the age format (https://age-encryption.org/v1), which \`rollbook users import\` and
\`age --decrypt\` can read. It contains one user in JSON per line: the members of the list, \`groups\`,
\`password_hash\`, \`must_change_password\` if it is true, and, for users with one-time codes, \`factors\` with their secrets and
\`recovery_code_hashes\`. Passkeys are not included: they belong to the domain of their service. The users are one consistent snapshot in the order of \`user_id\`; the filters
are those of the list. Only one file is written at a time, and the audit records who requested it (\`users.exported\`)
before its first byte is sent. To export without hashes, use the list.`

export const exportedAnswers = {
  200: {
    description: 'The encrypted file. In a dry run: how many users it would contain.',
    headers: {
      'Total-Count': { description: 'The number of users in the file.', schema: { type: 'integer' } },
      'Dry-Run': text('`true`: nothing was exported.'),
    },
    content: {
      'application/octet-stream': { schema: { type: 'string', description: 'A file in the age format.' } },
      ...json('PlannedExport'),
    },
  },
}
