import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, start } from '../../../test/harness.ts'
import { skip, waitUntil } from '../../../test/nodes/nodes.ts'
import { searchUpkeep } from './search-upkeep.ts'

describe('the upkeep of the search index on PostgreSQL', { skip }, () => {
  it('empties the pending list, and finds the same users', async (t) => {
    const app = await start(t, { name: 'PostgreSQL' })
    await app.runSql('CREATE EXTENSION pgstattuple')
    const pending = "SELECT pending_pages::int AS pages FROM pgstatginindex('users_search')"
    const pagesOf = ([row]: Record<string, unknown>[]) => Number(row?.pages)
    await createUser(app, { username: 'grace.hopper' })
    // The upkeep that the first user caused may come between the two statements.
    const change = `UPDATE users SET search_text = search_text; ${pending}`
    await waitUntil('a change waits in the list', 60_000, async () => pagesOf(await app.runSql(change)) > 0)
    await createUser(app, { username: 'ada.lovelace' })
    await waitUntil('it is merged', 60_000, async () => pagesOf(await app.runSql(pending)) === 0)
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
    const endMerge = async (error?: Error) => {
      end?.(error)
      await new Promise((resolve) => setImmediate(resolve))
    }
    note(1999)
    assert.equal(merges, 0)
    note(1)
    assert.equal(merges, 1)
    note(4500)
    assert.equal(merges, 1, 'while one is under way')
    await endMerge()
    assert.equal(merges, 2, 'the changes in between')
    await endMerge(new Error('lock timeout'))
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
