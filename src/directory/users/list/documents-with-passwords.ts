/** The rows of an export with password hashes: what the list shows of a user, and what only another store may see. */
import type { Db } from '../../../store/db/db.ts'
import { findPasswords } from '../store.ts'

type Listed = { user_id: string; document: string }

/** The documents of these rows, each with the password of its user, as an import takes them. */
export async function documentsWithPasswords(db: Db, rows: readonly Listed[]): Promise<string[]> {
  const passwords = await findPasswords(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map(({ user_id, document }) => {
    const found = passwords.get(user_id)
    if (found === undefined) return document
    const members = `"password_hash":${JSON.stringify(found.password_hash)}`
    const temporary = found.must_change_password ? ',"must_change_password":true' : ''
    return `${document.slice(0, -1)},${members}${temporary}}`
  })
}
