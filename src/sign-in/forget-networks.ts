import type { Transaction } from '../db/db.ts'
import { joinSql, rawSql, sql } from '../db/sql.ts'
import { networksOf } from '../lib/address.ts'

/**
 * Forgets what was counted against the networks of somebody who is erased: of IPv4 a network is one address. Others
 * behind the same address have their tries back, as they would a day later.
 */
export async function forgetNetworks(db: Transaction, addresses: readonly (string | undefined)[]): Promise<void> {
  const keys = new Set<string>()
  for (const address of addresses) {
    if (address === undefined) continue
    const { network, site } = networksOf(address)
    keys.add(`network:${network}`)
    if (site !== undefined) keys.add(`network:${site}`)
  }
  if (keys.size === 0) return
  // Held in the one order first, as whoever counts a try holds them.
  const held = rawSql(db.engine === 'postgres' ? 'FOR UPDATE' : '')
  const list = joinSql(
    [...keys].map((key) => sql`${key}`),
    ', ',
  )
  await db.run(sql`
    WITH found AS MATERIALIZED (
      SELECT throttle_key FROM sign_in_throttles WHERE throttle_key IN (${list}) ORDER BY throttle_key ${held})
    DELETE FROM sign_in_throttles WHERE throttle_key IN (SELECT throttle_key FROM found)`)
}
