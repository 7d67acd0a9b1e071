/** The entry point of SQLite's writer thread. */

import { makeRoom, movedAtOnce } from '../directory/users/row-order.ts'
import { countPending, indexStep, prepareIndex, rowsInStep } from '../directory/users/search-index.ts'
import { giveBackAfterStart } from '../lib/give-back.ts'
import { runWriterThread } from '../store/sqlite/writer-thread.ts'
import { changes } from './commands.ts'

giveBackAfterStart()
runWriterThread({
  ...changes,
  upkeep: { prepareIndex, countPending, indexStep, rowsInStep, makeRoom, movedAtOnce },
})
