// It belongs to test:rest: it waits for a dozen servers. src/core/outages.test.ts has the rule itself.
/** Every outside system that fails is reported once, and once when it works again, whatever it is called for. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { metrics as syncMetrics } from '../src/access/sign-in/directory-sync/metrics.ts'
import { createLog } from '../src/app/log.ts'
import { startMailDispatcher } from '../src/record/mails/sending/dispatch.ts'
import { loadTemplates } from '../src/record/mails/templates/templates.ts'
import { type Dispatcher, startDispatcher } from '../src/record/webhooks/dispatch.ts'
import { come, companyDomains, env as companyEnv, connect, type Jar, signIn, startSignIn } from './company.ts'
import { adminKey, type Started, start } from './harness.ts'
import { serveHttp } from './http-server.ts'
import { startIdentityProvider } from './identity-provider.ts'
import { entry, type Lie, result, startLyingDirectory } from './lying-directory.ts'
import { type MailServer, startMailServer } from './mails/mail-server.ts'
import { mailEnv } from './mails/mailing.ts'
import { scrape } from './scrape.ts'
import { createEndpoint, eventually, inward, source } from './webhooks/dispatching.ts'
import { startReceiver } from './webhooks/receiver.ts'

type OutageLine = { level: string; system: string; part?: string; cause?: string; failures?: number; server?: string }

/** A system, or a part of one, that a test can break. */
type Outside = {
  system: string
  part?: string
  cause: RegExp
  toggle(isBroken: boolean): void
  /** Calls it, with whatever outcome. */
  call(): Promise<unknown>
  /** Called when it fails, and it is not the fault of the system. */
  ownFault?(): Promise<unknown>
}

const silent = createLog('silent')
const password = 'correct horse'
/** None of them may be in the log. */
const confidential = [
  'shared',
  'a-code',
  'ada@example.com',
  password,
  '/hooks',
  'an access token',
  'quoted text',
  'uid=',
]

function outageLines({ logLines }: Pick<Started, 'logLines'>): OutageLine[] {
  return logLines()
    .map((line) => JSON.parse(line))
    .filter(({ system }) => system !== undefined)
}

type World = { app: Started; clock: { ahead: number; read(): number }; running: Dispatcher[] }

function mailServer({ app, clock, running }: World, server: MailServer): Outside {
  const { storage, config, branding, outages, secrets } = app
  const templates = loadTemplates(config.mailTemplates, config.mailLocale)
  running.push(
    startMailDispatcher({
      ...{ storage, config, branding, outages, templates, log: silent },
      ...{ clock: clock.read, everyMs: 20, graceMs: 1000, codeSecret: secrets.device },
    }),
  )
  const queue = () => app.call('POST', '/mails/test', { body: { address: 'ada@example.com' } })
  return {
    system: 'mail_server',
    cause: /^connection_failed$/,
    toggle: (isBroken) => server.behave(() => (isBroken ? { code: 421, text: 'quoted text' } : undefined)),
    call: queue,
    async ownFault() {
      server.behave((stage) => (stage === 'rcpt' ? { code: 550, text: 'quoted text' } : undefined))
      await queue()
      await eventually('the refusal', async () => (await app.call('GET', '/mails')).body[0]?.error === 'rejected')
    },
  }
}

async function webhookReceiver({ app, clock, running }: World, t: TestContext): Promise<Outside> {
  const receiver = await startReceiver(t)
  await createEndpoint(app, { url: receiver.url })
  const { storage, config, outages } = app
  running.push(
    startDispatcher({ storage, config, outages, log: silent, source: () => source, clock: clock.read, everyMs: 20 }),
  )
  return {
    system: 'webhook_receiver',
    cause: /^status_503$/,
    toggle: (isBroken) => receiver.respondWith(() => (isBroken ? 503 : 204)),
    async call() {
      const { length } = receiver.received
      await app.call('POST', '/users', { body: { username: crypto.randomUUID() } })
      await eventually('a delivery', () => receiver.received.length > length)
    },
  }
}

/** The endpoint of a provider that fails, by its path. */
async function oidcProvider(
  { app, clock }: World,
  t: TestContext,
  {
    part,
    path,
    cause,
    status = 503,
    body = {},
  }: { part: string; path: string; cause: RegExp; status?: number; body?: object },
): Promise<Outside> {
  const idp = await startIdentityProvider(t)
  const connection = await connect(app, idp, { name: `${part} ${status}`, ...companyDomains, ...body })
  const claims = { email: `${crypto.randomUUID()}@example.com`, email_verified: true }
  const error = status === 401 ? 'invalid_client' : 'quoted text'
  const logout = `/connections/${connection.connection_id}/backchannel-logout`
  return {
    system: 'identity_provider',
    part,
    cause,
    toggle(isBroken) {
      const failing = { [path]: (_request: unknown, response: ServerResponse) => fail(response, status, error) }
      idp.lies = { claims, userinfo: { sub: 'subject-1' }, ...(isBroken && { handlers: failing }) }
    },
    async call() {
      // What could be read is not read again for an hour, and what could not, for half a minute.
      clock.ahead += part === 'discovery' ? 3_600_001 : 30_001
      const jar: Jar = new Map()
      if (part === 'keys') {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const iat = Math.floor(clock.read() / 1000)
        const token = await idp.signAs('logout+jwt', { iss: idp.issuer, aud: 'rollbook', iat, exp: iat + 60, jti: 'x' })
        await app.call('POST', logout, { key: null, headers, body: `logout_token=${token}` })
      } else if (part === 'discovery')
        await app.call('GET', `/login?connection=${connection.connection_id}`, { key: null })
      else await signIn(app, idp, connection, jar)
    },
    async ownFault() {
      const jar: Jar = new Map()
      idp.lies = { handlers: { '/token': (_request, response) => fail(response, 400, 'invalid_grant') } }
      await signIn(app, idp, connection, jar)
      const state = (await startSignIn(app, connection, jar)).searchParams.get('state')
      await come(app, connection, jar, { state, code: '', iss: idp.issuer })
    },
  }
}

function fail(response: ServerResponse, status: number, error: string): void {
  const body = status === 404 ? '<html>' : JSON.stringify({ error })
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

async function github({ app }: World, t: TestContext, part: 'token' | 'account'): Promise<Outside> {
  const idp = await startIdentityProvider(t)
  const { body: connection } = await app.call('POST', '/connections', {
    body: { kind: 'github', name: `GitHub ${part}`, github_url: idp.issuer, client_id: 'Iv1', client_secret: 'shared' },
  })
  const json = (value: unknown) => (_request: unknown, response: ServerResponse) => response.end(JSON.stringify(value))
  const works = {
    '/login/oauth/access_token': json({ access_token: 'gho_1' }),
    '/api/v3/user': json({ id: 7, login: 'ada' }),
    '/api/v3/user/emails': json([]),
  }
  // GitHub refuses a client with the status 200.
  const fails = {
    token: { '/login/oauth/access_token': json({ error: 'incorrect_client_credentials' }) },
    account: { '/api/v3/user': (_request: unknown, response: ServerResponse) => fail(response, 502, 'quoted text') },
  }[part]
  return {
    system: 'identity_provider',
    part,
    cause: part === 'token' ? /^incorrect_client_credentials$/ : /^provider_unreachable/,
    toggle(isBroken) {
      idp.lies = { handlers: { ...works, ...(isBroken && fails) } }
    },
    call: () => signIn(app, idp, connection),
    async ownFault() {
      idp.lies = { handlers: { ...works, '/login/oauth/access_token': json({ error: 'bad_verification_code' }) } }
      await signIn(app, idp, connection)
    },
  }
}

async function samlMetadata({ app }: World, t: TestContext): Promise<Outside> {
  const idp = await startIdentityProvider(t)
  const body = { kind: 'saml', name: 'SAML', metadata_url: `${idp.issuer}/metadata` }
  return {
    system: 'identity_provider',
    part: 'metadata',
    cause: /^status_503$/,
    toggle(isBroken) {
      const respond = (_request: unknown, response: ServerResponse) =>
        fail(response, isBroken ? 503 : 404, 'quoted text')
      idp.lies = { handlers: { '/metadata': respond } }
    },
    call: () => app.call('POST', '/connections', { body }),
  }
}

const base = 'dc=example,dc=com'

async function directory({ app }: World, t: TestContext, part: 'sign_in' | 'listing'): Promise<Outside> {
  let [bindCode, searchCode] = [0, 0]
  const lie: Lie = (message) => {
    if (message.kind === 'bind') return result(message.id, 'bind', message.password === '' ? 0 : bindCode)
    if (message.kind !== 'search') return undefined
    if (searchCode > 0) return result(message.id, 'search', searchCode)
    const account = { entryUUID: ['uuid'], uid: ['ada'], cn: ['Ada'], sn: ['Lovelace'], mail: ['ada@example.com'] }
    return [entry(message.id, `uid=ada,${base}`, account), result(message.id, 'search')]
  }
  const server = await startLyingDirectory(t, lie)
  const { body: connection } = await app.call('POST', '/connections', {
    body: {
      ...{ kind: 'ldap', name: `Directory ${part}`, servers: [server.url], user_base: base, group_source: 'none' },
      ...(part === 'listing' && { sync_hours: 24 }),
      ...{ emails_verified: true, ...companyDomains },
    },
  })
  const { connection_id } = connection
  const enter = () => app.call('POST', '/sessions', { key: null, body: { connection_id, username: 'ada', password } })
  return {
    system: 'identity_provider',
    part,
    cause: part === 'sign_in' ? /result_51$/ : /result_11$/,
    toggle(isBroken) {
      bindCode = 0
      if (part === 'sign_in') bindCode = isBroken ? 51 : 0
      else searchCode = isBroken ? 11 : 0
    },
    async call() {
      if (part === 'sign_in') return void (await enter())
      const { body: job } = await app.call('POST', `/connections/${connection_id}/sync`)
      await eventually('the end of the synchronization', async () => {
        return (await app.call('GET', `/imports/${job.job_id}`)).body.state !== 'running'
      })
    },
    async ownFault() {
      bindCode = 49
      await enter()
    },
  }
}

type Product = { origin: string; respond(next: (response: ServerResponse) => void): void }

async function startProduct(t: TestContext): Promise<Product> {
  let respond = (response: ServerResponse): void => void response.end()
  const { origin } = await serveHttp(t, (_request, response) => respond(response))
  return {
    origin,
    respond(next) {
      respond = next
    },
  }
}

function behindGateway(address: string, product: Product): Outside {
  const call = () => fetch(`${address}/orders`, { headers: { 'x-api-key': adminKey } })
  return {
    system: 'product',
    cause: /^ECONNRESET$/,
    toggle: (isBroken) =>
      product.respond((response) => (isBroken ? response.socket?.resetAndDestroy() : void response.end())),
    call,
    async ownFault() {
      // It works, and says that it does not.
      product.respond((response) => void response.writeHead(503).end())
      await call()
    },
  }
}

describe('an outside system', () => {
  it('that fails is one warning with the cause, one line when it works again, and a metric', async (t) => {
    const running: Dispatcher[] = []
    // Registered first, and so done first: afterwards the storage is closed.
    t.after(() => Promise.all(running.map((one) => one.stop())))
    const [product, server] = [await startProduct(t), await startMailServer(t)]
    const outside = { ROLLBOOK_UPSTREAM: product.origin, ROLLBOOK_SMTP_URL: server.url }
    const clock = { ahead: 0, read: () => Date.now() + clock.ahead }
    const env = { ...mailEnv, ...inward, ...companyEnv, ...outside }
    const app = await start(t, { name: 'SQLite' }, { env, clock: clock.read })
    const world = { app, clock, running }
    const { origin } = new URL(await app.listen())
    const oidc = (part: string, path: string, more: object = {}) =>
      oidcProvider(world, t, {
        part,
        path,
        cause: /^(provider_unreachable|OAUTH_\w+|Error).*status_503$|^status_503$/,
        ...more,
      })
    const systems = [
      mailServer(world, server),
      await webhookReceiver(world, t),
      behindGateway(origin, product),
      await oidc('discovery', '/.well-known/openid-configuration'),
      await oidc('token', '/token'),
      await oidc('token', '/token', { status: 401, cause: /status_401$/ }),
      // The endpoint has moved.
      await oidc('token', '/token', { status: 404, cause: /status_404$/ }),
      await oidc('userinfo', '/userinfo', { body: { read_userinfo: 'always' } }),
      await oidc('keys', '/jwks'),
      await github(world, t, 'token'),
      await github(world, t, 'account'),
      await samlMetadata(world, t),
      await directory(world, t, 'sign_in'),
      await directory(world, t, 'listing'),
    ]
    for (const one of systems) {
      const name = `${one.system} ${one.part ?? ''} ${one.cause}`
      const from = outageLines(app).length
      const lines = () => outageLines(app).slice(from)
      await one.ownFault?.()
      assert.deepEqual(lines(), [], `${name}: not its fault`)
      one.toggle(true)
      for (let i = 0; i < 3; i++) await one.call()
      await eventually(`${name}: a warning`, () => lines().length > 0, 3000)
      const failing = (await scrape(app)).value('rollbook_outages', { system: one.system })
      assert.equal(failing, one.part === 'metadata' ? 0 : 1, name)
      one.toggle(false)
      // Until then, what has failed is left alone.
      clock.ahead += 600_000
      await one.call()
      await eventually(`${name}: the end`, () => lines().length > 1, 3000)
      await one.call()
      const [warning, end, ...more] = lines()
      assert.deepEqual(more, [], name)
      assert.deepEqual([warning?.level, warning?.system, warning?.part], ['warn', one.system, one.part], name)
      assert.match(String(warning?.cause), one.cause, name)
      assert.deepEqual([end?.level, end?.system, end?.part], ['info', one.system, one.part], name)
      assert.ok(Number(end?.failures) >= 1, name)
      assert.equal((await scrape(app)).value('rollbook_outages', { system: one.system }), 0, name)
    }
    const text = JSON.stringify(outageLines(app))
    for (const word of confidential) assert.ok(!text.includes(word), word)
    const found = await scrape(app)
    const requests = (kind: string, outcome: string) =>
      Number(found.value('rollbook_provider_requests_total', { kind, outcome }))
    for (const kind of ['oidc', 'github', 'saml', 'ldap']) {
      for (const outcome of ['succeeded', 'failed']) assert.ok(requests(kind, outcome) > 0, `${kind} ${outcome}`)
    }
    assert.ok(requests('oidc', 'refused') > 0 && requests('ldap', 'refused') > 0)
    assert.equal(found.value('rollbook_directory_syncs_total', { outcome: 'failed' }), 3)
    assert.equal(found.value('rollbook_directory_syncs_total', { outcome: 'succeeded' }), 2)
    const synced = (hours: number) => syncMetrics.read(app.storage.db, clock.read() + hours * 3_600_000)
    const { oldestMs } = (await synced(0)) as { oldestMs: number }
    assert.ok(Math.abs(oldestMs - clock.read()) < 60_000)
    assert.deepEqual(
      [await synced(47), await synced(49)],
      [
        { oldestMs, overdue: 0 },
        { oldestMs, overdue: 1 },
      ],
    )
  })
})
