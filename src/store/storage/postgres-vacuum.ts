import { connectToPrimary, type PrimaryOptions } from '../db/postgres/primary.ts'

/** The tables that hold persons and do not grow with time; the journal is left to the database's own round. */
const tables = ['users', 'sessions', 'deleted_users', 'sign_in_throttles', 'journal_pending']

/** Frees the room of deleted rows, so that it is written over. Nobody waits for it; a table that is locked is left out. */
export async function vacuum(options: PrimaryOptions): Promise<void> {
  // On a connection of its own, without a limit: a large table takes a while.
  const { client } = await connectToPrimary({ ...options, name: 'rollbook vacuum', statementMs: 0 })
  try {
    await client.query(`VACUUM (SKIP_LOCKED, TRUNCATE false) ${tables.join(', ')}`)
  } finally {
    await client.end()
  }
}
