/** One domain can be written in Unicode and in ASCII, and is one domain. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../../../test/harness.ts'
import { mailsOf, startMailing } from '../../../test/mails/mailing.ts'
import { createPerson, signIn } from '../../../test/people.ts'
import { connectTo } from '../../../test/scim/provider.ts'
import { fulfilRequests } from '../../access/sign-in/links/requests.ts'
import { userUrn } from '../../scim/protocol/urns.ts'

const [inUnicode, inAscii] = ['ada@bücher.example', 'Ada@XN--bcher-kva.example']

for (const engine of engines) {
  describe(`an address with a domain outside ASCII on ${engine.name}`, () => {
    it('is unique and found in both forms, and shown as it was written', async (t) => {
      const app = await startMailing(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      for (const [first, second] of [
        [inUnicode, inAscii],
        [inAscii.replace('Ada', 'grace'), inUnicode.replace('ada', 'grace')],
      ] as const) {
        const { user_id, username } = await createPerson(app, { email: first })
        const { user_id: other } = await createPerson(app)
        const taken = [
          await app.call('POST', '/users', { body: { username: 'zoe', email: second } }),
          await app.call('PATCH', `/users/${other}`, { body: { email: second } }),
        ]
        for (const { status, body, text } of taken) assert.deepEqual([status, body.code], [409, 'email_taken'], text)
        const confused = await app.call('POST', '/users', { body: { username: second } })
        assert.deepEqual([confused.status, confused.body.code], [409, 'username_taken'], confused.text)
        const { scim } = await connectTo(app)
        const person = { schemas: [userUrn], userName: 'zoe', emails: [{ value: second, primary: true }] }
        assert.equal((await scim('POST', '/Users', person)).status, 409)
        for (const address of [first, second]) {
          const { body } = await app.call('GET', `/users?email=${encodeURIComponent(address)}`)
          assert.deepEqual(
            body.map((one: { username: string; email: string }) => [one.username, one.email]),
            [[username, first]],
            address,
          )
          assert.equal((await signIn(app, address)).status, 201, address)
          const resetResponse = await app.call('POST', '/password-resets', { key: null, body: { username: address } })
          assert.equal(resetResponse.status, 202)
          await fulfilRequests(app.storage, Date.now())
        }
        const mails = await mailsOf(app, `&user_id=${user_id}&kind=password_reset`)
        assert.equal(mails.length, 2)
      }
    })

    it('is one address for the limit of messages per hour', async (t) => {
      const app = await startMailing(t, engine)
      const test = (address: string) => app.call('POST', '/mails/test', { body: { address } })
      for (const address of [inUnicode, inAscii, inUnicode, inAscii, inUnicode]) {
        assert.equal((await test(address)).status, 202)
      }
      assert.equal((await test(inAscii)).body.code, 'too_many_mails')
    })

    it('is given to one row of an import', async (t) => {
      const app = await startMailing(t, engine)
      const rows = [inUnicode, inAscii].map((email, n) => JSON.stringify({ username: `user.${n}`, email }))
      for (const query of ['?dry_run=true', '']) {
        const { body } = await app.call('POST', `/users/import${query}`, {
          body: rows.join('\n'),
          headers: { 'content-type': 'application/x-ndjson' },
        })
        assert.deepEqual([body.created, body.rejected], [1, 1], JSON.stringify(body))
      }
    })
  })
}
