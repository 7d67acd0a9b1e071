/**
 * Every operation of the API and every named change and read, on both engines, in one application each. What the two say,
 * record and publish is compared.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { changes } from '../../src/app/commands.ts'
import { reads } from '../../src/app/queries.ts'
import { type Engine, engines } from '../harness.ts'
import { companies, directories } from './companies.ts'
import { attributes, groups } from './directory.ts'
import { factors } from './factors.ts'
import { housekeeping, seals, starts } from './housekeeping.ts'
import { bulkChanges, exports, imports } from './jobs.ts'
import { links, mails, webhooks } from './messages.ts'
import { provisioning } from './provisioning.ts'
import { records } from './records.ts'
import { runScript, type Transcript } from './script.ts'
import { keys, sessions } from './sessions.ts'
import { users } from './users.ts'

const script = [
  starts,
  users,
  sessions,
  keys,
  factors,
  attributes,
  groups,
  bulkChanges,
  imports,
  exports,
  links,
  mails,
  webhooks,
  provisioning,
  companies,
  directories,
  records,
  seals,
  housekeeping,
]

/** On SQLite there is one node. */
const ofSeveralNodes = ['nodes.report', 'nodes.remove']

const transcripts = new Map<string, Promise<Transcript>>()

function transcriptOf(t: TestContext, engine: Engine): Promise<Transcript> {
  const found = transcripts.get(engine.name) ?? runScript(t, engine, script)
  transcripts.set(engine.name, found)
  return found
}

describe('every operation, change and read', () => {
  // everyEngine
  for (const engine of engines) {
    it(`succeeds on ${engine.name}`, async (t) => {
      const { operations, succeeded } = await transcriptOf(t, engine)
      const { queries, streams } = reads
      const named = [changes.commands, queries, streams].flatMap((all) => Object.keys(all))
      const missing = [...operations, ...named].filter((name) => !succeeded.has(name))
      assert.deepEqual(missing, engine.name === 'SQLite' ? ofSeveralNodes : [], 'no step of the script does this')
    })
  }

  it('returns, records and publishes the same on both engines', async (t) => {
    const [one, other] = await Promise.all(engines.map((engine) => transcriptOf(t, engine)))
    assert.ok(one && other)
    const differences = one.steps.flatMap((step, index) => differenceOf(step, other.steps[index] ?? ''))
    // One more or one less id changes the placeholders of all after it.
    assert.deepEqual(differences.slice(0, 5), [])
    assert.equal(other.steps.length, one.steps.length)
  })
})

/** The step, and the first line that differs. */
function differenceOf(one: string, other: string): string[] {
  if (one === other) return []
  const [lines, others] = [one.split('\n'), other.split('\n')]
  const at = lines.findIndex((line, index) => line !== others[index])
  return [`${lines[0]} line ${at}: ${lines[at]} / ${others[at]}`.slice(0, 400)]
}
