/** Addresses in letters outside ASCII: a domain is written in ASCII, and a local part gets no message by any way. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fulfilRequests } from '../../src/access/sign-in/links/requests.ts'
import { engines } from '../harness.ts'
import { createPerson, openBrowser, password } from '../people.ts'
import { eventually } from '../webhooks/dispatching.ts'
import { mailsOf, startMailing } from './mailing.ts'

for (const engine of engines) {
  describe(`addresses outside ASCII on ${engine.name}`, () => {
    it('get no message that could not be sent, and the caller gets the link', async (t) => {
      const app = await startMailing(t, engine)
      const created = await app.call('POST', '/users', {
        body: { username: 'jo', email: 'jö@example.com', invite: 'true' },
      })
      assert.equal(created.status, 201, created.text)
      assert.equal(created.body.invitation.sent, false)
      assert.match(created.body.invitation.url, /\/invitation\//)
      const { user_id } = created.body
      for (const path of ['invitation', 'password-reset']) {
        const { body } = await app.call('POST', `/users/${user_id}/${path}`)
        assert.deepEqual([body.sent, typeof body.url], [false, 'string'], path)
      }
      const bulk = await app.call('POST', '/users/bulk', {
        body: { action: 'invite', user_ids: [user_id], resend: true },
      })
      assert.match(bulk.text, /"url":"/)
      const csv = 'username,email,invite\nzoe,zoë@example.com,true\nada,ada@bücher.example,true\n'
      const imported = await app.call('POST', '/users/import', { body: csv, headers: { 'content-type': 'text/csv' } })
      assert.equal(imported.status, 200, imported.text)
      const { body: invited } = await app.call('GET', '/users?invited=true&sort=username')
      assert.deepEqual(invited.map(({ username }: { username: string }) => username).toSorted(), ['ada', 'jo', 'zoe'])
      await app.call('PATCH', `/users/${user_id}`, { body: { email: 'jö.2@example.com' } })
      const resetResponse = await app.call('POST', '/password-resets', { key: null, body: { username: 'jo' } })
      assert.equal(resetResponse.status, 202)
      await fulfilRequests(app.storage, Date.now())
      assert.deepEqual(
        (await mailsOf(app)).map(({ address }) => address),
        ['ada@bücher.example'],
      )
      app.dispatch()
      await eventually('the message', () => app.server.received.length === 1)
      // The server of the tests shows domains in Unicode; the message has what was sent.
      assert.match(app.server.received[0]?.source ?? '', /^To: ada@xn--bcher-kva\.example\r$/m)
    })

    it('are never tried by a message that an earlier release queued: it fails at once, and others are sent', async (t) => {
      const app = await startMailing(t, engine)
      for (const username of ['anna', 'bob']) {
        const email = `${username}@example.com`
        const creation = await app.call('POST', '/users', { body: { username, email, invite: 'true' } })
        assert.equal(creation.body.invitation.sent, true, creation.text)
      }
      await app.runSql("UPDATE mails SET address = 'анна@пошта.example' WHERE address = 'anna@example.com'")
      app.dispatch()
      const outcomes = async () =>
        (await mailsOf(app)).map(({ status, error, attempt_count, next_attempt_at }) => [
          ...[status, error, attempt_count, next_attempt_at],
        ])
      await eventually('both are finished', async () => (await outcomes()).every(([status]) => status !== 'waiting'))
      assert.deepEqual((await outcomes()).toSorted(), [
        ['failed', 'address_unsupported', 1, null],
        ['sent', null, 1, null],
      ])
      assert.deepEqual(
        app.server.received.map(({ to }) => to),
        [['bob@example.com']],
      )
    })

    it('cannot be confirmed, so a user cannot choose one', async (t) => {
      const app = await startMailing(t, engine)
      await createPerson(app, { username: 'jo', email: 'jö@example.com' })
      const browser = await openBrowser(app, 'jo')
      const refused = await browser.call('POST', '/me/email-verification')
      assert.deepEqual([refused.status, refused.body.code], [409, 'email_missing'])
      for (const query of ['', '?dry_run=true']) {
        const changed = await browser.call('PATCH', `/me${query}`, {
          body: { email: 'zoë@example.com', current_password: password },
        })
        assert.equal(changed.status, 422, changed.text)
        assert.deepEqual(
          changed.body.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
          [['#/email', 'email_invalid']],
        )
      }
      const test = await app.call('POST', '/mails/test', { body: { address: 'zoë@example.com' } })
      assert.equal(test.status, 422)
      assert.deepEqual(await mailsOf(app), [])
      const { body: me } = await browser.call('GET', '/me')
      assert.deepEqual([me.email, me.pending_email], ['jö@example.com', undefined])
    })
  })
}
