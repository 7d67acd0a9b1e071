import { connectToPrimary, type PrimaryOptions } from '../db/postgres/primary.ts'

/** Tables with personal data that do not grow with time; autovacuum takes care of the journal. */
const tables = ['users', 'sessions', 'deleted_users', 'sign_in_throttles', 'journal_pending']

/** Frees the space of deleted rows, so that it is overwritten. Nothing waits for it; a locked table is skipped. */
export async function vacuum(options: PrimaryOptions): Promise<void> {
  // On a separate connection without a timeout: a large table takes a while.
  const { client } = await connectToPrimary({ ...options, name: 'rollbook vacuum', statementMs: 0 })
  try {
    await client.query(`VACUUM (SKIP_LOCKED, TRUNCATE false) ${tables.join(', ')}`)
  } finally {
    await client.end()
  }
}
