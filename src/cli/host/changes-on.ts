/** Makes changes on a connection to SQLite of this process, without a thread. Each is a transaction. */
import { handlers } from '../../app/handlers.ts'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import { rulesOf } from '../../core/rules.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import type { Connection } from '../../store/db/sqlite/connection.ts'
import { readStoredRules, rulesWith } from '../../store/rules/stored-rules.ts'
import { runJob } from '../../store/storage/run-job.ts'
import type { Storage } from '../../store/storage/storage.ts'

export async function changesOn(connection: Connection, config: Config): Promise<Storage['change']> {
  const makeId = uuidv7Maker()
  const changes = await handlers.loadChanges()
  return (name, input, { actor, now, requestId, origin }) =>
    connection.alone(async () => {
      const outcome = await runJob(
        { name, input, actor, now, requestId, origin, dryRun: false },
        {
          handlers: changes,
          db: connection,
          rules: rulesWith(rulesOf(config), await readStoredRules(connection)),
          // A refusal throws, which rolls the transaction back.
          savepoint: { set() {}, undo() {}, release() {} },
          newId: () => makeId(now),
          writeJournal: (entry) => changes.journal.append(connection, [entry]),
          announce() {},
        },
      )
      if ('refusal' in outcome) throw new AppError(outcome.refusal.code, outcome.refusal.detail)
      return { result: outcome.result as never, replayed: false }
    })
}
