import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, everyEngine } from '../../../test/harness.ts'
import { type Body, connect, membersOf } from '../../../test/scim/provider.ts'
import { bulkRequestUrn, userUrn } from '../protocol/urns.ts'

/** As identity providers do: they repeat what an overloaded service has refused, when it says so. */
async function persistently(send: () => Promise<Answer>): Promise<Answer> {
  const response = await send()
  if (response.status !== 503) return response
  assert.equal(response.body.status, '503', response.text)
  await sleep(Number(response.headers['retry-after']) * 1000)
  return persistently(send)
}

for (const engine of everyEngine) {
  describe(`parallel requests to SCIM on ${engine.name}`, () => {
    it('hundreds of changes of one group at the same time leave exactly the members that they describe', async (t) => {
      const provider = await connect(t, engine)
      const { app, scim, createGroup, patch } = provider
      const Operations = Array.from({ length: 400 }, (_, n) => ({
        method: 'POST',
        path: '/Users',
        bulkId: `u${n}`,
        data: { schemas: [userUrn], userName: `user${n}` },
      }))
      const created = await scim('POST', '/Bulk', { schemas: [bulkRequestUrn], Operations })
      const ids: string[] = created.body.Operations.map(({ location }: Body) => String(location).split('/').at(-1))
      // The first 160 leave, the others come, and meanwhile the name changes as well.
      const [leaving, coming] = [ids.slice(0, 160), ids.slice(160)]
      const group = await createGroup('Guides', leaving)
      const operations: Body[] = [
        ...coming.map((value) => ({ op: 'add', path: 'members', value: [{ value }] })),
        ...leaving.map((value) => ({ op: 'remove', path: `members[value eq "${value}"]` })),
        { op: 'replace', path: 'displayName', value: 'Tour guides' },
      ]
      const answers = await Promise.all(
        operations.map((operation) => persistently(() => patch(`/Groups/${group.id}`, operation))),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204])
      assert.deepEqual(await membersOf(provider, group.id), coming.sort())
      const { body } = await app.call('GET', `/groups/${group.id}`)
      assert.deepEqual([body.name, body.member_count], ['Tour guides', 240])
      const members = await app.call('GET', `/groups/${group.id}/members`)
      assert.deepEqual(members.body.map((one: Body) => one.user_id).sort(), coming)
    })

    it('of many creations of the same user one succeeds, and the others learn that it exists', async (t) => {
      const { scim } = await connect(t, engine)
      const create = () => scim('POST', '/Users', { schemas: [userUrn], userName: 'ada', externalId: 'x-1' })
      const answers = await Promise.all(Array.from({ length: 20 }, create))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
      assert.ok(answers.every(({ status, body }) => status === 201 || body.scimType === 'uniqueness'))
      assert.equal((await scim('GET', '/Users')).body.totalResults, 1)
    })
  })
}
