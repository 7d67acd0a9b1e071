import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unpackOldRelease } from '../../../test/upgrade/releases.ts'
import { migrations } from './migrate.ts'
import type { Migration } from './migrations/migration.ts'

describe('the steps of the schema', () => {
  it('disturb no node of the previous release that is still running', async () => {
    const old = await unpackOldRelease()
    old.remove()
    assert.deepEqual(faultsOf(migrations, new Set(old.migrations.map(({ name }) => name))), [])
  })

  it('have these rules: add first, take away when the release before does without, change nothing in place', () => {
    const table = 'CREATE TABLE users (user_id text PRIMARY KEY, nickname text, locale text NOT NULL)'
    const released = [step('0001-users', '0001-users', table), step('0002-tags', '0001-users')]
    const marker = step('0003-nicknames-unused', '0002-tags')
    const cases: [steps: Migration[], fault: RegExp | undefined][] = [
      [[step('0003-a', '0002-tags', 'ALTER TABLE users ADD COLUMN title text')], undefined],
      [[step('0003-a', '0001-users', "ALTER TABLE users ADD COLUMN t text NOT NULL DEFAULT ''")], undefined],
      [[step('0003-a', '0002-tags', 'CREATE TABLE notes (note text NOT NULL)')], undefined],
      [[step('0003-a', '0002-tags', 'DROP INDEX users_nickname')], undefined],
      [[step('0003-a', '0003-a')], /0003-a needs 0003-a, which the release before does not know/],
      [[step('0003-a', '0004-b'), step('0004-b', '0002-tags')], /0003-a needs 0004-b, which does not come before it/],
      [[step('0002-a', '0001-users')], /0002-a does not come after 0002-tags/],
      [
        [step('0003-a', '0002-tags', 'ALTER TABLE users ADD COLUMN t text NOT NULL')],
        /0003-a adds users.t as NOT NULL/,
      ],
      [[step('0003-a', '0002-tags', 'ALTER TABLE users RENAME COLUMN nickname TO alias')], /0003-a renames/],
      [[step('0003-a', '0002-tags', 'ALTER TABLE users RENAME TO people')], /0003-a renames/],
      [[step('0003-a', '0002-tags', 'ALTER TABLE users ALTER nickname TYPE integer')], /0003-a changes the type/],
      [[step('0003-a', '0001-users', 'ALTER TABLE users DROP COLUMN nickname')], /0003-a takes away users.nickname/],
      [[step('0003-a', '0001-users', 'drop table if exists users')], /0003-a takes away users/],
      [[step('0003-a', '0001-users', 'ALTER TABLE users ALTER COLUMN nickname SET NOT NULL')], /0003-a takes away/],
      [[marker, step('0004-a', marker.name, 'ALTER TABLE users DROP nickname')], /does not know/],
      [
        [{ ...step('0003-a', '0002-tags'), sqlite: ["UPDATE users SET locale = ''"] }],
        /0003-a changes all users in one/,
      ],
    ]
    const known = new Set(released.map(({ name }) => name))
    for (const [steps, fault] of cases) {
      const faults = faultsOf([...released, ...steps], known).join('; ')
      if (fault === undefined) assert.equal(faults, '')
      else assert.match(faults, fault)
    }
    // One release later, the marker is known.
    const drop = step('0004-a', marker.name, 'ALTER TABLE users DROP COLUMN nickname')
    assert.deepEqual(faultsOf([...released, marker, drop], new Set([...known, marker.name])), [])
  })
})

function step(name: string, needs: string, ...statements: string[]): Migration {
  return { name, needs, sqlite: [], postgres: statements }
}

/** Returns what is wrong with the order, the requirements and the statements of the steps the previous release lacks. */
function faultsOf(steps: readonly Migration[], known: ReadonlySet<string>): string[] {
  return steps.flatMap((one, i) => {
    const faults: string[] = []
    const earlier = steps.slice(0, i)
    const last = earlier.at(-1)
    if (last !== undefined && one.name <= last.name) faults.push(`${one.name} does not come after ${last.name}`)
    if (one.needs !== one.name && !earlier.some(({ name }) => name === one.needs)) {
      faults.push(`${one.name} needs ${one.needs}, which does not come before it`)
    }
    if (known.has(one.name)) return faults
    if (!known.has(one.needs)) faults.push(`${one.name} needs ${one.needs}, which the release before does not know`)
    if (one.sqlite.some((statement) => /^\s*UPDATE\s+(users|deleted_users)\b/i.test(statement))) {
      faults.push(
        `${one.name} changes all users in one statement, which takes SQLite a gigabyte per million: use updateAll`,
      )
    }
    return [...faults, ...one.postgres.flatMap((statement) => faultsIn(statement, one, earlier))]
  })
}

/** SQLite has one process and no other release next to it; what is removed there is removed on PostgreSQL in the same step. */
function faultsIn(statement: string, { name, needs }: Migration, earlier: readonly Migration[]): string[] {
  const text = statement.replaceAll(/\s+/g, ' ').trim()
  const [, table = '', act = ''] = /^ALTER TABLE (?:IF EXISTS |ONLY )*(\w+) (.*)$/i.exec(text) ?? []
  if (/^RENAME\b/i.test(act)) return [`${name} renames: add the new, fill it, and drop the old in a later release`]
  if (/^ALTER .*\bTYPE\b/i.test(act)) return [`${name} changes the type of a column: add another column instead`]
  const added = /^ADD (?:COLUMN )?(?:IF NOT EXISTS )?(\w+).*\bNOT NULL\b/i.exec(act)
  if (added && !/\bDEFAULT\b/i.test(act)) return [`${name} adds ${table}.${added[1]} as NOT NULL without a default`]
  const column = /^(?:DROP (?:COLUMN )?(?:IF EXISTS )?|ALTER (?:COLUMN )?)(\w+)(?: SET NOT NULL|$| CASCADE)/i.exec(act)
  const dropped = /^DROP TABLE (?:IF EXISTS )?(\w+)/i.exec(text)?.[1]
  const lost = column?.[1] ?? dropped
  if (lost === undefined) return []
  const makes = new RegExp(`(?:CREATE TABLE|ADD)\\b.*\\b${lost}\\b`, 'is')
  const creating = earlier.findLastIndex(({ postgres }) => postgres.some((one) => makes.test(one)))
  const doesWithout = earlier.findIndex((one) => one.name === needs)
  if (doesWithout > creating) return []
  const what = column ? `${table}.${lost}` : lost
  return [`${name} takes away ${what}, or makes it required, before a step says that nothing relies on it as it was`]
}
