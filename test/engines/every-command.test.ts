/**
 * Every operation of the API and every named change and read, in one application on SQLite and in one on PostgreSQL. What the
 * two return, record and publish is compared. Takes long for its size: the steps are in the other files of this
 * folder.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { changes } from '../../src/app/commands.ts'
import { reads } from '../../src/app/queries.ts'
import { type Engine, everyEngine } from '../harness.ts'
import { postgresIsMissing } from '../postgres.ts'
import { companies, directories } from './companies.ts'
import { configuration } from './configuration.ts'
import { attributes, branding, groups, organizations, roles } from './directory.ts'
import { factors } from './factors.ts'
import { housekeeping, restores, seals, starts } from './housekeeping.ts'
import { bulkChanges, exports, imports } from './jobs.ts'
import { accessRequests, links, mails, webhooks } from './messages.ts'
import { provisioning } from './provisioning.ts'
import { records } from './records.ts'
import { runScript, type Transcript } from './script.ts'
import { keys, sessions } from './sessions.ts'
import { countCalls, storeFiles } from './store-functions.ts'
import { users } from './users.ts'

const script = [
  starts,
  users,
  sessions,
  keys,
  factors,
  roles,
  attributes,
  branding,
  organizations,
  groups,
  bulkChanges,
  imports,
  exports,
  links,
  accessRequests,
  mails,
  webhooks,
  provisioning,
  companies,
  directories,
  configuration,
  records,
  restores,
  seals,
  housekeeping,
]

/** Functions that this script does not call on PostgreSQL, and why. */
const uncalledOnPostgres: Record<string, string> = {
  'src/record/journal/store.ts insertEvent': 'on SQLite only',
  'src/record/journal/store.ts insertRecord': 'on SQLite only',
  'src/store/idempotency/store.ts findAnswer': 'on SQLite only',
  'src/directory/users/store.ts areConfusableWith': 'called when the module is loaded',
}

/** On SQLite there is one node. */
const ofSeveralNodes = ['nodes.report', 'nodes.remove']

type Run = { transcript: Transcript; calls: ReadonlyMap<string, number> }

const runs = new Map<string, Promise<Run>>()

/** Each engine runs the script once, and never beside the other: their calls would be counted as one. */
function runOn(t: TestContext, engine: Engine): Promise<Run> {
  const known = runs.get(engine.name)
  if (known !== undefined) return known
  const run = Promise.allSettled(runs.values()).then(async () => {
    const { calls, result } = await countCalls(storeFiles, () => runScript(t, engine, script))
    return { transcript: result, calls }
  })
  runs.set(engine.name, run)
  return run
}

describe('every operation, change and read', () => {
  for (const engine of everyEngine) {
    it(`succeeds on ${engine.name}`, async (t) => {
      const { transcript } = await runOn(t, engine)
      const { operations, succeeded } = transcript
      const { queries, streams } = reads
      const named = [changes.commands, queries, streams].flatMap((all) => Object.keys(all))
      const missing = [...operations, ...named].filter((name) => !succeeded.has(name))
      assert.deepEqual(missing, engine.name === 'SQLite' ? ofSeveralNodes : [], 'no step of the script does this')
    })
  }

  const skip = postgresIsMissing && 'there is no PostgreSQL'

  it('calls every function of every store.ts on PostgreSQL', { skip }, async (t) => {
    const { calls } = await runOn(t, { name: 'PostgreSQL' })
    const uncalled = [...calls].flatMap(([name, count]) => (count === 0 ? [name] : []))
    assert.deepEqual(uncalled.sort(), Object.keys(uncalledOnPostgres).sort(), 'these are not called, or are by now')
  })

  it('returns, records and publishes the same on SQLite and PostgreSQL', { skip }, async (t) => {
    const ran = await Promise.all(everyEngine.map((engine) => runOn(t, engine)))
    const [one, other] = ran.map(({ transcript }) => transcript.steps)
    assert.ok(one && other)
    const differences = one.flatMap((step, index) => differenceOf(step, other[index] ?? ''))
    // One more or one less id changes the placeholders of all after it.
    assert.deepEqual(differences.slice(0, 5), [])
    assert.equal(other.length, one.length)
  })
})

/** The step, and the first line that differs. */
function differenceOf(one: string, other: string): string[] {
  if (one === other) return []
  const [lines, others] = [one.split('\n'), other.split('\n')]
  const at = lines.findIndex((line, index) => line !== others[index])
  return [`${lines[0]} line ${at}: ${lines[at]} / ${others[at]}`.slice(0, 400)]
}
