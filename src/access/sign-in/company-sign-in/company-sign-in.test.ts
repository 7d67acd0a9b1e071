import assert from 'node:assert/strict'
import { createHmac, createPublicKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { Authenticator } from '../../../../test/authenticator.ts'
import {
  ada,
  type Back,
  type Body,
  browser,
  come,
  company,
  companyDomains,
  connect,
  env,
  failures,
  get,
  type Jar,
  me,
  password,
  signIn,
  startSignIn,
  storeCookies,
  verify,
} from '../../../../test/company.ts'
import { codeOf } from '../../../../test/factors.ts'
import { type Answer, createUser, engines, onlyPostgres, type Started, start } from '../../../../test/harness.ts'
import { serveHttp } from '../../../../test/http-server.ts'
import { clientId, type Lies, startIdentityProvider } from '../../../../test/identity-provider.ts'
import { actAs } from '../../../../test/impersonation.ts'
import { mailEnv, mailsOf } from '../../../../test/mails/mailing.ts'
import { assertWithin } from '../../../../test/time-limit.ts'
import { system } from '../../../core/actor.ts'
import { browserHash } from '../../credentials/challenges/service.ts'

for (const engine of engines) {
  describe(`sign-in connections on ${engine.name}`, () => {
    it('are created, listed, changed and deleted, and never return their secret', async (t) => {
      const app = await start(t, engine, { env: { ...env, ROLLBOOK_KEY_ENCRYPTION_SECRET: 'k'.repeat(43) } })
      const body = {
        kind: 'oidc',
        preset: 'google',
        name: 'Google',
        client_id: 'c',
        client_secret: 'very-secret-indeed',
      }
      const creation = await app.call('POST', '/connections', { body })
      assert.equal(creation.status, 201, creation.text)
      const { connection_id, issuer, has_client_secret, redirect_uri } = creation.body
      assert.deepEqual([issuer, has_client_secret], ['https://accounts.google.com', true])
      assert.ok(redirect_uri.endsWith(`/auth/connections/${connection_id}/callback`))
      const path = `/connections/${connection_id}`
      assert.equal(creation.headers.location, `/auth${path}`)
      const stale = { body: { position: 3 }, headers: { 'if-match': '"9"' } }
      assert.equal((await app.call('PATCH', path, stale)).status, 412)
      const changed = await app.call('PATCH', path, { body: { position: 3, client_secret: null } })
      assert.deepEqual([changed.body.position, changed.body.has_client_secret], [3, false])
      await app.call('PATCH', path, { body: { client_secret: 'very-secret-indeed' } })
      assert.equal((await app.call('GET', '/connections')).body.length, 1)
      const everything = (await app.call('GET', '/connections')).text + (await app.call('GET', '/audit')).text
      assert.doesNotMatch(everything, /very-secret-indeed/)
      assert.equal((await app.stored()).includes('very-secret-indeed'), false)
      const again = await app.call('POST', '/connections', { body: { ...body, name: ' GOOGLE ' } })
      assert.deepEqual([again.status, again.body.code], [409, 'connection_name_taken'])
      assert.equal((await app.call('DELETE', `${path}?dry_run=true`)).body.deleted, false)
      assert.equal((await app.call('DELETE', path)).body.deleted, true)
      assert.equal((await app.call('GET', path)).body.code, 'connection_not_found')
    })

    it('tell administrators by email of every change of one through which users sign in', async (t) => {
      const app = await start(t, engine, { env: { ...env, ...mailEnv } })
      for (const [username, role] of [
        ['root', 'admin'],
        ['second', 'admin'],
        ['user', 'user'],
      ] as const) {
        await createUser(app, { username, role, email: `${username}@example.com` })
      }
      const notified = async () =>
        (await mailsOf(app, '&kind=connection_changed')).map(({ address }) => address).toSorted()
      const both = ['root@example.com', 'second@example.com']
      const draft = { kind: 'oidc', name: 'Example', issuer: 'https://id.example.com', client_id: 'c', active: false }
      const path = `/connections/${(await app.call('POST', '/connections', { body: draft })).body.connection_id}`
      await app.call('PATCH', path, { body: { trusted_domains: ['example.com'] } })
      assert.deepEqual(await notified(), [], 'no user signs in through a draft')
      await app.call('PATCH', `${path}?dry_run=true`, { body: { active: true } })
      assert.deepEqual(await notified(), [])
      await app.call('PATCH', path, { body: { active: true } })
      assert.deepEqual(await notified(), both)
      await app.call('PATCH', path, { body: { active: true } })
      assert.deepEqual(await notified(), both, 'nothing was changed')
      await app.call('PATCH', path, { body: { issuer: 'https://evil.example' } })
      await app.call('DELETE', path)
      assert.equal((await notified()).length, 6)
      const { body: busy } = await app.call('POST', '/connections', { body: { ...draft, active: true } })
      for (let n = 0; n < 6; n++) {
        await app.call('PATCH', `/connections/${busy.connection_id}`, { body: { name: `Example ${n}` } })
      }
      assert.equal((await notified()).length, 6, 'beyond three an hour, one message for each states them all')
      assert.deepEqual((await mailsOf(app, '&kind=notices')).map(({ address }) => address).toSorted(), both)
    })

    it('are used neither to confirm nor to sign in while an administrator acts as the user', async (t) => {
      const app = await start(t, engine, { env })
      const idp = await startIdentityProvider(t)
      const connection = await connect(app, idp)
      const { acting, ada: user } = await actAs(app, { username: 'lovelace' })
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar)
      idp.expect(url)
      for (const pair of acting.cookie.split('; ')) jar.set(...(pair.split('=') as [string, string]))
      const before = new Map(jar)
      const back = await come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.equal(back.status, 403)
      for (const more of ['&confirm', '&again&confirm', '&test']) {
        assert.equal((await get(app, `/login?connection=${connection.connection_id}${more}`, jar)).status, 403, more)
      }
      assert.deepEqual([jar, (await me(app, jar)).body.user_id], [before, user.user_id])
    })

    it('may lack what the provider gives while they are inactive, and are activated only with it', async (t) => {
      const app = await start(t, engine, { env })
      const draft = await app.call('POST', '/connections', { body: { kind: 'oidc', name: 'Draft', active: false } })
      assert.equal(draft.status, 201, draft.text)
      const path = `/connections/${draft.body.connection_id}`
      assert.deepEqual([draft.body.issuer, draft.body.redirect_uri.endsWith(`${path}/callback`)], [undefined, true])
      const refused = await app.call('PATCH', path, { body: { active: true, client_id: 'c' } })
      assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '#/issuer'])
      const page = await app.call('GET', `/login?connection=${draft.body.connection_id}`, {
        key: null,
        headers: browser,
      })
      assert.equal(page.status, 404)
      const body = { active: true, client_id: 'c', issuer: 'https://id.example.com' }
      assert.equal((await app.call('PATCH', path, { body })).status, 200)
      // A directory needs no address of ours, so it has no drafts.
      const directory = await app.call('POST', '/connections', { body: { kind: 'ldap', name: 'D', active: false } })
      assert.equal(directory.body.errors[0].code, 'missing_member')
    })

    it('refuse what cannot be right, and callers who may not grant every role', async (t) => {
      const app = await start(t, engine, { env })
      const wrong: [string, Body, string][] = [
        ['issuer', { issuer: 'http://id.example.com' }, 'url_scheme'],
        ['issuer', { issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer_of_everyone'],
        ['issuer', { issuer: 'https://id.example.com/.well-known/openid-configuration' }, 'issuer_invalid'],
        ['issuer', {}, 'missing_member'],
        ['default_role', { issuer: 'https://id.example.com', default_role: 'admin' }, 'role_administers'],
        ['roles', { issuer: 'https://id.example.com', role_claim: 'g', roles: { a: 'nothing' } }, 'role_unknown'],
        ['trusted_domains', { issuer: 'https://id.example.com', trusted_domains: ['a b'] }, 'domain_invalid'],
      ]
      for (const [member, more, code] of wrong) {
        const refused = await app.call('POST', '/connections', {
          body: { kind: 'oidc', name: 'x', client_id: 'c', ...more },
        })
        assert.equal(refused.status, 422, refused.text)
        assert.ok(refused.body.errors[0].pointer.startsWith(`#/${member}`), refused.text)
        assert.equal(refused.body.errors[0].code, code)
      }
      const twice = {
        name: 'y',
        issuer: 'https://id.example.com',
        client_id: 'c',
        domains: ['EXAMPLE.com', 'example.com'],
      }
      const creation = await app.call('POST', '/connections', { body: { kind: 'oidc', client_secret: 's', ...twice } })
      assert.deepEqual(creation.body.domains, ['example.com'], creation.text)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'k', permissions: ['connections:write'] } }))
        .body
      const body = { kind: 'oidc', name: 'mine', issuer: 'https://id.example.com', client_id: 'c' }
      const refused = await app.call('POST', '/connections', { key, body })
      assert.deepEqual([refused.status, refused.body.code], [403, 'role_not_grantable'])
    })
  })

  describe(`a sign-in through a connection on ${engine.name}`, () => {
    it('creates a user of a listed domain, then finds them by subject alone', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const page = await app.call('GET', '/login', { key: null, headers: browser })
      assert.match(
        page.text,
        new RegExp(`href="login\\?connection=${connection.connection_id}">Continue with Example<`),
      )
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar, '&return_to=%2Freports')
      assert.equal(url.searchParams.get('redirect_uri'), connection.redirect_uri)
      assert.deepEqual(
        [url.searchParams.get('response_type'), url.searchParams.get('code_challenge_method')],
        ['code', 'S256'],
      )
      idp.expect(url)
      const back = await come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.deepEqual([back.status, back.headers.location], [303, '/reports'])
      const person = (await me(app, jar)).body
      assert.deepEqual(
        [person.username, person.email, person.first_name, person.role],
        ['ada@example.com', 'ada@example.com', 'Ada', 'user'],
      )
      const user = (await app.call('GET', `/users/${person.user_id}`)).body
      assert.deepEqual([user.email_verified, user.has_password], [true, false])

      idp.lies = { claims: { email: 'elsewhere@other.example', email_verified: false } }
      const again: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, again)).status, 303)
      assert.equal((await me(app, again)).body.user_id, person.user_id)
      const [identity] = (await app.call('GET', `/users/${person.user_id}/identities`)).body
      assert.deepEqual([identity.subject, identity.linked_by], ['subject-1', 'creation'])
      const records = (await app.call('GET', '/audit?limit=200')).body as { action: string; details?: Body }[]
      const created = records.find(({ action }) => action === 'user.created')
      assert.equal(created?.details?.connection_id, connection.connection_id)
      // Discovery and keys are read once, and each sign-in asks for one token.
      assert.deepEqual(
        ['/.well-known/openid-configuration', '/jwks', '/token', '/userinfo'].map(
          (path) => idp.requestedPaths.filter((one) => one === path).length,
        ),
        [1, 1, 2, 0],
      )
    })

    it('begins with the name where domains say who goes where, and says the same of every name', async (t) => {
      const body = { ...companyDomains, domains: ['Example.com', 'bücher.example'] }
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada }, body })
      await createUser(app, { username: 'local', email: 'local@elsewhere.example', password })
      const first = await app.call('GET', '/login', { key: null, headers: browser })
      assert.doesNotMatch(first.text, /name="password"/)
      const enter = (username: string) =>
        app.call('POST', '/login', {
          key: null,
          headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ username, return_to: '/reports' }).toString(),
        })
      for (const name of ['nobody@example.com', 'ADA@EXAMPLE.COM', 'x@xn--bcher-kva.example', 'y@bücher.example']) {
        const sent = await enter(name)
        assert.equal(sent.status, 200, sent.text)
        const [, href = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(sent.text) ?? []
        const query = new URLSearchParams(href.replaceAll('&amp;', '&').split('?')[1])
        assert.deepEqual([query.get('connection'), query.get('login_hint')], [connection.connection_id, name])
        assert.equal(query.get('return_to'), '/reports')
        const jar: Jar = new Map()
        const url = await startSignIn(app, connection, jar, `&login_hint=${encodeURIComponent(name)}`)
        assert.equal(url.searchParams.get('login_hint'), name)
      }
      const pages = new Set<string>()
      for (const name of ['local', 'unknown', 'local@elsewhere.example', 'a@sub.example.com', 'a@ample.com']) {
        const challenged = await enter(name)
        assert.equal(challenged.status, 200, challenged.text)
        pages.add(challenged.text.replace(`value="${name}"`, 'value'))
        assert.match(challenged.text, /name="password"/)
      }
      assert.equal(pages.size, 1)
      const taken = await app.call('POST', '/connections', {
        body: { kind: 'oidc', name: 'B', issuer: 'https://b.example', client_id: 'b', domains: ['EXAMPLE.com'] },
      })
      assert.equal(taken.body.errors?.[0].code, 'domain_taken', taken.text)

      // What was used last comes first in this browser.
      const other = await connect(app, idp, { name: 'Aardvark', ...companyDomains })
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      for (const name of [...jar.keys()]) if (name === 'rollbook') jar.delete(name)
      const again = (await get(app, '/login', jar)).text
      assert.ok(again.indexOf(connection.connection_id) < again.indexOf(other.connection_id), again)
      const fresh = (await get(app, '/login', new Map())).text
      assert.ok(fresh.indexOf(connection.connection_id) > fresh.indexOf(other.connection_id))
    })

    it('passes the domain on as Google and Entra ID call it', async (t) => {
      const { app, idp, connection } = await company(t, engine, { body: { domains: ['example.com'] } })
      for (const [preset, hint] of [
        ['google', 'hd'],
        ['entra', 'domain_hint'],
        ['generic', undefined],
      ] as const) {
        await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { preset } })
        const url = await startSignIn(app, connection, new Map(), '&login_hint=ada%40example.com')
        const input = ['hd', 'domain_hint'].filter((name) => url.searchParams.get(name) === 'example.com')
        assert.deepEqual(input, hint === undefined ? [] : [hint])
        const elsewhere = await startSignIn(app, connection, new Map(), '&login_hint=ada%40sub.example.com')
        assert.equal(elsewhere.searchParams.get('hd') ?? elsewhere.searchParams.get('domain_hint'), null)
      }
      assert.ok(idp.requestedPaths.length > 0)
    })

    it('tells the provider the language that the user or the product chose, not the one that the browser tells it anyway', async (t) => {
      const { app, connection } = await company(t, engine)
      const localeFor = async (jar: Jar, more = '') =>
        (await startSignIn(app, connection, jar, more)).searchParams.get('ui_locales')
      assert.equal(await localeFor(new Map()), null)
      const jar = new Map()
      assert.equal(await localeFor(jar, '&ui_locales=fr%20de-AT'), 'de')
      assert.equal(await localeFor(jar), 'de', 'the choice is kept')
      assert.equal(await localeFor(jar, '&lang=ar'), 'ar')
      for (const value of ['xx', 'de"; Path=/x', '%64%65']) {
        assert.equal(await localeFor(new Map([['rollbook-language', value]])), null)
      }
    })

    it('asks the provider for nothing but its configuration, its keys and the code exchange', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const configuration = '/.well-known/openid-configuration'
      const requestsFor = async (which = connection) => {
        idp.requestedPaths.length = 0
        assert.equal((await signIn(app, idp, which)).status, 303)
        return idp.requestedPaths.toSorted()
      }
      assert.deepEqual(await requestsFor(), [configuration, '/jwks', '/token'])
      assert.deepEqual(await requestsFor(), ['/token'], 'configuration and keys are kept')
      // UserInfo is the one further call, and only where the connection reads it.
      idp.lies = { claims: ada, userinfo: { sub: 'subject-1' } }
      const changed = await app.call('PATCH', `/connections/${connection.connection_id}`, {
        body: { read_userinfo: 'always' },
      })
      assert.equal(changed.status, 200, changed.text)
      await requestsFor()
      assert.deepEqual(await requestsFor(), ['/token', '/userinfo'])
    })

    it('makes three changes', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      await signIn(app, idp, connection)
      const createdIds: string[] = []
      const change = app.storage.change.bind(app.storage)
      app.storage.change = ((name: string, ...rest: unknown[]) => {
        createdIds.push(name)
        return (change as (...all: unknown[]) => unknown)(name, ...rest)
      }) as typeof app.storage.change
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.deepEqual(createdIds, ['company_sign_ins.begin', 'company_sign_ins.take', 'company_sign_ins.finish'])
    })

    it('links an address only if both sides verified it and its domain is trusted: the whole table', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env })
      const user = await createUser(app, { username: 'victim', email: 'victim@example.com', password })
      let linked = 0
      const missing = undefined
      const isTrue = (value: unknown) => value === true || value === 'true'
      const sources = [
        ['generic', missing],
        ['entra', missing],
        ['google', 'example.com'],
        ['google', missing],
      ] as const
      for (const [preset, hd] of sources) {
        for (const isTrusted of [true, false]) {
          const trusted_domains = isTrusted ? ['example.com'] : ['sub.example.com', 'ample.com']
          const { connection_id } = await connect(app, idp, {
            name: `${preset} ${hd} ${isTrusted}`,
            preset,
            trusted_domains,
          })
          for (const isVerifiedHere of [true, false]) {
            await app.runSql(`UPDATE users SET email_verified = ${Number(isVerifiedHere)}`)
            for (const email_verified of [true, false, 'true', 'false', 1, missing]) {
              for (const xms_edov of [true, false, 'true', '1', 1, 'yes', missing]) {
                const stated = {
                  generic: isTrue(email_verified),
                  entra:
                    (isTrue(xms_edov) || ['1', 1].includes(xms_edov as never)) &&
                    (email_verified === missing || isTrue(email_verified)),
                  google: isTrue(email_verified) && hd !== missing,
                }[preset]
                const may = stated === true && isTrusted && isVerifiedHere
                linked += Number(may)
                const at = JSON.stringify({ preset, hd, email_verified, xms_edov, isTrusted, isVerifiedHere })
                const claims = { sub: 'attacker', email: 'Victim@Example.com', email_verified, xms_edov, hd }
                const tried = await app.call('POST', `/connections/${connection_id}/test`, { body: { claims } })
                assert.equal(tried.body.outcome, may ? 'links' : 'refused', at)
                assert.equal(tried.body.user_id, may ? user.user_id : undefined)
              }
            }
          }
        }
      }
      assert.equal(linked, 14 + 12 + 14)
    })

    it('links the existing user of a trusted domain, and explains itself otherwise', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const user = await createUser(app, { username: 'ada', email: 'ada@example.com', password })
      const jar: Jar = new Map()
      const refused = await signIn(app, idp, connection, jar)
      assert.equal(refused.status, 409)
      assert.match(refused.text, /An account with your email address already exists/)
      assert.match(refused.text, /Try again with Example/)
      assert.equal((await me(app, jar)).status, 401)
      const [failure] = await failures(app, connection)
      assert.equal(failure?.reason, 'link_required')
      await verify(app, user.user_id as string)
      assert.equal((await signIn(app, idp, connection, jar)).status, 303)
      assert.equal((await me(app, jar)).body.username, 'ada')
      // The address moves on; the subject stays ada's.
      idp.lies = { claims: { ...ada, sub: 'subject-2' } }
      await app.call('PATCH', `/users/${user.user_id}`, { body: { email: 'countess@example.com' } })
      const other: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, other)).status, 303)
      assert.notEqual((await me(app, other)).body.user_id, user.user_id)
    })

    it('is refused to users who were disabled or removed', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      const { user_id } = (await me(app, jar)).body
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      assert.equal((await signIn(app, idp, connection)).status, 403)
      await app.call('DELETE', `/users/${user_id}`)
      assert.equal((await signIn(app, idp, connection)).status, 403)
      const reasons = (await failures(app, connection)).map(({ reason }) => reason)
      assert.deepEqual(reasons, ['user_removed', 'user_inactive'])
    })

    it('is free for another user when an administrator removes the identity of a deleted one', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      const { user_id } = (await me(app, jar)).body
      await app.call('PATCH', `/users/${user_id}`, { body: { role: 'admin' } })
      await createUser(app, { username: 'root', role: 'admin' })
      const next = await createUser(app, { username: 'next' })
      await app.call('DELETE', `/users/${user_id}`)
      const path = `/users/${user_id}/identities`
      const [identity, ...more] = (await app.call('GET', path)).body
      assert.deepEqual([identity.subject, more.length], ['subject-1', 0])
      const body = { connection_id: connection.connection_id, subject: 'subject-1' }
      const link = () => app.call('POST', `/users/${next.user_id}/identities`, { body })
      const taken = await link()
      assert.deepEqual([taken.status, taken.body.code], [409, 'identity_taken'])
      assert.match(taken.body.detail, new RegExp(`the deleted user ${user_id}`))
      const weak = await app.call('POST', '/keys', {
        body: { name: 'weak', permissions: ['users:write', 'users:read'] },
      })
      const refused = await app.call('DELETE', path, { key: weak.body.key })
      assert.deepEqual([refused.status, refused.body.code], [403, 'user_outranks_caller'], refused.text)
      assert.equal((await app.call('DELETE', `${path}/${identity.identity_id}?dry_run=true`)).status, 200)
      assert.equal((await app.call('DELETE', `${path}/${identity.identity_id}`)).body.removed, 1)
      assert.equal((await app.call('DELETE', path)).body.removed, 0)
      const [record] = (await app.call('GET', `/audit?action=user.identity_removed`)).body
      assert.equal(record.target.id, user_id)
      assert.equal((await link()).status, 201)
      await app.call('DELETE', `/users/${user_id}?purge=true`)
      assert.equal((await app.call('GET', path)).status, 404)
    })

    it('gives the role that the mapping names, and no other way to administer', async (t) => {
      const body = { ...companyDomains, role_claim: 'groups', roles: { bosses: 'admin' }, role_sync: 'sign_in' }
      const { app, idp, connection } = await company(t, engine, {
        lies: { claims: { ...ada, groups: ['staff'] } },
        body,
      })
      await createUser(app, { username: 'root', role: 'admin', password })
      const roleOf = async () => {
        const jar: Jar = new Map()
        assert.equal((await signIn(app, idp, connection, jar)).status, 303)
        return (await me(app, jar)).body.role
      }
      assert.equal(await roleOf(), 'user')
      idp.lies = { claims: { ...ada, groups: ['staff', 'bosses'] } }
      assert.equal(await roleOf(), 'admin')
      idp.lies = { claims: { ...ada, groups: 'bosses or so', role: 'admin' } }
      assert.equal(await roleOf(), 'user')
    })

    it('maps groups and attributes, and tells before what it would do', async (t) => {
      const { app, idp, connection } = await company(t, engine)
      const path = `/connections/${connection.connection_id}`
      const group = async (name: string, role?: string) =>
        (await app.call('POST', '/groups', { body: { name, ...(role && { role }) } })).body.group_id as string
      const [sales, staff, bosses] = [await group('Sales'), await group('Staff'), await group('Bosses', 'admin')]
      await app.call('POST', '/attributes', {
        body: { name: 'department', label: 'Department', type: 'string', editable_by: 'nobody', max_length: 10 },
      })
      await app.call('POST', '/attributes', { body: { name: 'floor', label: 'Floor', type: 'number' } })
      const refused = await app.call('PATCH', path, { body: { group_claim: 'groups', groups: { b: bosses } } })
      assert.equal(refused.body.errors?.[0].code, 'role_administers', refused.text)
      const unclaimed = await app.call('PATCH', path, { body: { groups: { s: sales } } })
      assert.equal(unclaimed.body.errors?.[0].pointer, '#/group_claim')
      const mapping = {
        group_claim: 'groups',
        groups: { s: sales, t: staff },
        group_sync: 'sign_in',
        attribute_claims: { department: 'dep', floor: 'level' },
        attribute_sync: 'sign_in',
      }
      assert.equal((await app.call('PATCH', path, { body: mapping })).status, 200)
      idp.lies = { claims: { ...ada, groups: ['s', 'x'], dep: 'Sales', level: 3 } }
      const { body: tried } = await app.call('POST', `${path}/test`, {
        body: { claims: { sub: 'x', ...idp.lies.claims } },
      })
      assert.deepEqual(tried.mapped, { role: 'user', groups: [sales], attributes: { department: 'Sales', floor: 3 } })

      const jar: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, jar)).status, 303)
      const { user_id } = (await me(app, jar)).body
      const seen = async () => {
        const { attributes } = (await app.call('GET', `/users/${user_id}`)).body
        const groups = (await app.call('GET', `/users/${user_id}/groups`)).body as { name: string }[]
        return [attributes, groups.map(({ name }) => name)]
      }
      assert.deepEqual(await seen(), [{ department: 'Sales', floor: 3 }, ['Sales']])
      // A group that the mapping does not name is left alone.
      const other = await group('Other')
      await app.call('PUT', `/groups/${other}/members/${user_id}`)
      idp.lies = { claims: { ...ada, groups: 't', dep: 'Staff' } }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.deepEqual(await seen(), [{ department: 'Staff', floor: 3 }, ['Other', 'Staff']])
      // The group became a way to administer after the mapping was written.
      await createUser(app, { username: 'root', role: 'admin', password })
      await app.call('PATCH', `/groups/${sales}`, { body: { role: 'admin' } })
      idp.lies = { claims: { ...ada, groups: ['s', 't'] } }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.deepEqual((await seen())[1], ['Other', 'Staff'])
      idp.lies = { claims: { ...ada, groups: 't', dep: 'a department with a long name' } }
      assert.equal((await signIn(app, idp, connection)).status, 409)
      assert.match((await failures(app, connection))[0]?.detail ?? '', /department/i)
      // The mapping still names the attribute: it keeps no one out, neither an existing user nor a new one.
      assert.equal((await app.call('DELETE', '/attributes/floor')).status, 200)
      for (const claims of [ada, { ...ada, sub: 'subject-2', email: 'bea@example.com' }]) {
        idp.lies = { claims: { ...claims, groups: 't', dep: 'Staff', level: 4 } }
        assert.equal((await signIn(app, idp, connection)).status, 303)
      }
      // A new user has the required attributes, or the definition could not be changed later.
      const patchAttribute = (body: object) => app.call('PATCH', '/attributes/department', { body })
      assert.equal((await patchAttribute({ editable_by: 'admin' })).status, 200)
      for (const { user_id: id, attributes } of (await app.call('GET', '/users')).body) {
        if (attributes.department === undefined)
          await app.call('PATCH', `/users/${id}`, { body: { attributes: { department: 'None' } } })
      }
      assert.equal((await patchAttribute({ required: true })).status, 200)
      idp.lies = { claims: { ...ada, sub: 'subject-3', email: 'cay@example.com', groups: 't' } }
      assert.equal((await signIn(app, idp, connection)).status, 409)
      assert.match((await failures(app, connection))[0]?.detail ?? '', /Department is required.*attribute_claims/)
      assert.deepEqual((await app.call('GET', '/users?username=cay@example.com')).body, [])
      assert.equal((await patchAttribute({ max_length: 20 })).status, 200)
      await app.call('PATCH', path, { body: { group_sync: 'creation', attribute_sync: 'creation' } })
      idp.lies = { claims: { ...ada, groups: [], dep: 'Elsewhere' } }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.deepEqual(await seen(), [{ department: 'Staff' }, ['Other', 'Staff']])
    })

    it('asks for the second factor unless the connection may vouch for one, and then only if it does', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      const { user_id } = (await me(app, jar)).body
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const added = await app.call('POST', '/me/factors/totp', { key: null, headers, body: { name: 'phone' } })
      assert.equal(added.status, 201, added.text)
      const { factor_id, secret } = added.body
      const code = await codeOf(secret, Date.now() - 30_000)
      const confirmed = await app.call('POST', `/me/factors/totp/${factor_id}/confirm`, {
        key: null,
        headers,
        body: { code },
      })
      assert.equal(confirmed.status, 200, confirmed.text)
      const next: Jar = new Map()
      const challenged = await signIn(app, idp, connection, next)
      assert.equal(challenged.status, 200)
      assert.match(challenged.text, /name="challenge_id"/)
      assert.equal((await me(app, next)).status, 401)
      assert.equal(next.get('rollbook-connection'), connection.connection_id, 'its button comes first next time')
      const [, challenge_id = ''] = /name="challenge_id" value="([^"]+)"/.exec(challenged.text) ?? []
      const cookies = [...next].map(([name, value]) => `${name}=${value}`).join('; ')
      const wrong = await app.call('POST', '/login', {
        key: null,
        headers: {
          cookie: cookies,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ challenge_id, methods: 'totp', code: 'wrong' }).toString(),
      })
      assert.match(wrong.text, /The recovery code was not accepted/)
      assert.doesNotMatch(challenged.text + wrong.text, /trust_browser/, 'a company asks again itself')
      const done = await app.call('POST', '/sessions', {
        key: null,
        headers: { cookie: cookies },
        body: { challenge_id, code: await codeOf(secret, Date.now()), trust_browser: true },
      })
      assert.doesNotMatch(String(done.headers['set-cookie']), /rollbook-trust/)
      assert.deepEqual([done.status, done.body.user_id, done.body.amr], [201, user_id, ['sso', 'otp', 'mfa']])
      storeCookies(next, done)
      assert.equal((await me(app, next)).status, 200)
      const path = `/connections/${connection.connection_id}`
      // What the company says changes nothing before the second step is met.
      await createUser(app, { username: 'root', role: 'admin', password })
      const roles = { role_claim: 'groups', roles: { bosses: 'admin' }, role_sync: 'sign_in' }
      await app.call('PATCH', path, { body: roles })
      idp.lies = { claims: { ...ada, groups: 'bosses' } }
      const risen: Jar = new Map()
      const [, rising = ''] =
        /name="challenge_id" value="([^"]+)"/.exec((await signIn(app, idp, connection, risen)).text) ?? []
      const role = async () => (await app.call('GET', `/users/${user_id}`)).body.role
      assert.equal(await role(), 'user')
      const rose = await app.call('POST', '/sessions', {
        key: null,
        headers: { cookie: [...risen].map(([name, value]) => `${name}=${value}`).join('; ') },
        body: { challenge_id: rising, code: await codeOf(secret, Date.now() + 30_000) },
      })
      assert.equal(rose.status, 201, rose.text)
      assert.equal(await role(), 'admin')
      await app.call('PATCH', path, { body: { role_claim: null, roles: {}, role_sync: 'creation' } })
      await app.call('PATCH', `/users/${user_id}`, { body: { role: 'user' } })
      idp.lies = { claims: ada }
      const late: Jar = new Map()
      const waiting = await signIn(app, idp, connection, late)
      const [, waits = ''] = /name="challenge_id" value="([^"]+)"/.exec(waiting.text) ?? []
      await app.call('PATCH', path, { body: { active: false } })
      assert.equal((await me(app, next)).status, 401, 'the session that two steps began')
      const expired = await app.call('POST', '/sessions', {
        key: null,
        headers: { cookie: [...late].map(([name, value]) => `${name}=${value}`).join('; ') },
        body: { challenge_id: waits, code: await codeOf(secret, Date.now() + 30_000) },
      })
      assert.equal(expired.body.code, 'challenge_expired', expired.text)
      await app.call('PATCH', path, { body: { active: true } })
      const removed: Jar = new Map()
      const [, orphan = ''] =
        /name="challenge_id" value="([^"]+)"/.exec((await signIn(app, idp, connection, removed)).text) ?? []
      assert.equal((await app.call('DELETE', `/users/${user_id}/identities`)).body.removed, 1)
      const refused = await app.call('POST', '/sessions', {
        key: null,
        headers: { cookie: [...removed].map(([name, value]) => `${name}=${value}`).join('; ') },
        body: { challenge_id: orphan, code: await codeOf(secret, Date.now() + 30_000) },
      })
      assert.equal(refused.body.code, 'sign_in_failed', refused.text)
      await verify(app, user_id)

      idp.lies = { claims: { ...ada, amr: ['pwd', 'mfa'] } }
      assert.equal((await signIn(app, idp, connection)).status, 200, 'its word does not count yet')
      const vouching = { body: { second_factor: 'provider', acr_values: ['phr'] } }
      await app.call('PATCH', `/connections/${connection.connection_id}`, vouching)
      assert.equal((await signIn(app, idp, connection)).status, 303)
      idp.lies = { claims: { ...ada, acr: 'phr' } }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      idp.lies = { claims: { ...ada, amr: ['pwd'], acr: 'other' } }
      assert.equal((await signIn(app, idp, connection)).status, 200)
    })

    it('takes a passkey as the second step, in the API and on the page', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      const { user_id } = (await me(app, jar)).body
      const cookieOf = (from: Jar) => [...from].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { cookie: cookieOf(jar), 'sec-fetch-site': 'same-origin', host: 'localhost' }
      const begun = await app.call('POST', '/me/factors/passkeys/options', { key: null, headers })
      assert.equal(begun.status, 200, begun.text)
      const device = new Authenticator({ origin: 'http://localhost' })
      const registration = { passkey: device.create(begun.body.options) }
      assert.equal(
        (await app.call('POST', '/me/factors/passkeys', { key: null, headers, body: registration })).status,
        201,
      )

      const roles = { role_claim: 'groups', roles: { bosses: 'admin' }, role_sync: 'sign_in' }
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: roles })
      idp.lies = { claims: { ...ada, groups: 'bosses' } }
      const next: Jar = new Map()
      const challenged = await signIn(app, idp, connection, next)
      assert.equal(challenged.status, 200)
      const [, text = ''] = /data-options="([^"]+)"/.exec(challenged.text) ?? []
      const options = JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&#34;', '"'))
      assert.match(challenged.text, /data-finish="\.\.\/\.\.\/sessions"/)
      const send = (from: Jar, altered = {}) =>
        app.call('POST', '/sessions', {
          key: null,
          headers: { cookie: cookieOf(from), host: 'localhost' },
          body: { passkey: device.get(options, altered) },
        })
      assert.equal((await send(new Map())).body.code, 'challenge_expired', 'in another browser')
      assert.equal((await send(next, { origin: 'https://evil.example' })).body.code, 'second_factor_failed')
      const done = await send(next)
      assert.deepEqual([done.status, done.body.user_id], [201, user_id], done.text)
      assert.deepEqual(done.body.amr.toSorted(), ['mfa', 'pop', 'sso', 'user'])
      storeCookies(next, done)
      assert.equal((await me(app, next)).body.role, 'admin', 'as the company says')
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const logout = { iss: idp.issuer, aud: clientId, iat: Math.floor(Date.now() / 1000), jti: 'logout', events }
      const logout_token = await idp.signAs('logout+jwt', { ...logout, sub: 'subject-1' })
      const endResponse = await app.call('POST', `/connections/${connection.connection_id}/backchannel-logout`, {
        key: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token }).toString(),
      })
      assert.equal(endResponse.status, 200, endResponse.text)
      assert.equal((await me(app, next)).status, 401, 'it ends with the session there')
    })

    it('lets a user without password add the required first factor, also where the provider never says when it asked', async (t) => {
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: { ...ada, auth_time: undefined } }
      let ahead = 0
      const required = { ...env, ROLLBOOK_SECOND_FACTOR: 'required' }
      const app = await start(t, engine, { env: required, clock: () => Date.now() + ahead })
      const connection = await connect(app, idp, companyDomains)
      const call = (from: Jar, method: string, path: string, body?: Body) => {
        const cookie = [...from].map(([name, value]) => `${name}=${value}`).join('; ')
        return app.call(method, path, {
          key: null,
          headers: { cookie, 'sec-fetch-site': 'same-origin' },
          ...(body && { body }),
        })
      }
      const jar: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, jar)).headers.location, '../../login')
      const isRefused = (reply: Answer) => reply.body.code === 'reauthentication_required'
      // The page that adds it, and the API.
      const page = await app.call('POST', '/add-factor', {
        key: null,
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: '',
      })
      assert.equal(page.status, 200, page.text)
      ahead = 11 * 60_000
      assert.ok(isRefused(await call(jar, 'POST', '/me/factors/totp', {})), 'ten minutes after the sign-in')
      const confirm = await get(app, '/confirm', jar)
      assert.match(confirm.text, /login\?connection=[\da-f-]+&amp;again">Sign in again with Example/)
      assert.doesNotMatch(confirm.text, /type="password"/)
      const url = await startSignIn(app, connection, jar, '&again')
      idp.expect(url)
      await come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
      const begun = await call(jar, 'POST', '/me/factors/totp', {})
      assert.equal(begun.status, 201, begun.text)
      const { factor_id, secret } = begun.body
      const code = codeOf(secret, Date.now() + ahead)
      const done = await call(jar, 'POST', `/me/factors/totp/${factor_id}/confirm`, { code })
      assert.equal(done.status, 200, done.text)
      assert.equal((await me(app, jar)).status, 200)

      // Only the first one: the next sign-in needs the factor for everything else.
      const next: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, next)).status, 200)
      // A user with a password confirms with it.
      await app.call('DELETE', `/users/${(await me(app, jar)).body.user_id}/factors`)
      const { user_id } = (await app.call('GET', '/users?username=ada@example.com')).body[0]
      await app.call('POST', `/users/${user_id}/password`, { body: { password } })
      const third: Jar = new Map()
      await signIn(app, idp, connection, third)
      assert.ok(isRefused(await call(third, 'POST', '/me/factors/totp', {})))
    })

    it('takes from UserInfo what the ID token leaves open, but never how the user signed in', async (t) => {
      const { email, email_verified, ...nameless } = ada
      const body = { ...companyDomains, read_userinfo: 'always', second_factor: 'provider' }
      const { app, idp, connection } = await company(t, engine, { lies: {}, body })
      // An address of the token is not verified by what UserInfo says of another one.
      idp.lies = {
        claims: { ...nameless, email },
        userinfo: { sub: 'subject-1', email: 'mine@example.com', email_verified },
      }
      assert.equal((await signIn(app, idp, connection)).status, 409)
      assert.equal((await failures(app, connection))[0]?.reason, 'email_unverified')
      idp.lies = { claims: nameless, userinfo: { sub: 'subject-1', email, email_verified, amr: ['mfa'], auth_time: 1 } }
      const jar: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, jar)).status, 303)
      const user = (await me(app, jar)).body
      assert.equal(user.email, email)
      assert.deepEqual(await app.runSql('SELECT amr FROM sessions'), [{ amr: 'sso' }])
    })

    it('sends its secret to no other issuer', async (t) => {
      const { app, connection } = await company(t, engine)
      const path = `/connections/${connection.connection_id}`
      const issuer = 'https://elsewhere.example.com'
      const refused = await app.call('PATCH', path, { body: { issuer } })
      assert.equal(refused.status, 422, refused.text)
      assert.match(refused.text, /client_secret/)
      assert.equal((await app.call('PATCH', path, { body: { issuer, client_secret: 'another' } })).status, 200)
    })

    it('is as old as the provider says, so that it does not count as recent', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: { ...ada, auth_time: undefined } } })
      const created = async () => {
        const jar: Jar = new Map()
        assert.equal((await signIn(app, idp, connection, jar)).status, 303)
        const headers = {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          'sec-fetch-site': 'same-origin',
        }
        return app.call('DELETE', '/me/identities?dry_run=true', { key: null, headers })
      }
      assert.equal((await created()).body.code, 'reauthentication_required')
      idp.lies = { claims: { ...ada, auth_time: Math.floor(Date.now() / 1000) - 3600 } }
      assert.equal((await created()).body.code, 'reauthentication_required')
      idp.lies = { claims: ada }
      // Recent, and refused for another reason.
      assert.equal((await created()).body.code, 'last_sign_in_way')
      // Another account of the company does not confirm this user.
      const confirmed: Jar = new Map()
      await signIn(app, idp, connection, confirmed)
      const challenged = await startSignIn(app, connection, confirmed, '&confirm')
      idp.expect(challenged)
      idp.lies = { claims: { ...ada, sub: 'somebody-else' } }
      const another = { state: challenged.searchParams.get('state'), iss: idp.issuer }
      assert.equal((await come(app, connection, confirmed, another)).status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'other_user')
      idp.lies = { claims: ada }
      // Asked to sign in again there, and not only here.
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      const page = await get(app, '/confirm?return_to=%2Faccount', jar)
      const again = `login?connection=${connection.connection_id}&amp;confirm&amp;return_to=%2Faccount`
      assert.ok(page.text.includes(`<a class="action second" href="${again}">Confirm with Example</a>`), page.text)
      const url = await startSignIn(app, connection, jar, '&confirm')
      assert.deepEqual([url.searchParams.get('max_age'), url.searchParams.get('prompt')], ['0', 'login'])
      idp.expect(url)
      idp.lies = { claims: { ...ada, auth_time: Math.floor(Date.now() / 1000) - 3600 } }
      const refused = await come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.equal(refused.status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'not_recent')
    })

    it('ends with its connection, its issuer, or its activity, and within the commit', async (t) => {
      for (const end of [{ active: false }, { client_id: 'another' }, undefined]) {
        const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
        const jar: Jar = new Map()
        await signIn(app, idp, connection, jar)
        assert.equal((await me(app, jar)).status, 200)
        const path = `/connections/${connection.connection_id}`
        const endResponse =
          end === undefined ? await app.call('DELETE', path) : await app.call('PATCH', path, { body: end })
        assert.equal(endResponse.status, 200, endResponse.text)
        assert.equal((await me(app, jar)).status, 401)
        if (end?.active === false)
          assert.equal((await get(app, `/login?connection=${connection.connection_id}`, jar)).status, 404)
        if (end?.client_id) assert.equal((await app.call('GET', path)).body.identity_count, 0)
      }
    })

    it('loses what a domain linked when the domain is no longer trusted', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com', password })
      await verify(app, user_id as string)
      assert.equal((await signIn(app, idp, connection)).status, 303)
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { trusted_domains: [] } })
      assert.deepEqual((await app.call('GET', `/users/${user_id}/identities`)).body, [])
      assert.equal((await signIn(app, idp, connection)).status, 409)
    })
  })

  describe(`linking while signed in on ${engine.name}`, () => {
    const cookieOf = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

    async function post(app: Started, path: string, jar: Jar, body: Body | string): Promise<Answer> {
      const type = typeof body === 'string' && { 'content-type': 'application/x-www-form-urlencoded' }
      const headers = { ...browser, ...type, cookie: cookieOf(jar) }
      const reply = await app.call('POST', path, { key: null, headers, body })
      storeCookies(jar, reply)
      return reply
    }

    async function withPassword(app: Started, username: string): Promise<Jar> {
      await createUser(app, { username, password })
      const jar: Jar = new Map()
      const begun = await post(app, '/sessions', jar, { username, password })
      assert.equal(begun.status, 201, begun.text)
      return jar
    }

    const identitiesOf = async (app: Started, jar: Jar) =>
      (await app.call('GET', '/me/identities', { key: null, headers: { cookie: cookieOf(jar) } })).body

    /** The identities that are left do not count on an address: none is sent. */
    const nobody = { lies: { claims: { email: undefined } }, body: {} }

    it('starts with POST /me/identities, and the account signs the user in from then on', async (t) => {
      const { app, idp, connection } = await company(t, engine, nobody)
      const { connection_id } = connection
      const refused = await signIn(app, idp, connection)
      assert.match(refused.text, /href="..\/..\/login\?return_to=%2Fauth%2Flink">Sign in and link it</)
      const jar = await withPassword(app, 'grace')
      const wrong = await post(app, '/me/identities', jar, { connection_id, return_to: 'https://evil.example' })
      assert.deepEqual([wrong.status, wrong.body.errors?.[0].code], [422, 'return_to_refused'])
      const started = await post(app, '/me/identities', jar, { connection_id, return_to: '/account' })
      assert.equal(started.status, 200, started.text)
      const url = new URL(started.body.authorization_url)
      idp.expect(url)
      const back = { state: url.searchParams.get('state'), iss: idp.issuer }
      const done = await come(app, connection, jar, back)
      assert.deepEqual([done.status, done.headers.location], [303, '/account'])
      const [identity, ...others] = await identitiesOf(app, jar)
      assert.deepEqual([identity.subject, identity.linked_by, others], ['subject-1', 'user', []])
      const records = (await app.call('GET', '/audit?action=user.identity_linked')).body
      assert.deepEqual(
        records.map(({ actor, target }: { actor: Body; target: Body }) => [actor.name, target.name]),
        [['grace', 'grace']],
      )
      const fresh: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, fresh)).status, 303)
      assert.equal((await me(app, fresh)).body.username, 'grace')
    })

    it('works with the page, without scripts', async (t) => {
      const { app, idp, connection } = await company(t, engine, nobody)
      const stranger = await get(app, '/link', new Map())
      assert.deepEqual([stranger.status, stranger.headers.location], [303, 'login?return_to=%2Fauth%2Flink'])
      const jar = await withPassword(app, 'grace')
      assert.match((await get(app, '/login', jar)).text, /href="link">Linked accounts</)
      assert.match((await get(app, '/link', jar)).text, /<button[^>]*>Link an account of Example</)
      const field = `connection_id=${connection.connection_id}`
      const sent = await post(app, '/link', jar, field)
      assert.equal(sent.status, 200, sent.text)
      const [, address = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(sent.text) ?? []
      const url = new URL(address.replaceAll('&amp;', '&'))
      idp.expect(url)
      const done = await come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.deepEqual([done.status, done.headers.location], [303, '../../link?linked'])
      const page = await get(app, '/link?linked', jar)
      assert.match(page.text, /The account is linked\..*Linked: <strong>Example<\/strong>, subject-1/s)

      const headers = { 'sec-fetch-site': 'cross-site', cookie: cookieOf(jar), origin: 'https://evil.example' }
      for (const [path, body, type] of [
        ['/link', field, 'application/x-www-form-urlencoded'],
        ['/me/identities', JSON.stringify({ connection_id: connection.connection_id }), 'application/json'],
      ] as const) {
        const reply = await app.call('POST', path, { key: null, headers: { ...headers, 'content-type': type }, body })
        assert.equal(reply.status, 403, `${path} ${reply.text}`)
      }
      const unknown = await post(app, '/link', jar, 'connection_id=019a9f3e-0000-7000-8000-000000000000')
      assert.equal(unknown.status, 404, unknown.text)
      idp.lies = { claims: { email: undefined, auth_time: undefined } }
      const stale: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, stale)).status, 303)
      const first = await post(app, '/link', stale, field)
      assert.deepEqual([first.status, first.headers.location], [303, 'confirm?return_to=%2Fauth%2Flink'])
      const alike = await post(app, '/me/identities', stale, { connection_id: connection.connection_id })
      assert.deepEqual([alike.status, alike.body.code], [403, 'reauthentication_required'])
    })

    it('refuses what another user has linked, and a browser in which another user signed in meanwhile', async (t) => {
      const { app, idp, connection } = await company(t, engine, nobody)
      const { connection_id } = connection
      const start = async (jar: Jar) => {
        const url = new URL((await post(app, '/me/identities', jar, { connection_id })).body.authorization_url)
        idp.expect(url)
        return { state: url.searchParams.get('state'), iss: idp.issuer }
      }
      const [grace, ada] = [await withPassword(app, 'grace'), await withPassword(app, 'ada')]
      const back = await start(grace)
      const mixed: Jar = new Map([...ada, ...[...grace].filter(([name]) => name.includes('company'))])
      assert.equal((await come(app, connection, mixed, back)).status, 409)
      assert.deepEqual([await identitiesOf(app, grace), await identitiesOf(app, ada)], [[], []])
      assert.equal((await come(app, connection, grace, await start(grace))).status, 303)
      const taken = await come(app, connection, ada, await start(ada))
      assert.equal(taken.status, 409)
      assert.match(taken.text, /This account is linked to someone else/)
      assert.deepEqual(await identitiesOf(app, ada), [])
      assert.equal((await failures(app, connection))[0]?.reason, 'identity_taken')
    })

    it('keeps the last way to sign in', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      const remove = () =>
        app.call('DELETE', '/me/identities', { key: null, headers: { ...browser, cookie: cookieOf(jar) } })
      const refused = await remove()
      assert.deepEqual([refused.status, refused.body.code], [409, 'last_sign_in_way'])
      assert.equal((await identitiesOf(app, jar)).length, 1)
      await app.runSql("UPDATE users SET password_hash = 'of a password'")
      const passwords = (rule: string) =>
        app.call('PATCH', `/connections/${connection.connection_id}`, {
          body: { passwords: rule, domains: ['example.com'], password_exceptions: [] },
        })
      await createUser(app, { username: 'keeper', role: 'admin', password: 'seven grey herons over the weir' })
      assert.equal((await passwords('refused_for_domains')).status, 200)
      assert.equal((await remove()).body.code, 'last_sign_in_way', 'a password that is refused is no way to sign in')
      assert.equal((await passwords('allowed')).status, 200)
      const removed = await remove()
      assert.deepEqual([removed.status, removed.body.removed], [200, 1])
    })

    it('is removed one by one, by the user and by an administrator, and followers hear of it', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const other = await connect(app, idp, { ...companyDomains, name: 'Other' })
      await signIn(app, idp, connection)
      const jar: Jar = new Map()
      const { user_id } = (await app.call('GET', '/users?username=ada@example.com')).body[0]
      await verify(app, user_id)
      await signIn(app, idp, other, jar)
      assert.equal((await me(app, jar)).body.user_id, user_id)
      const [first, second] = (await app.call('GET', `/users/${user_id}/identities`)).body
      const remove = (identity_id: string, query = '') =>
        app.call('DELETE', `/me/identities/${identity_id}${query}`, {
          key: null,
          headers: { ...browser, cookie: cookieOf(jar) },
        })
      assert.equal((await remove('019a9f3e-0000-7000-8000-000000000000')).body.code, 'identity_not_found')
      // An identity of an inactive connection is no way to sign in.
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { active: false } })
      assert.equal((await remove(second.identity_id)).body.code, 'last_sign_in_way')
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { active: true } })
      assert.equal((await remove(first.identity_id, '?dry_run=true')).body.removed, 1)
      assert.equal((await app.call('GET', `/users/${user_id}/identities`)).body.length, 2)
      assert.deepEqual((await remove(first.identity_id)).body, { user_id, removed: 1 })
      assert.equal((await remove(second.identity_id)).body.code, 'last_sign_in_way')
      assert.equal((await me(app, jar)).status, 200)
      const path = `/users/${user_id}/identities/${second.identity_id}`
      assert.equal((await app.call('DELETE', path)).body.removed, 1)
      assert.equal((await app.call('DELETE', path)).body.code, 'identity_not_found')
      assert.equal((await me(app, jar)).status, 401)
      const { events } = (await app.call('GET', '/events?type=identity.*')).body
      const reported = events.map(({ type, subject, data }: Body) => [type, subject, (data as Body).user_id])
      assert.deepEqual(reported, [
        ['identity.linked', first.identity_id, user_id],
        ['identity.linked', second.identity_id, user_id],
        ['identity.removed', first.identity_id, user_id],
        ['identity.removed', second.identity_id, user_id],
      ])
      const of = (await app.call('GET', '/events?type=connection.*')).body.events as {
        type: string
        data: Body
      }[]
      assert.deepEqual(
        of.map(({ type, data }) => [type, data.name, data.active, 'client_id' in data]),
        [
          ['connection.created', 'Example', true, false],
          ['connection.created', 'Other', true, false],
          ['connection.updated', 'Example', false, false],
          ['connection.updated', 'Example', true, false],
        ],
      )
      await app.call('DELETE', `/connections/${other.connection_id}`)
      const last = (await app.call('GET', '/events?type=connection.deleted')).body.events
      assert.deepEqual(last[0].data, { connection_id: other.connection_id })
      assert.equal((await app.call('GET', `/connections/${connection.connection_id}`)).body.last_failed_at, null)
      idp.lies = { claims: { ...ada, email_verified: false } }
      await signIn(app, idp, connection)
      const { last_failed_at } = (await app.call('GET', '/connections')).body[0]
      assert.ok(Date.now() - Date.parse(last_failed_at) < 60_000, last_failed_at)
    })
  })

  describe(`what attacks a sign-in on ${engine.name}`, () => {
    it('forges the ID token: each is refused, and the reason is kept', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const now = Math.floor(Date.now() / 1000)
      const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const hmac = (claims: unknown, secret: string | Buffer) => {
        const text = `${base64({ alg: 'HS256', kid: '1' })}.${base64(claims)}`
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
      }
      const other = await startIdentityProvider(t)
      const pem = () =>
        createPublicKey({ key: idp.publicKey as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
      const forgeries: Record<string, Lies> = {
        'another issuer': { claims: { ...ada, iss: 'https://elsewhere.example' } },
        'another audience': { claims: { ...ada, aud: 'another' } },
        'several audiences without azp': { claims: { ...ada, aud: [clientId, 'another'] } },
        'another azp': { claims: { ...ada, azp: 'another' } },
        'another azp of several audiences': { claims: { ...ada, aud: [clientId, 'another'], azp: 'another' } },
        'another nonce': { claims: { ...ada, nonce: 'of another sign-in' } },
        'no nonce': { claims: { ...ada, nonce: undefined } },
        'an expired token': { claims: { ...ada, exp: now - 600, iat: now - 900 } },
        'a token that expired two minutes ago': { claims: { ...ada, exp: now - 120 } },
        'a token issued in five minutes': { claims: { ...ada, iat: now + 300, exp: now + 900 } },
        'a token that is valid in five minutes': { claims: { ...ada, nbf: now + 300 } },
        'no expiry': { claims: { ...ada, exp: undefined } },
        'no subject': { claims: { ...ada, sub: undefined } },
        'a subject that is no text': { claims: { ...ada, sub: 1 } },
        'alg none': { token: (claims) => `${base64({ alg: 'none' })}.${base64({ ...claims, ...ada })}.` },
        'HS256 with the client secret': { token: (claims) => hmac({ ...claims, ...ada }, 'shared') },
        'HS256 with the public key': { token: (claims) => hmac({ ...claims, ...ada }, Buffer.from(pem())) },
        'the key of another provider': { token: (claims) => other.sign({ ...claims, ...ada }) },
        'no token at all': { token: () => '' },
      }
      for (const [name, lies] of Object.entries(forgeries)) {
        idp.lies = lies
        const jar: Jar = new Map()
        const refused = await signIn(app, idp, connection, jar)
        assert.equal(refused.status, 403, `${name}: ${refused.text}`)
        assert.equal((await me(app, jar)).status, 401, name)
        const [failure] = await failures(app, connection)
        assert.equal(failure?.reason, 'token_invalid', `${name}: ${JSON.stringify(failure)}`)
        assert.doesNotMatch(JSON.stringify(failure), /shared|an access token|eyJ/)
      }
      assert.deepEqual((await app.call('GET', '/users')).body, [])
      // The clock of a provider may be some seconds off.
      for (const claims of [{}, { exp: now - 8 }, { iat: now + 8 }, { nbf: now + 8 }]) {
        idp.lies = { claims: { ...ada, ...claims } }
        const accepted = await signIn(app, idp, connection)
        assert.equal(
          accepted.status,
          303,
          `${JSON.stringify(claims)}: ${JSON.stringify(await failures(app, connection))}`,
        )
      }
    })

    it('forges, repeats or moves the response', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const second = await connect(app, idp, { name: 'Second', ...companyDomains })
      const refuse = async (jar: Jar, back: Back, status: number, to = connection) => {
        const exchanges = idp.exchanges.length
        const reply = await come(app, to, jar, back)
        assert.equal(reply.status, status, reply.text)
        return idp.exchanges.length - exchanges
      }
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar)
      idp.expect(url)
      const state = url.searchParams.get('state')
      const iss = idp.issuer
      assert.equal(await refuse(jar, { state: 'made-up', iss }, 400), 0)
      assert.equal(await refuse(new Map(), { state, iss }, 400), 0, 'a stolen code without the browser')
      assert.equal(await refuse(new Map([['rollbook-company', 'x'.repeat(43)]]), { state, iss }, 400), 0)
      assert.equal(await refuse(jar, { state, iss }, 400, second), 0, 'mix-up: the redirect URI of another connection')
      assert.equal((await come(app, connection, jar, { state, iss })).status, 303, 'none of it ended the true one')
      assert.equal(await refuse(jar, { state, iss }, 303), 0, 'a replay in this browser changes nothing')
      const cookies = [...jar].filter(([name]) => name === 'rollbook-company')
      assert.equal(await refuse(new Map(cookies), { state, iss }, 400), 0, 'and does not sign in')

      const mixed: Jar = new Map()
      const other = await startSignIn(app, connection, mixed)
      assert.equal(await refuse(mixed, { state: other.searchParams.get('state'), iss: 'https://evil.example' }, 403), 0)
      const without: Jar = new Map()
      const third = await startSignIn(app, connection, without)
      assert.equal(
        await refuse(without, { state: third.searchParams.get('state') }, 403),
        0,
        'RFC 9207: iss is announced',
      )
      // The verifier belongs to the browser: the challenge that was sent is the hash of what is sent now.
      const [exchange] = idp.exchanges
      const hash = await crypto.subtle.digest('SHA-256', Buffer.from(exchange?.get('code_verifier') ?? ''))
      assert.equal(Buffer.from(hash).toString('base64url'), url.searchParams.get('code_challenge'))
    })

    it('is a race of two responses, of which one wins', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      await signIn(app, idp, connection)
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar)
      idp.expect(url)
      const back = { state: url.searchParams.get('state'), iss: idp.issuer }
      const answers = await Promise.all(Array.from({ length: 8 }, () => come(app, connection, new Map(jar), back)))
      assert.equal(answers.filter(({ status }) => status === 303).length, 1)
      assert.equal(answers.filter(({ status }) => status === 400).length, 7)
      // One that has read the row before the winner finished comes too late as well.
      const late = { state_hash: browserHash(back.state ?? '') }
      const request = { actor: system, now: Date.now(), requestId: 'late' }
      assert.equal((await app.storage.change('company_sign_ins.take', late, request)).result, false)
    })

    it('is a provider that is huge, slow, redirecting, or inside the network', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const config = '/.well-known/openid-configuration'
      let changes = 0
      const reasonFor = async (lies: Lies, at = connection) => {
        idp.lies = lies
        // What failed is remembered for half a minute, until the connection changes.
        const position = at.connection_id === connection.connection_id ? ++changes : 0
        await app.call('PATCH', `/connections/${at.connection_id}`, { body: { position } })
        const reply = await get(app, `/login?connection=${at.connection_id}`, new Map())
        assert.deepEqual([reply.status, reply.headers['retry-after']], [503, '30'], reply.text)
        assert.match(reply.text, /does not work right now/)
        return (await failures(app, at))[0]?.detail ?? ''
      }
      const huge = await reasonFor({ handlers: { [config]: (_, response) => response.end('x'.repeat(300_000)) } })
      assert.match(huge, /answer_too_large/)
      let visits = 0
      const secrets = await serveHttp(t, (_, response) => {
        visits++
        response.end('{}')
      })
      const location = secrets.origin + config
      await reasonFor({ handlers: { [config]: (_, response) => response.writeHead(302, { location }).end() } })
      assert.equal(visits, 0)
      assert.match(await reasonFor({ metadata: { issuer: 'https://elsewhere.example' } }), /issuer/i)
      const started = performance.now()
      assert.match(await reasonFor({ handlers: { [config]: () => {} } }), /timeout/)
      assertWithin(8000, started)

      // A client that keeps trying neither reaches the provider nor fills the log.
      const [requestCount, failureCount] = [idp.requestedPaths.length, (await failures(app, connection)).length]
      for (let i = 0; i < 5; i++) await get(app, `/login?connection=${connection.connection_id}`, new Map())
      assert.deepEqual(
        [idp.requestedPaths.length, (await failures(app, connection)).length],
        [requestCount, failureCount],
      )

      const addresses = [
        ...['169.254.169.254', '10.1.2.3', '[::1]:8443', '[fd00::1]', '[::ffff:10.0.0.1]', '[::ffff:a00:1]'],
        // The forms of a number that URL parsers convert: decimal, octal, hexadecimal, short.
        ...['167772161', '012.0.0.1', '0x0a.1', '0', '[64:ff9b::a00:1]'],
      ]
      for (const address of addresses) {
        const issuer = `https://${address}`
        const inside = await connect(app, idp, { name: issuer, issuer })
        const detail = await reasonFor({}, inside)
        assert.match(detail, /address_refused/, `${issuer}: ${detail}`)
      }
    })

    it('rotates keys: an unknown key is looked up, but not for every forgery', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      assert.equal((await signIn(app, idp, connection)).status, 303)
      const other = await startIdentityProvider(t)
      await other.rotate()
      for (let i = 0; i < 5; i++) {
        idp.lies = { token: (claims) => other.sign({ ...claims, ...ada }) }
        assert.equal((await signIn(app, idp, connection)).status, 403)
      }
      assert.equal(idp.requestedPaths.filter((path) => path === '/jwks').length, 1)
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`two nodes on ${engine.name}`, () => {
    it('share a sign-in: it is started on one and finished on the other', async (t) => {
      const publicEnv = { ...env, ROLLBOOK_PUBLIC_URL: 'http://localhost:8080/auth' }
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: ada }
      const first = await start(t, engine, { env: publicEnv })
      const second = await start(t, engine, { env: publicEnv, beside: first })
      const connection = await connect(first, idp, companyDomains)
      assert.equal(
        connection.redirect_uri,
        `http://localhost:8080/auth/connections/${connection.connection_id}/callback`,
      )
      const jar: Jar = new Map()
      const url = await startSignIn(first, connection, jar)
      idp.expect(url)
      const back = await come(second, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.equal(back.status, 303, back.text)
      assert.equal((await me(first, jar)).body.username, 'ada@example.com')
    })
  })
}
