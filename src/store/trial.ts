/** The mark of a store that is only a trial of a backup: a node that serves it sends nothing and calls nothing outside. */
import { AppError } from '../core/errors.ts'
import { hasTable } from './db/catalog.ts'
import type { Db, Transaction } from './db/db.ts'
import { deleteState, findState, setState } from './state.ts'

const name = 'trial'

export async function isTrial(db: Db): Promise<boolean> {
  return (await hasTable(db, 'journal_state')) && (await findState(db, name)) !== undefined
}

export async function markTrial(db: Transaction, isOne: boolean): Promise<void> {
  if (isOne) await setState(db, name, 'yes')
  else await deleteState(db, name)
}

/** The refusal of a request that would call another system. */
export function inTrial(): AppError {
  return new AppError('trial_store', 'This store is a trial of a backup, so nothing outside is called.')
}
