/** A store's health after failing reads and changes: how often they failed, and whether it is damaged. */

import { AppError } from '../../core/errors.ts'
import { isUnreachable } from '../db/postgres/failures.ts'
import { storageRefusal } from '../db/sqlite/failures.ts'

/** `failed`: an I/O error, or another database error. `unreachable`: PostgreSQL did not respond. */
export type StorageFaults = Record<'damaged' | 'failed' | 'full' | 'unreachable', number>

export type StorageHealth = {
  /** Records a failed read or change. Errors that are not faults of the storage do not count. */
  heed(error: unknown): void
  isDamaged(): boolean
  faults(): StorageFaults
  /** Another server took over: damage on the previous one says nothing about it. */
  forget(): void
}

type Options = {
  /** How long one report of damage counts. A SQLite file does not heal, so only a restart clears it there. */
  damageMs: number
  /** Called when the store was intact until now. */
  onDamage(error: Error): void
}

export function storageHealth({ damageMs, onDamage }: Options): StorageHealth {
  const faults: StorageFaults = { damaged: 0, failed: 0, full: 0, unreachable: 0 }
  let damagedAt = Number.NEGATIVE_INFINITY
  const isDamaged = () => performance.now() - damagedAt < damageMs

  return {
    heed(error) {
      const refusal = error instanceof AppError ? error : storageRefusal(error)
      const kind = refusal && kindOf(refusal)
      if (kind === undefined) return
      faults[kind]++
      if (kind !== 'damaged') return
      const isNews = !isDamaged()
      damagedAt = performance.now()
      if (isNews) onDamage((refusal?.cause as Error | undefined) ?? (error as Error))
    },
    isDamaged,
    faults: () => ({ ...faults }),
    forget() {
      damagedAt = Number.NEGATIVE_INFINITY
    },
  }
}

function kindOf({ code, cause }: AppError): keyof StorageFaults | undefined {
  if (code === 'storage_damaged') return 'damaged'
  if (code === 'storage_full') return 'full'
  if (code !== 'storage_unavailable') return undefined
  return cause !== undefined && isUnreachable(cause) ? 'unreachable' : 'failed'
}
