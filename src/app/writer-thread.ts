/** The entry point of SQLite's writer thread. */

import {
  countPending,
  indexStep,
  makeRoom,
  movedAtOnce,
  prepareIndex,
  rowsInStep,
} from '../directory/search/service.ts'
import { giveBackAfterStart } from '../lib/give-back.ts'
import { runWriterThread } from '../store/sqlite/writer-thread.ts'
import { changes } from './commands.ts'

giveBackAfterStart()
runWriterThread({
  ...changes,
  upkeep: { prepareIndex, countPending, indexStep, rowsInStep, makeRoom, movedAtOnce },
})
