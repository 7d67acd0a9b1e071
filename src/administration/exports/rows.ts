/** The rows of an encrypted export: a user as the list shows it, and what only another store may see. */

import { findPasswords } from '../../directory/users/service.ts'
import type { Db } from '../../store/db/db.ts'
import type { ListPlan } from '../users-list/service.ts'
import * as list from '../users-list/service.ts'

/** Second factors as rows of an import have them. */
export type ExportedFactors = {
  factors: { kind: 'totp'; name: string; secret: string }[]
  recovery_code_hashes?: string[]
}

/** They belong to a floor above, which can decrypt them. */
export type FindFactors = (
  db: Db,
  userIds: readonly string[],
  encryptionSecrets: readonly string[],
) => Promise<ReadonlyMap<string, ExportedFactors>>

type ExportPlan = { plan: ListPlan; withFactors: boolean; encryptionSecrets: readonly string[] }

export function exportStream(findFactors: FindFactors) {
  return {
    total: (db: Db, { plan }: ExportPlan) => list.count(db, plan.filters),
    pieces: (db: Db, { plan, withFactors, encryptionSecrets }: ExportPlan) =>
      list.stream(db, plan, async (snapshot, ids) => {
        const factors = withFactors ? await findFactors(snapshot, ids, encryptionSecrets) : new Map()
        const passwords = await findPasswords(snapshot, ids)
        return new Map(ids.map((id) => [id, { ...passwordMembers(passwords.get(id)), ...factors.get(id) }]))
      }),
  }
}

type Found = { password_hash: string | null; must_change_password: number }

function passwordMembers(found: Found | undefined) {
  if (found === undefined) return {}
  const { password_hash, must_change_password } = found
  return { password_hash, ...(must_change_password && { must_change_password: true }) }
}
