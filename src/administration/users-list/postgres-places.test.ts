// Takes long for its size, and belongs to test:rest: it walks through tens of thousands of users.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, type Started } from '../../../test/harness.ts'
import { skip, twoNodes } from '../../../test/nodes/nodes.ts'
import type { Db } from '../../store/db/db.ts'
import { countOfOrganization, placeBefore, placeStep } from './postgres-places.ts'

const early = 3 * placeStep + 5000
const idAt = (time: string) =>
  `left(${time}, 8) || '-' || right(${time}, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0')`

/** Copies of a user, one for each `n`, by SQL: the triggers count them as any. */
async function addCopies(app: Started, name: string, time: string, from: number, to: number): Promise<void> {
  await app.runSql(`
    INSERT INTO users SELECT (jsonb_populate_record(users, jsonb_build_object('user_id', id, 'username', '${name}' || n,
      'username_key', '${name}' || n, 'document', replace(document, user_id, id), 'search_text', ''))).*
    FROM users, (SELECT n, ${idAt(`'${time}'`)} AS id FROM generate_series(${from}, ${to}) AS n) AS ids
    WHERE username_key = 'template'`)
}

/** What the node answers, and the truth. */
async function compare(app: Started, offset: number): Promise<void> {
  const page = await app.call('GET', `/users?limit=3&offset=${offset}`)
  const rows = await app.runSql(`SELECT user_id FROM users ORDER BY user_id OFFSET ${offset} LIMIT 3`)
  const ids = (list: Record<string, unknown>[]) => list.map(({ user_id }) => user_id)
  assert.equal(page.status, 200, page.text)
  assert.deepEqual(ids(page.body), ids(rows), `offset ${offset}`)
}

/** How many statements it takes to find a place. */
function effort(app: Started, offset: number): Promise<number> {
  return statementsOf(app, (db) => placeBefore(db, offset))
}

async function statementsOf({ storage }: Started, work: (db: Db) => Promise<unknown>): Promise<number> {
  let statements = 0
  const get: Db['get'] = (statement) => {
    statements++
    return storage.db.get(statement)
  }
  await work({ ...storage.db, get })
  return statements
}

describe('places of the default order on PostgreSQL', { skip }, () => {
  it('are remembered until a user comes or goes before them, and are right on every node after each change', async (t) => {
    const nodes = await twoNodes(t)
    const [app, other] = nodes
    const offsets = [0, placeStep - 1, placeStep, 2 * placeStep + 1, 3 * placeStep, early - 2, early + 5]
    const compareAll = async () => {
      for (const node of nodes) for (const offset of offsets) await compare(node, offset)
    }
    await createUser(app, { username: 'template' })
    await addCopies(app, 'early', '018000000000', 1, early)
    assert.equal(await effort(app, early), 4)
    assert.equal(await effort(app, early), 1)
    await compareAll()

    await createUser(app, { username: 'late' })
    await app.runSql("UPDATE users SET first_name = 'Ada' WHERE username_key = 'early7'")
    assert.equal(await effort(app, early), 1, 'a user at the end moves no place')
    await compareAll()

    const [removed] = (await app.call('GET', '/users?limit=1&offset=4')).body
    assert.equal((await other.call('DELETE', `/users/${removed.user_id}`)).status, 200)
    await compareAll()
    assert.equal(await effort(app, early), 1)

    await addCopies(app, 'between', '017000000000', 1, 1)
    await compareAll()
    await app.runSql(`UPDATE users SET user_id = '0' || user_id, document = replace(document, user_id, '0' || user_id)
      WHERE username_key = 'early20003'`)
    await compareAll()

    // An import may create many users within the hour: none of their places is remembered, and none is wrong.
    const hex = Math.round(Date.now() - 1_800_000).toString(16)
    await addCopies(app, 'recent', hex.padStart(12, '0'), 1, placeStep + 10)
    assert.equal(await effort(app, 4 * placeStep), 5, 'three places again, and a look for the fourth')
    offsets.push(4 * placeStep, 4 * placeStep + 4990)
    await compareAll()
    await app.runSql(`DELETE FROM users WHERE username_key IN ('recent3', 'recent9')`)
    await compareAll()
  })

  it('are those of an organization too, and count its users, until one comes, goes or moves', async (t) => {
    const nodes = await twoNodes(t)
    const [app, other] = nodes
    const { organization_id: id } = (await app.call('POST', '/organizations', { body: { name: 'Acme' } })).body
    await createUser(app, { username: 'template' })
    await addCopies(app, 'elsewhere', '016000000000', 1, 10)
    await addCopies(app, 'early', '018000000000', 1, early)
    await addCopies(app, 'after', '018100000000', 1, 10)
    await app.runSql(`UPDATE users SET organization_id = '${id}' WHERE username_key LIKE 'early%'`)
    const counting = () => statementsOf(app, (db) => countOfOrganization(db, id))
    const compareAll = async () => {
      const rows = await app.runSql(`SELECT user_id FROM users WHERE organization_id = '${id}' ORDER BY user_id`)
      const ids = rows.map(({ user_id }) => user_id)
      for (const node of nodes) {
        for (const offset of [0, placeStep, 3 * placeStep - 1, early - 2]) {
          const path = `/users?organization=${id}&limit=3&offset=${offset}&count=true`
          const { body, headers } = await node.call('GET', path)
          assert.deepEqual(
            body.map(({ user_id }: { user_id: string }) => user_id),
            ids.slice(offset, offset + 3),
          )
          assert.equal(headers['total-count'], String(ids.length), path)
        }
      }
    }
    assert.equal(await counting(), 6, 'the state, three places, a look for the fourth, and the rest')
    assert.equal(await counting(), 3)
    await compareAll()
    await app.runSql("UPDATE users SET first_name = 'Ada' WHERE username_key = 'early7'")
    assert.equal(await counting(), 3, 'another change moves no place')
    await app.runSql(`UPDATE users SET organization_id = NULL WHERE username_key IN ('early9', 'early30000')`)
    await compareAll()
    await app.runSql(`UPDATE users SET organization_id = '${id}' WHERE username_key = 'elsewhere3'`)
    await compareAll()
    const [removed] = (await app.call('GET', `/users?organization=${id}&limit=1&offset=4`)).body
    assert.equal((await other.call('DELETE', `/users/${removed.user_id}`)).status, 200)
    await compareAll()
  })

  it('are right while users come and go', async (t) => {
    const [app, other] = await twoNodes(t, { ROLLBOOK_RATE_LIMIT: '0' })
    await createUser(app, { username: 'template' })
    await addCopies(app, 'early', '018000000000', 1, 2 * placeStep + 50)
    const bounds = new Map<string, number>()
    const rows = await app.runSql('SELECT user_id FROM users ORDER BY user_id')
    for (const [n, { user_id }] of rows.entries()) bounds.set(String(user_id), n)
    let deleted = 0
    const removing = (async () => {
      for (; deleted < 40; deleted++) {
        const { user_id } = rows[deleted * 7] as { user_id: string }
        assert.equal((await other.call('DELETE', `/users/${user_id}`)).status, 200)
      }
    })()
    while (deleted < 40) {
      const before = deleted
      const { body } = await app.call('GET', `/users?limit=1&offset=${2 * placeStep}`)
      // All deletions are before this place, so it moves by each of them.
      const passed = (bounds.get(body[0].user_id) as number) - 2 * placeStep
      assert.ok(passed >= before && passed <= deleted + 1, `${before} to ${deleted + 1} were deleted, not ${passed}`)
    }
    await removing
    await compare(app, 2 * placeStep)
    await compare(other, 2 * placeStep)
  })
})
