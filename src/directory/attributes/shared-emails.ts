/** Unique addresses in attributes that two users have in two forms (docs/decisions/0122). */
import { oneDomainForm } from '../../lib/email-form.ts'
import type { Db } from '../../store/db/db.ts'
import { readDefinitions } from './definitions.ts'
import * as store from './store.ts'

type SharedEmails = {
  /** How many there are. */
  count: number
  /** The first of them. `user_id` is not found by the value, `found` is. */
  first: { attribute: string; user_id: string; found: string | undefined }[]
}

const batch = 5000

/** Reads the keys of all values whose domain may have another form. */
export async function findSharedEmails(db: Db, limit: number): Promise<SharedEmails> {
  const result: SharedEmails = { count: 0, first: [] }
  for (const { name, type, unique } of (await readDefinitions(db)).values()) {
    if (type !== 'email' || !unique) continue
    for await (const { value_key, user_id } of valuesOf(db, name)) {
      const form = oneDomainForm(value_key)
      if (form === value_key) continue
      result.count++
      if (result.first.length === limit) continue
      const [owner] = await store.findOwners(db, [{ attribute: name, value_key: form, user_id, is_unique: 1 }])
      result.first.push({ attribute: name, user_id, found: owner?.user_id })
    }
  }
  return result
}

async function* valuesOf(db: Db, attribute: string): AsyncGenerator<store.Entry> {
  for (let after = ''; ; ) {
    const rows = await store.listDomainsInDoubt(db, attribute, { after, limit: batch })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < batch) return
    after = last.value_key
  }
}
