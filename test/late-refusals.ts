/** A writer thread with the real commands, of which one refuses, fails or waits after it has written, if the first name says so. */
import { existsSync, writeFileSync } from 'node:fs'
import { changes } from '../src/app/commands.ts'
import { AppError } from '../src/core/errors.ts'
import { makeRoom, movedAtOnce } from '../src/directory/search/row-order.ts'
import { countPending, indexStep, prepareIndex, rowsInStep } from '../src/directory/search/search-index.ts'
import { runWriterThread } from '../src/store/sqlite/writer-thread.ts'

/** Followed by the path of the file that ends the wait. */
const waiting = 'waits for '

function waitAt(path: string): void {
  writeFileSync(`${path}.begun`, '')
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(path)) Atomics.wait(never, 0, 0, 2)
}

runWriterThread({
  ...changes,
  commands: {
    ...changes.commands,
    async 'users.create'(ctx, input) {
      const created = await changes.commands['users.create'](ctx, input)
      if (input.first_name === 'refused') throw new AppError('role_not_grantable', 'Refused late.')
      if (input.first_name === 'faulty') throw new Error('Failed late.')
      if (input.first_name?.startsWith(waiting)) waitAt(input.first_name.slice(waiting.length))
      return created
    },
  },
  upkeep: { prepareIndex, countPending, indexStep, rowsInStep, makeRoom, movedAtOnce },
})
