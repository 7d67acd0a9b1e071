import { plainMarks } from '../../../lib/typed-name.ts'
import type { Transaction } from '../db.ts'
import { rawSql, sql } from '../sql.ts'
import type { Migration } from './migration.ts'

/**
 * Writes apostrophes and dashes in search texts as they are sought since this release. Only texts that have another one are read and
 * written, a thousand at a time. Keys stay: a name that is typed is looked up in each way to write it.
 */
export const marksInSearchTexts: Migration = {
  name: '0059-marks-in-search-texts',
  needs: '0003-several-nodes',
  sqlite: [],
  postgres: [],
  async fill(db) {
    await rewrite(db, 'users')
    await rewrite(db, 'deleted_users')
  },
}

const marks = '’‘ʼʻ`′´‐–—−‒―‑'
const atOnce = 1000

async function rewrite(db: Transaction, name: 'users' | 'deleted_users'): Promise<void> {
  const table = rawSql(name)
  const hasMark = rawSql(db.engine === 'sqlite' ? `search_text GLOB '*[${marks}]*'` : `search_text ~ '[${marks}]'`)
  for (let after = ''; ; ) {
    const rows = await db.all<{ user_id: string; search_text: string }>(sql`
      SELECT user_id, search_text FROM ${table} WHERE user_id > ${after} AND ${hasMark} ORDER BY user_id LIMIT ${atOnce}`)
    for (const { user_id, search_text } of rows) {
      await db.run(sql`UPDATE ${table} SET search_text = ${plainMarks(search_text)} WHERE user_id = ${user_id}`)
      if (name === 'users' && db.engine === 'sqlite') await waitForIndex(db, user_id)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < atOnce) return
    after = last.user_id
  }
}

async function waitForIndex(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users WHERE user_id = ${userId}`)
}
