/** Second factors that an encrypted export contains, as an import takes them. */
import type { ExportedFactors, FindFactors } from '../../../administration/exports/service.ts'
import { openSecret } from './secrets.ts'
import * as store from './store.ts'

/**
 * Without passkeys, which belong to the domain of their service; and recovery codes only beside other factors, which an import
 * requires.
 *
 * @throws AppError `secret_unreadable`
 */
export const findForExport: FindFactors = async (db, userIds, encryptionSecrets) => {
  const found = new Map<string, ExportedFactors>()
  for (const row of await store.listTotp(db, userIds)) {
    const factor = { kind: 'totp' as const, name: row.name, secret: openSecret(row, encryptionSecrets) }
    const others = found.get(row.user_id)?.factors ?? []
    found.set(row.user_id, { factors: [...others, factor] })
  }
  for (const { user_id, code_hash } of await store.listRecoveryCodes(db, [...found.keys()])) {
    const user = found.get(user_id)
    if (user !== undefined) user.recovery_code_hashes = [...(user.recovery_code_hashes ?? []), code_hash]
  }
  return found
}
