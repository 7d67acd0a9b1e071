import { networksOf } from '../../../lib/address.ts'
import type { Transaction } from '../../../store/db/db.ts'
import { forUpdateInOrder } from '../../../store/db/dialect.ts'
import { joinSql, sql } from '../../../store/db/sql.ts'

/**
 * Deletes the counts of an erased user's networks: an IPv4 network is one address. Others behind the same address get their
 * attempts back, as they would a day later.
 */
export async function forgetAddresses(db: Transaction, addresses: readonly (string | undefined)[]): Promise<void> {
  const places = addresses.flatMap((address) => {
    if (address === undefined) return []
    const { network, site } = networksOf(address)
    return site === undefined ? [network] : [network, site]
  })
  await forgetNetworks(db, places)
}

/** Deletes the counts of these networks, whichever users they tried. */
export async function forgetNetworks(db: Transaction, networks: readonly string[]): Promise<void> {
  if (networks.length === 0) return
  // Locked in the same order as by an attempt, so that two transactions never deadlock.
  const list = joinSql(
    [...new Set(networks)].flatMap((network) => [
      sql`${`network:${network}`}`,
      sql`${`access:${network}`}`,
      sql`${`email_code:${network}`}`,
    ]),
    ', ',
  )
  await db.run(sql`
    WITH found AS MATERIALIZED (
      SELECT throttle_key FROM sign_in_throttles WHERE throttle_key IN (${list})
      ${forUpdateInOrder(db, 'throttle_key')})
    DELETE FROM sign_in_throttles WHERE throttle_key IN (SELECT throttle_key FROM found)`)
}
