import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, start } from '../../../test/harness.ts'
import { skip, waitUntil } from '../../../test/nodes/nodes.ts'
import { searchUpkeep } from './search-upkeep.ts'

describe('the upkeep of the search index on PostgreSQL', { skip }, () => {
  it('empties the pending list, and finds the same users', async (t) => {
    const app = await start(t, { name: 'PostgreSQL' })
    const merge =
      "SELECT gin_clean_pending_list('users_search'::regclass)::int AS pages, clock_timestamp()::text AS now"
    await createUser(app, { username: 'grace.hopper' })
    // In one transaction, so that no upkeep comes between them.
    const [left] = await app.runSql(`UPDATE users SET search_text = search_text; ${merge}`)
    assert.ok(Number(left?.pages) > 0, 'a change leaves entries')
    await createUser(app, { username: 'ada.lovelace' })
    const isMerged = async () =>
      (
        await app.runSql(`SELECT 1 FROM pg_stat_activity
          WHERE application_name = 'rollbook lists' AND usename = '${new URL(app.database?.url ?? '').username}'
            AND state = 'idle' AND query LIKE '%gin_clean_pending_list%' AND query_start > '${left?.now}'`)
      ).length === 1
    await waitUntil('it is merged', 60_000, isMerged)
    const [after] = await app.runSql(merge)
    assert.equal(Number(after?.pages), 0)
    const found = await app.call('GET', '/users?q=lovelace')
    assert.deepEqual(
      found.body.map(({ username }: { username: string }) => username),
      ['ada.lovelace'],
    )
  })

  it('merges after two thousand changes, one merge at a time, and rests after a fault', async () => {
    let merges = 0
    let end: ((error?: Error) => void) | undefined
    const faults: Error[] = []
    const upkeep = searchUpkeep({
      merge() {
        merges++
        return new Promise<void>((resolve, reject) => {
          end = (error) => (error ? reject(error) : resolve())
        })
      },
      onFault: (error) => faults.push(error),
    })
    const note = (changes: number) => {
      for (let n = 0; n < changes; n++) upkeep.note()
    }
    const ended = async (error?: Error) => {
      end?.(error)
      await new Promise((resolve) => setImmediate(resolve))
    }
    note(1999)
    assert.equal(merges, 0)
    note(1)
    assert.equal(merges, 1)
    note(4500)
    assert.equal(merges, 1, 'while one is under way')
    await ended()
    assert.equal(merges, 2, 'the changes in between')
    await ended(new Error('lock timeout'))
    note(5000)
    assert.deepEqual([merges, faults.length], [2, 1])
    upkeep.close()
  })

  it('merges what arrived during a merge that took longer than the rest', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const ends: (() => void)[] = []
    const upkeep = searchUpkeep({
      merge: () => new Promise<void>((resolve) => ends.push(resolve)),
      onFault: (error) => assert.fail(error),
    })
    upkeep.note()
    t.mock.timers.tick(2000)
    assert.equal(ends.length, 1)
    upkeep.note()
    t.mock.timers.tick(2000)
    ends[0]?.()
    await new Promise((resolve) => setImmediate(resolve))
    t.mock.timers.tick(2000)
    assert.equal(ends.length, 2)
    upkeep.close()
  })
})
