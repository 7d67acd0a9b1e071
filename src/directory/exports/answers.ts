/** The texts of the export with password hashes in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

export const exportDescription = `Every user with the hash of their password, encrypted to a passphrase: for moving to
another store, where \`POST /users/import\` takes the rows. Needs the permission \`users:export_hashes\`, which no role has but
those that hold everything.

The answer is a file of the format age (https://age-encryption.org/v1), which \`rollbook users import\` and \`age --decrypt\`
open; in it is one user in JSON on each line: the members of the list, \`password_hash\`, and \`must_change_password\` where it
is true. The users are one consistent snapshot, in the order of \`user_id\`; the filters are those of the list. One file is
written at a time, and who asked for it is in the audit (\`users.exported\`) before its first byte leaves. Without hashes,
the list itself is the export.`

export const exportedAnswers: Answers = {
  200: {
    description: 'The encrypted file; in a dry run, how many users it would hold.',
    headers: {
      'Total-Count': { description: 'How many users are in the file.', schema: { type: 'integer' } },
      'Dry-Run': { description: '`true`: nothing was exported.', schema: { type: 'string' } },
    },
    content: {
      'application/octet-stream': { schema: { type: 'string', description: 'A file of the format age.' } },
      'application/json': { schema: { $ref: '#/components/schemas/PlannedExport' } },
    },
  },
}
