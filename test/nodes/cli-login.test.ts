import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  approvedLoopback,
  backFrom,
  deviceGrant,
  exchange,
  loopback,
  pathOf,
  redirectUri,
  requestLogin,
  submit,
  verifier,
} from '../cli-login.ts'
import { createPerson, openBrowser } from '../people.ts'
import { skip, twoNodes, waitUntil } from './nodes.ts'

describe('the sign-in of a command line at several nodes', { skip }, () => {
  it('begins at one, is approved at the other, and yields one key wherever it is exchanged', async (t) => {
    const [one, two] = await twoNodes(t, { ROLLBOOK_ROLES: '{"support": ["users:read"]}', ROLLBOOK_RATE_LIMIT: '0' })
    await createPerson(one, { username: 'ada', role: 'support' })
    const browser = await openBrowser(two, 'ada')
    const statusWith = async (key: string) => (await two.call('GET', '/users', { key })).status

    const { body } = await requestLogin(one)
    const back = backFrom(await submit(browser, pathOf(body.login_uri), { decision: 'approve' }))
    assert.equal(back.searchParams.get('state'), loopback.state)
    const code = back.searchParams.get('code')
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const first = await exchange(one, grant)
    assert.deepEqual([first.status, await statusWith(first.body.access_token)], [200, 200], first.text)
    assert.deepEqual([(await exchange(two, grant)).status, await statusWith(first.body.access_token)], [400, 401])

    const device = (await requestLogin(one, { name: 'server' })).body
    const approval = { user_code: device.user_code, decision: 'approve' }
    assert.equal((await submit(browser, '/cli-login', approval)).status, 200)
    const polled = await exchange(one, { grant_type: deviceGrant, device_code: device.device_code })
    assert.deepEqual([polled.status, await statusWith(polled.body.access_token)], [200, 200], polled.text)

    // At both at once: one of them has it, and then it was used twice, which revokes the key.
    const raced = await approvedLoopback(one, browser)
    const [a, b] = await Promise.all([exchange(one, raced), exchange(two, raced)])
    assert.deepEqual([a.status, b.status].sort(), [200, 400], `${a.text} ${b.text}`)
    const { access_token } = (a.status === 200 ? a : b).body
    await waitUntil('the key is refused', 1000, async () => (await statusWith(access_token)) === 401)
  })
})
