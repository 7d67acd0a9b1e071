import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createUser } from '../harness.ts'
import { assertWithin } from '../time-limit.ts'
import { codes, skip, twoNodes } from './nodes.ts'

describe('the journal of several nodes', { skip }, () => {
  it('is announced to the other node at once, even if something without an event follows', async (t) => {
    const [one, two] = await twoNodes(t)
    let announcements = 0
    two.storage.onAnnouncement(({ kind }) => {
      if (kind === 'journal') announcements++
    })
    for (let round = 0; round < 8; round++) {
      await sleep(300)
      const before = announcements
      const created = createUser(one)
      // A refusal is a record alone: it waits when the event has just been settled.
      await sleep(100 + round * 5)
      await one.call('GET', '/users', { key: 'rb_wrong' })
      await created
      const begun = performance.now()
      while (announcements === before) {
        assertWithin(2000, begun, `Round ${round}`)
        await sleep(10)
      }
    }
  })

  it('has one end of a session, however many callers end it at once', async (t) => {
    const [one, two] = await twoNodes(t)
    const password = 'analytical engine no. 1'
    const { user_id } = await createUser(one, { username: 'ada', password })
    for (let round = 0; round < 10; round++) {
      const sent = { body: { username: 'ada', password }, key: null }
      const { session_id } = (await one.call('POST', '/sessions', sent)).body
      const path = `/users/${user_id}/sessions/${session_id}`
      const answers = await Promise.all([one, two, one, two].map((node) => node.call('DELETE', path)))
      assert.deepEqual(codes(answers), { 200: 1, '404 session_not_found': 3 })
      await one.storage.settleJournal()
      const ends = `FROM events WHERE type = 'session.ended' AND subject = '${session_id}'`
      assert.equal((await one.runSql(`SELECT 1 ${ends}`)).length, 1)
    }
    const records = await one.runSql("SELECT 1 FROM audit_records WHERE action = 'session.ended'")
    assert.equal(records.length, 10)
  })

  it('reports a change whose entry cannot be written like any other, with the first reason', async (t) => {
    const [one] = await twoNodes(t)
    const { key_id } = (await one.call('POST', '/keys', { body: { name: 'script', permissions: ['users:read'] } })).body
    const { adminUrl, schema } = one.database as NonNullable<typeof one.database>
    const other = new pg.Client({ connectionString: adminUrl, options: `-c search_path=${schema}` })
    await other.connect()
    t.after(() => other.end())
    await other.query('BEGIN; LOCK TABLE journal_pending IN EXCLUSIVE MODE')
    // It revokes as well: what follows the entry finds the transaction lost.
    const response = await one.call('DELETE', `/keys/${key_id}`)
    assert.deepEqual([response.status, response.body.code], [503, 'overloaded'], response.text)
    await other.query('ROLLBACK')
    assert.equal((await one.call('DELETE', `/keys/${key_id}`)).status, 200)
  })
})
