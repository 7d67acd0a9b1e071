/** Second factors that an import brings, in the commit of the row. */

import { type FactorWriter, notify, userTarget } from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { type EncryptionConfig, sealingSecret } from '../../../store/secrets/encryption.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import * as challenges from '../challenges/service.ts'
import * as sessions from '../sessions/service.ts'
import { detailsOf, emitFactor } from './journal.ts'
import { newRow } from './row.ts'
import { storedSecret } from './secrets.ts'
import * as store from './store.ts'

/** Gives secrets the form in which they are stored, before they travel to the thread that writes. */
export function totpKeeper({
  storage,
  config,
  clock,
}: {
  storage: Pick<Storage, 'db'>
  config: EncryptionConfig
  clock: () => number
}) {
  const newId = uuidv7Maker()
  return async () => {
    const encryptionSecret = await sealingSecret(storage.db, config)
    return (secret: string) => {
      const factor_id = newId(clock())
      return { factor_id, ...storedSecret(secret, factor_id, encryptionSecret) }
    }
  }
}

export const importedFactors: FactorWriter = {
  findOwners: store.findOwners,
  async add(ctx, user, { totp, recoveryCodeHashes, isNew, details }) {
    const { user_id } = user
    const now = timestamp(ctx.now)
    const rows = totp.map((one) => newRow(ctx, { ...one, user_id, kind: 'totp', confirmed_at: now }))
    // An enrollment that the user began is replaced, as by any factor.
    if (!isNew) await store.deletePending(ctx.db, user_id)
    for (const row of rows) await store.insertFactor(ctx.db, row)
    for (const code_hash of recoveryCodeHashes)
      await store.insertRecoveryCode(ctx.db, { user_id, code_hash, created_at: now })
    const { ended: endedCount } = isNew ? { ended: 0 } : await sessions.endAll(ctx, { user_id })
    if (!isNew) await challenges.endAll(ctx, user_id)
    for (const row of rows) {
      const auditDetails = { ...details, ...detailsOf(row), ...(endedCount > 0 && { sessions_ended: endedCount }) }
      ctx.recordFor(ctx, { action: 'factor.added', target: userTarget(user), details: auditDetails })
      emitFactor(ctx, 'factor.added', row)
      if (!isNew) await notify(ctx, user_id, { kind: 'factor_added', data: { factor: row.name } })
    }
  },
}
