/** The receiver in examples/, which is the one that docs/webhooks.md tells people to start from. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { createLog } from '../../src/app/log.ts'
import { startDispatcher } from '../../src/record/webhooks/dispatch.ts'
import { makeSecret } from '../../src/record/webhooks/secrets.ts'
import { createUser, engines, start } from '../harness.ts'

const file = join(import.meta.dirname, '../../examples/webhook-receiver.ts')
const { secret } = makeSecret('', undefined)

type Receiver = {
  url: string
  /** What it has printed, one line for each event. */
  lines: string[]
}

async function startReceiver(t: TestContext, webhookSecret: string, port = '0'): Promise<Receiver> {
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: webhookSecret, PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    if (child.kill()) await once(child, 'exit')
  })
  const lines: string[] = []
  const output = createInterface({ input: child.stdout })
  const [first] = await once(output, 'line')
  output.on('line', (line) => lines.push(line))
  const url = /^listening on (http:\S+)$/.exec(first)?.[1]
  assert.ok(url, first)
  return { url, lines }
}

type Sent = { id?: string; at?: Date; signedBody?: string; body?: string; by?: string }

async function send({ url }: Receiver, { id = 'a', at = new Date(), ...message }: Sent = {}): Promise<number> {
  const { body = '{"type":"user.created","subject":"ada","data":{}}', signedBody = body, by = secret } = message
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, at, signedBody),
  }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; i < 600 && !what(); i++) await sleep(50)
  assert.ok(what(), 'It did not come to that within thirty seconds.')
}

describe('the example receiver', () => {
  it('accepts what was signed with its secret, and a repeated event once', async (t) => {
    const receiver = await startReceiver(t, secret)
    assert.deepEqual([await send(receiver), await send(receiver), await send(receiver, { id: 'b' })], [204, 204, 204])
    await until(() => receiver.lines.length >= 2)
    assert.deepEqual(receiver.lines, ['user.created ada {}', 'user.created ada {}'])
  })

  it('refuses what another sender signed, what was changed, what is old, and what is too long', async (t) => {
    const receiver = await startReceiver(t, secret)
    const tenMinutesMs = 600_000
    assert.equal(await send(receiver, { by: makeSecret('', undefined).secret }), 401)
    assert.equal(await send(receiver, { signedBody: '{"type":"user.created","subject":"bob","data":{}}' }), 401)
    assert.equal(await send(receiver, { at: new Date(Date.now() - tenMinutesMs) }), 401)
    assert.equal((await fetch(receiver.url, { method: 'POST', body: '{}' })).status, 401)
    assert.equal((await fetch(receiver.url)).status, 401)
    // What it stops reading may not hear the answer.
    assert.equal(await send(receiver, { body: ' '.repeat(1_100_000) }).catch(() => 401), 401)
    assert.equal(await send(receiver), 204)
    await until(() => receiver.lines.length > 0)
    assert.equal(receiver.lines.length, 1)
  })
})

for (const engine of engines) {
  describe(`webhooks from the API to a receiver, on ${engine.name}`, () => {
    it('report each change as soon as the receiver accepts them, even if it still has the previous secret', async (t) => {
      const env = { ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ROLLBOOK_WEBHOOK_ALLOW_HTTP: 'true' }
      const app = await start(t, engine, { env })
      const source = () => 'http://127.0.0.1/auth'
      const { config, storage, outages } = app
      const dispatcher = startDispatcher({ config, storage, source, log: createLog('silent'), outages, everyMs: 200 })
      t.after(() => dispatcher.stop())
      const wrong = await startReceiver(t, secret)
      const creation = await app.call('POST', '/webhooks', { body: { url: wrong.url, event_types: ['user.*'] } })
      assert.equal(creation.status, 201, creation.text)
      const endpoint = `/webhooks/${creation.body.endpoint_id}`
      const ada = await createUser(app, { username: 'ada' })
      const attempts = async () => {
        const [newest] = (await app.call('GET', `${endpoint}/deliveries`)).body
        return newest?.attempt_count ?? 0
      }
      for (let i = 0; i < 600 && (await attempts()) === 0; i++) await sleep(50)
      const [failed] = (await app.call('GET', `${endpoint}/deliveries`)).body
      const { body: log } = await app.call('GET', `${endpoint}/deliveries/${failed.delivery_id}`)
      const statuses = new Set(log.attempts.map(({ response_status }: { response_status: number }) => response_status))
      assert.deepEqual([log.status, log.type, ...statuses], ['due', 'user.created', 401])

      await app.call('POST', `${endpoint}/rotate-secret`)
      const receiver = await startReceiver(t, creation.body.secret)
      assert.equal((await app.call('PATCH', endpoint, { body: { url: receiver.url } })).status, 200)
      await until(() => receiver.lines.length === 1)
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { first_name: 'Ada' } })
      await app.call('POST', `${endpoint}/test`)
      await until(() => receiver.lines.length === 3)
      const [created, ...rest] = receiver.lines.map((line) => line.split(' ').slice(0, 2).join(' '))
      assert.equal(created, `user.created ${ada.user_id}`)
      assert.deepEqual(rest.toSorted(), [`user.updated ${ada.user_id}`, `webhook.test ${creation.body.endpoint_id}`])

      const triesOf = async () =>
        (await app.call('GET', `${endpoint}/deliveries/${failed.delivery_id}`)).body.attempts.length as number
      const before = await triesOf()
      const again = await app.call('POST', `${endpoint}/deliveries/${failed.delivery_id}/redeliver`)
      assert.equal(again.status, 202, again.text)
      for (let i = 0; i < 600 && (await triesOf()) === before; i++) await sleep(50)
      assert.ok((await triesOf()) > before)
      assert.equal(receiver.lines.length, 3, 'what comes twice has no second effect')
    })
  })
}
