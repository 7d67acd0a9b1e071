/** A writer thread with the real commands, of which one refuses or fails after it has written, if the first name says so. */
import { changes } from '../src/app/commands.ts'
import { AppError } from '../src/core/errors.ts'
import { makeRoom, movedAtOnce } from '../src/directory/users/row-order.ts'
import { countPending, indexStep, prepareIndex, rowsInStep } from '../src/directory/users/search-index.ts'
import { runWriterThread } from '../src/store/storage/writer-thread.ts'

runWriterThread({
  ...changes,
  commands: {
    ...changes.commands,
    async 'users.create'(ctx, input) {
      const created = await changes.commands['users.create'](ctx, input)
      if (input.first_name === 'refused') throw new AppError('role_not_grantable', 'Refused late.')
      if (input.first_name === 'faulty') throw new Error('Failed late.')
      return created
    },
  },
  upkeep: { prepareIndex, countPending, indexStep, rowsInStep, makeRoom, movedAtOnce },
})
