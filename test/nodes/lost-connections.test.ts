import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Started } from '../harness.ts'
import type { Link, Message, Network } from './network.ts'
import { behindNetwork, codes, skip, waitUntil } from './nodes.ts'

const isCommit = ({ kind, text }: Message) => kind === 'Q' && text === 'COMMIT\0'

async function usersNamed(node: Started, username: string): Promise<number> {
  return (await node.runSql(`SELECT user_id FROM users WHERE username = '${username}'`)).length
}

/** Does something once, at the first message to the server that is meant. */
function once(network: Network, isMeant: (message: Message) => boolean, act: (link: Link) => boolean): () => boolean {
  let done = false
  network.toServer = (message, link) => {
    if (done || link.name !== 'rollbook' || !isMeant(message)) return true
    done = true
    return act(link)
  }
  return () => done
}

/**
 * Lets the COMMIT through, and cuts the connection when its response arrives: the outcome is unknown to the client. The responses to
 * statements sent with it come earlier, when it may not be done yet.
 */
function cutAfterCommit(network: Network): void {
  let committing: Link | undefined
  once(network, isCommit, (link) => {
    committing = link
    return true
  })
  network.toClient = ({ kind, text }, link) => {
    if (link !== committing || kind !== 'C' || text !== 'COMMIT\0') return true
    committing = undefined
    link.cut()
    return false
  }
}

describe('a change whose connection is lost', { skip }, () => {
  it('is made once or not at all, and the caller is told only what is known', async (t) => {
    const { direct, behind, network } = await behindNetwork(t)
    const send = (username: string) =>
      behind.call('POST', '/users', { body: { username }, headers: { 'idempotency-key': username } })
    // Statements are named when a connection sends them first, and then sent by their names.
    let keeping = ''
    network.toServer = ({ kind, text }) => {
      const [name = '', statement = ''] = text.split('\0')
      if (kind === 'P' && statement.includes('INSERT INTO idempotency_keys')) keeping = name
      return true
    }
    await send('first')
    assert.notEqual(keeping, '')
    t.beforeEach(async () => {
      network.toServer = () => true
      network.toClient = () => true
      // Or the next COMMIT is that of settling the journal of what came before.
      await behind.storage.settleJournal()
    })

    for (const [moment, isMeant] of [
      ['before its first statement', ({ kind, text }: Message) => kind === 'Q' && text === 'BEGIN\0'],
      ['at its insert', ({ kind, bytes }: Message) => kind === 'B' && bytes.includes('lost-at-its-insert')],
      ['when its answer is to be kept', ({ kind, text }: Message) => kind === 'B' && text.includes(`\0${keeping}\0`)],
    ] as const) {
      await t.test(`${moment}: the change is made all the same, once`, async () => {
        const wasCut = once(network, isMeant, (link) => {
          link.cut()
          return false
        })
        const username = `lost ${moment}`.replaceAll(' ', '-')
        const response = await send(username)
        assert.ok(wasCut())
        assert.equal(response.status, 201, response.text)
        assert.equal(response.headers['idempotency-replayed'], undefined)
        assert.equal(await usersNamed(direct, username), 1)
      })
    }

    await t.test('after COMMIT reached the server: outcome_unknown, and its repetition is exact', async () => {
      cutAfterCommit(network)
      const response = await send('ada')
      assert.equal(response.status, 503, response.text)
      assert.equal(response.body.code, 'outcome_unknown')
      assert.ok(Number(response.headers['retry-after']) >= 1)
      assert.equal(await usersNamed(direct, 'ada'), 1, 'it was committed')
      const again = await send('ada')
      assert.equal(again.status, 201, again.text)
      assert.equal(again.headers['idempotency-replayed'], 'true')
      assert.equal(await usersNamed(direct, 'ada'), 1)
    })

    await t.test('before COMMIT reached the server: outcome_unknown, and its repetition makes the change', async () => {
      once(network, isCommit, (link) => {
        link.cut()
        return false
      })
      const response = await send('bob')
      assert.equal(response.status, 503, response.text)
      assert.equal(response.body.code, 'outcome_unknown')
      await waitUntil('the server drops the transaction', 2000, async () => {
        const open = await direct.runSql(
          `SELECT 1 FROM pg_stat_activity WHERE usename = '${direct.database?.role}' AND xact_start IS NOT NULL`,
        )
        return open.length === 0
      })
      assert.equal(await usersNamed(direct, 'bob'), 0)
      const again = await send('bob')
      assert.equal(again.status, 201, again.text)
      assert.equal(again.headers['idempotency-replayed'], undefined)
      assert.equal(await usersNamed(direct, 'bob'), 1)
    })

    await t.test('again and again: nothing is lost, nothing hangs, nothing is a fault', async () => {
      let messages = 0
      network.toServer = (_message, link) => {
        if (link.name !== 'rollbook' || ++messages % 37 !== 0) return true
        link.cut()
        return false
      }
      const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => send(`often-${i}`)))
      const found = codes(answers)
      // With storage_unavailable, it was cut before the change began.
      const counts = ['201', '503 outcome_unknown', '503 storage_unavailable'].map((code) => found[code] ?? 0)
      assert.equal(
        counts.reduce((sum, count) => sum + count),
        60,
        JSON.stringify(found),
      )
      assert.ok((found['201'] ?? 0) > 30, JSON.stringify(found))
      for (const [i, { status }] of answers.entries()) {
        if (status === 201) assert.equal(await usersNamed(direct, `often-${i}`), 1)
      }
      network.toServer = () => true
      const again = await Promise.all(Array.from({ length: 60 }, (_, i) => send(`often-${i}`)))
      assert.deepEqual(codes(again), { 201: 60 })
      assert.equal((await direct.runSql("SELECT 1 FROM users WHERE username LIKE 'often-%'")).length, 60)
    })
  })
})
