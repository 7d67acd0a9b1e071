import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Started } from '../harness.ts'
import { codes, skip, twoNodes } from './nodes.ts'

const many = 64

/** Sends the same requests to both nodes in turn, all at once. */
function atOnce(
  nodes: readonly Started[],
  times: number,
  send: (node: Started, i: number) => ReturnType<Started['call']>,
) {
  return Promise.all(Array.from({ length: times }, (_, i) => send(nodes[i % nodes.length] as Started, i)))
}

describe('two nodes', { skip }, () => {
  it('agree', async (t) => {
    const nodes = await twoNodes(t)
    const [a, b] = nodes

    for (const member of ['username', 'email', 'external_id']) {
      await t.test(`give one ${member} to one of ${many} users who want it at the same moment`, async () => {
        const answers = await atOnce(nodes, many, (node, i) =>
          node.call('POST', '/users', { body: { username: `${member}-${i}`, [member]: 'wanted@example.org' } }),
        )
        assert.deepEqual(codes(answers), { 201: 1, [`409 ${member}_taken`]: many - 1 })
        await a.runSql('DELETE FROM users')
      })
    }

    await t.test('never give one user the email address of another as a username', async () => {
      for (let round = 0; round < 10; round++) {
        const name = `round-${round}@example.org`
        const answers = await Promise.all([
          a.call('POST', '/users', { body: { username: name } }),
          b.call('POST', '/users', { body: { username: `other-${round}`, email: name } }),
        ])
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409], JSON.stringify(codes(answers)))
      }
      await a.runSql('DELETE FROM users')
    })

    for (const [how, remove] of [
      ['demote', (node: Started, id: string) => node.call('PATCH', `/users/${id}`, { body: { role: 'user' } })],
      ['disable', (node: Started, id: string) => node.call('PATCH', `/users/${id}`, { body: { active: false } })],
      ['delete', (node: Started, id: string) => node.call('DELETE', `/users/${id}`)],
    ] as const) {
      await t.test(`let one of two administrators win who ${how} each other`, async () => {
        for (let round = 0; round < 10; round++) {
          const created = await atOnce(nodes, 2, (node, i) =>
            node.call('POST', '/users', { body: { username: `${how}-${round}-${i}`, role: 'admin' } }),
          )
          const [first, second] = created.map(({ body }) => body.user_id as string)
          const answers = await Promise.all([remove(a, first as string), remove(b, second as string)])
          assert.deepEqual(codes(answers), { 200: 1, '409 last_admin': 1 })
          await a.runSql('DELETE FROM users')
        }
      })
    }

    await t.test('do once what both receive with one Idempotency-Key', async () => {
      for (let round = 0; round < 10; round++) {
        const answers = await atOnce(nodes, 8, (node) =>
          node.call('POST', '/users', {
            body: { username: `once-${round}` },
            headers: { 'idempotency-key': `once-${round}` },
          }),
        )
        const done = answers.filter(({ status }) => status === 201)
        const waiting = answers.filter(({ body }) => body.code === 'idempotency_in_progress')
        assert.equal(done.length + waiting.length, answers.length, JSON.stringify(codes(answers)))
        assert.equal(new Set(done.map(({ body }) => body.user_id)).size, 1)
        assert.equal(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length, 1)
      }
    })

    await t.test('return one refusal for what both receive with one Idempotency-Key', async () => {
      await a.call('POST', '/users', { body: { username: 'taken' } })
      for (let round = 0; round < 20; round++) {
        const answers = await atOnce(nodes, 8, (node) =>
          node.call('POST', '/users', {
            body: { username: 'taken' },
            headers: { 'idempotency-key': `refused-${round}` },
          }),
        )
        const { '409 username_taken': refused = 0, '409 idempotency_in_progress': waiting = 0 } = codes(answers)
        assert.ok(refused >= 1)
        assert.equal(refused + waiting, answers.length, JSON.stringify(codes(answers)))
      }
    })

    await t.test('never return a new secret that does not work, and revoke a key once', async () => {
      const newKey = async () => {
        const created = await a.call('POST', '/keys', { body: { name: 'contested', permissions: ['users:read'] } })
        return `/keys/${created.body.key_id}`
      }
      for (let round = 0; round < 10; round++) {
        const path = await newKey()
        const rotated = await atOnce(nodes, 2, (node) => node.call('POST', `${path}/rotate`))
        for (const { body } of rotated) {
          assert.equal((await a.call('GET', '/users?limit=1', { key: body.key })).status, 200)
        }
        const endResponse = await atOnce(nodes, 2, (node) => node.call('DELETE', path))
        assert.deepEqual(codes(endResponse), { 200: 1, '404 key_not_found': 1 })
      }
    })

    await t.test('store no response that says to retry', async () => {
      // A name that is taken at the insert, and free again when one looks who has it.
      await a.runSql(`
        CREATE FUNCTION skip_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER skip_row BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION skip_row()`)
      const request = { body: { username: 'patient' }, headers: { 'idempotency-key': 'patient' } }
      const overloaded = await a.call('POST', '/users', request)
      assert.equal(overloaded.body.code, 'overloaded')
      await a.runSql('DROP TRIGGER skip_row ON users')
      const again = await b.call('POST', '/users', request)
      assert.equal(again.status, 201, again.text)
    })
  })
})
