/** Connections to the identity providers of companies: OpenID Connect, SAML, LDAP. */

import pino from 'pino'
import { createProviderCalls } from '../../src/access/providers/connections/provider-calls.ts'
import { createProtocols } from '../../src/access/sign-in/company-sign-in/protocols.ts'
import { createProviders } from '../../src/access/sign-in/company-sign-in/providers.ts'
import { createSyncCounts } from '../../src/access/sign-in/directory-sync/metrics.ts'
import { createDirectorySync } from '../../src/access/sign-in/directory-sync/service.ts'
import { rulesOf } from '../../src/core/rules.ts'
import {
  ada,
  come,
  companyDomains,
  signIn as companySignIn,
  connect,
  type Jar,
  startSignIn,
  storeCookies,
} from '../company.ts'
import { clientId, startIdentityProvider } from '../identity-provider.ts'
import { entry, result, startLyingDirectory } from '../lying-directory.ts'
import { password } from '../people.ts'
import { isAny, type Script, until } from './script.ts'

export async function companies(script: Script): Promise<void> {
  const { app, admin, visitor, clock, signIn } = script
  const idp = await startIdentityProvider(script.t)
  const seconds = () => Math.floor(clock() / 1000)
  const says = (claims: Record<string, unknown>) => {
    idp.lies = { claims: { iat: seconds(), exp: seconds() + 300, auth_time: seconds(), ...claims } }
  }
  const connection = await connect(app, idp, { ...companyDomains, sign_out_there: true })
  const { connection_id } = connection
  const path = `/connections/${connection_id}`
  await admin(
    'POST /connections',
    { kind: 'oidc', name: 'EXAMPLE', issuer: idp.issuer, client_id: clientId },
    { refused: 409 },
  )
  await admin('GET /connections')
  await admin(`GET ${path}`)
  await admin(`PATCH ${path}`, { position: 3 })
  await admin(`POST ${path}/test`, { claims: { sub: 'someone', ...ada } })

  says({ ...ada, email: 'walter@example.com', sid: 'session-1' })
  await visitor('GET /login', undefined, { headers: { accept: 'text/html' } })
  const jar: Jar = new Map()
  await companySignIn(app, idp, connection, jar)
  says({ ...ada, email: 'walter@elsewhere.example', sub: 'stranger' })
  await companySignIn(app, idp, connection)
  says({ ...ada, aud: 'another' })
  await companySignIn(app, idp, connection)
  await admin(`GET ${path}/failures`)
  await admin('GET /users?email=walter@example.com')
  says({ ...ada, email: 'walter.married@example.com' })
  await companySignIn(app, idp, connection)

  const logout = async (more: Record<string, unknown>) =>
    idp.signAs('logout+jwt', {
      iss: idp.issuer,
      aud: clientId,
      iat: seconds(),
      exp: seconds() + 60,
      jti: `logout-${seconds()}`,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      ...more,
    })
  const logout_token = await logout({ sid: 'session-1' })
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  await visitor(`POST ${path}/backchannel-logout`, `logout_token=${logout_token}`, form)
  await visitor(`POST ${path}/backchannel-logout`, `logout_token=${logout_token}`, { ...form, refused: 400 })
  const revocation = await idp.signAs('global-token-revocation+jwt', {
    iss: idp.issuer,
    aud: `${connection.redirect_uri.replace(/callback$/, '')}global-token-revocation`,
    iat: seconds(),
    exp: seconds() + 60,
    jti: 'revocation',
  })
  const bearer = { headers: { authorization: `Bearer ${revocation}` } }
  await visitor(`POST ${path}/global-token-revocation`, { sub_id: { format: 'opaque', id: 'subject-1' } }, bearer)

  const root = await signIn('root')
  const testing: Jar = new Map(root.cookie.split('; ').map((pair) => pair.split('=', 2) as [string, string]))
  const url = await startSignIn(app, connection, testing, '&test')
  says(ada)
  idp.expect(url)
  await come(app, connection, testing, { state: url.searchParams.get('state'), iss: idp.issuer })

  const linked = await admin('POST /users', { username: 'linked' })
  await admin(`POST /users/${linked.user_id}/identities`, { connection_id, subject: 'of an administrator' })
  const { user_id } = await admin('POST /users', { username: 'linking', password })
  const link = async () => {
    const linking = await signIn('linking')
    const response = await linking.call('POST', '/me/identities', { body: { connection_id } })
    const there = new URL(response.body.authorization_url)
    const here: Jar = new Map(linking.cookie.split('; ').map((pair) => pair.split('=', 2) as [string, string]))
    storeCookies(here, response)
    says({ ...ada, sub: 'linked' })
    idp.expect(there)
    await come(app, connection, here, { state: there.searchParams.get('state'), iss: idp.issuer })
    const [{ identity_id }] = await linking.caller('GET /me/identities')
    return { ...linking, identity_id }
  }
  const first = await link()
  await first.caller(`DELETE /me/identities/${first.identity_id}`)
  await (await link()).caller('DELETE /me/identities')
  const { identity_id } = await link()
  await admin(`GET /users/${user_id}/identities`)
  await admin(`DELETE /users/${user_id}/identities/${identity_id}`)
  await link()
  await admin(`DELETE /users/${user_id}/identities`)

  const saml = await admin('POST /connections', { kind: 'saml', name: 'SAML', active: false })
  await visitor(`GET /connections/${saml.connection_id}/metadata`)
  await admin(`DELETE /connections/${saml.connection_id}`)
  await admin(`PATCH ${path}`, { trusted_domains: [] })
  await admin(`PATCH ${path}`, { domains: ['example.com'], passwords: 'refused_for_domains' })
  await admin(`DELETE ${path}?dry_run=true`)
  await admin(`DELETE ${path}`)
  await connect(app, idp, { name: 'Staying' })
}

const base = 'dc=example,dc=com'

export async function directories(script: Script): Promise<void> {
  const { app, admin, visitor, clock } = script
  let people = ['uma']
  let isBroken = false
  let mayAnswer = Promise.resolve()
  const directory = await startLyingDirectory(script.t, (message, socket) => {
    if (message.kind === 'bind') return result(message.id, 'bind', isBroken ? 51 : 0)
    if (message.kind !== 'search') return undefined
    const found = people.map((uid) =>
      entry(message.id, `uid=${uid},${base}`, {
        entryUUID: [`${uid}-uuid`],
        uid: [uid],
        cn: [uid],
        sn: ['Lovelace'],
        mail: [`${uid}@example.com`],
      }),
    )
    const response = isBroken ? [result(message.id, 'search', 51)] : [...found, result(message.id, 'search')]
    void mayAnswer.then(() => socket.write(Buffer.concat(response)))
    return undefined
  })
  const { connection_id } = await admin('POST /connections', {
    kind: 'ldap',
    name: 'Directory',
    servers: [directory.url],
    user_base: base,
    group_source: 'none',
    emails_verified: true,
    sync_hours: 24,
    ...companyDomains,
  })
  const sync = async (query = '') => {
    const { promise, resolve } = Promise.withResolvers<void>()
    mayAnswer = promise
    const { job_id } = await admin(`POST /connections/${connection_id}/sync${query}`)
    resolve()
    const running = `imports WHERE state = 'running' AND job_id = '${job_id}'`
    await until('the synchronization ends', async () => !(await isAny(app, running)))
    await admin(`GET /imports/${job_id}`)
  }
  await sync('?dry_run=true')
  await sync()
  people = ['uma', 'vera']
  await sync()
  people = ['uma']
  await sync()
  await visitor('POST /sessions', { connection_id, username: 'uma', password })
  isBroken = true
  await visitor('POST /sessions', { connection_id, username: 'uma', password }, { refused: 503 })
  const protocols = createProtocols({
    config: app.config,
    clock,
    calls: createProviderCalls(app.outages),
  })
  const providers = createProviders({ storage: app.storage, protocols })
  const node = createDirectorySync({
    storage: app.storage,
    providers,
    rules: rulesOf(app.config),
    clock,
    log: pino({ enabled: false }),
    counts: createSyncCounts(),
  })
  await node.tend(clock())
  await until('the failure is stored', () => isAny(app, "sign_in_failures WHERE detail LIKE 'Synchronization:%'"))
  await node.close()
  await protocols.close()
  await admin(`GET /connections/${connection_id}/failures`)
}
