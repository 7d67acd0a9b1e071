import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, personWithPhone } from '../../../../test/factors.ts'
import { engines, start } from '../../../../test/harness.ts'
import { createPerson, isSignedIn, openBrowser, password } from '../../../../test/people.ts'
import { fieldIn, plainBrowser } from '../../../../test/plain-browser.ts'
import { sharedApp } from '../../../../test/shared-app.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'
import { builtInPermissions } from '../../../core/permissions.ts'

for (const engine of engines) {
  describe(`the account page on ${engine.name}`, () => {
    const shared = sharedApp(engine, {
      env: {
        ROLLBOOK_PUBLIC_URL: 'http://localhost/auth',
        ROLLBOOK_SMTP_URL: 'smtp://127.0.0.1:9',
        ROLLBOOK_MAIL_FROM: 'accounts@orchard.example',
        ROLLBOOK_ROLES: JSON.stringify({ support: ['users:read'], operator: builtInPermissions }),
      },
    })

    /** A user who is signed in, in a browser without scripts. */
    async function signedIn(members: Record<string, string> = {}) {
      const app = await shared()
      const person = await createPerson(app, members)
      const browser = plainBrowser(app)
      assert.equal((await browser.post('/login', { username: person.username, password })).status, 303)
      return { app, person, ...browser }
    }

    it('asks to sign in first, and comes back', async () => {
      const { get } = plainBrowser(await shared())
      const { status, headers } = await get('/account?return_to=%2Freports')
      assert.deepEqual(
        [status, headers.location],
        [303, `login?return_to=${encodeURIComponent('/auth/account?return_to=%2Freports')}`],
      )
      assert.equal(headers['cache-control'], 'no-store')
    })

    it('has a link back, for allowed places only, and sections only where they are used', async () => {
      const { get } = await signedIn()
      const { text } = await get('/account?return_to=%2Freports')
      assert.match(text, /<a href="\/reports">Back to Rollbook<\/a>/)
      assert.doesNotMatch((await get('/account?return_to=https%3A%2F%2Fevil.example')).text, /href="https:/)
      const titles = [...text.matchAll(/<h2[^>]*>([^<]*)/g)].map(([, title]) => title)
      assert.deepEqual(titles, [
        'Profile',
        'Language',
        'Email address',
        'Password',
        'Second factors and passkeys',
        'Where you are signed in',
        'Recent activity',
        'Your data',
      ])
      assert.match(text, /Signed in</)
      const support = await signedIn({ role: 'support' })
      assert.match((await support.get('/account')).text, /Personal keys/)
      const { body: group } = await support.app.call('POST', '/groups', { body: { name: 'Night shift' } })
      await support.app.call('PUT', `/groups/${group.group_id}/members/${support.person.user_id}`)
      assert.match((await support.get('/account')).text, /Groups<\/h2>.*Night shift/s)
    })

    it('saves the profile, and keeps what was typed beside its fault', async () => {
      const { app, person, get, post } = await signedIn()
      const definition = {
        name: `floor${person.user_id.slice(-6)}`,
        label: 'Floor',
        type: 'number',
        editable_by: 'user',
      }
      assert.equal((await app.call('POST', '/attributes', { body: definition })).status, 201)
      const name = `attributes.${definition.name}`
      const page = await get('/account')
      const etag = fieldIn(page, 'etag').replaceAll('&quot;', '"')
      const fields = { first_name: 'Ada', last_name: 'Byron', etag, return_to: '/reports' }
      const wrong = await post('/account/profile', { ...fields, [name]: 'ground' })
      assert.equal(wrong.status, 422)
      assert.match(
        wrong.text,
        new RegExp(`id="attributes-${definition.name}"[^>]*value="ground"[^>]*aria-invalid="true"`),
      )
      assert.match(wrong.text, /value="Byron"/)
      assert.match(wrong.text, /<title>Error: /)
      assert.match(wrong.text, /<a href="\/reports">/)
      const saved = await post('/account/profile', { ...fields, [name]: '3' })
      assert.deepEqual([saved.status, saved.headers.location], [303, '../account?saved=profile&return_to=%2Freports'])
      assert.match((await get('/account?saved=profile')).text, /Your profile is saved/)
      const { body } = await app.call('GET', `/users/${person.user_id}`)
      assert.deepEqual([body.first_name, body.last_name, body.attributes], ['Ada', 'Byron', { [definition.name]: 3 }])
      // Another tab saved meanwhile.
      const stale = await post('/account/profile', { ...fields, first_name: 'Augusta' })
      assert.equal(stale.status, 412)
      assert.match(stale.text, /changed meanwhile/)
      assert.match(stale.text, /value="Augusta"/)
    })

    it('shows attributes that only others change, and changes none of them', async () => {
      const { app, person, get, post } = await signedIn()
      const name = `desk${person.user_id.slice(-6)}`
      await app.call('POST', '/attributes', { body: { name, label: 'Desk', type: 'string', editable_by: 'admin' } })
      await app.call('PATCH', `/users/${person.user_id}`, { body: { attributes: { [name]: 'By the window' } } })
      const { text } = await get('/account')
      assert.match(text, /<dt>Desk<\/dt><dd>By the window<\/dd>/)
      assert.doesNotMatch(text, new RegExp(`name="attributes.${name}"`))
      const tried = await post('/account/profile', { first_name: '', last_name: '', [`attributes.${name}`]: 'Mine' })
      assert.equal(tried.status, 422)
    })

    it('saves the language, and shows itself in it', async () => {
      const { app, person, get, post } = await signedIn()
      assert.equal((await post('/account/language', { locale: 'de' })).status, 303)
      assert.equal((await app.call('GET', `/users/${person.user_id}`)).body.locale, 'de')
      assert.match((await get('/account?saved=language')).text, /<html lang="de".*Die Sprache ist gespeichert/s)
    })

    it('changes the address with the password, after a confirmation by mail', async () => {
      const { get, post } = await signedIn({ email: 'old@orchard.example' })
      assert.match((await get('/account/address')).text, /<h1>Change email address/)
      const wrong = await post('/account/address', { email: 'new@orchard.example', current_password: 'not this one' })
      assert.equal(wrong.status, 403)
      assert.match(wrong.text, /value="new@orchard\.example".*aria-invalid="true".*This is not your current password/s)
      assert.doesNotMatch(wrong.text, /not this one/)
      const missing = await post('/account/address', { email: 'new@orchard.example' })
      assert.match(missing.text, /Enter your current password/)
      assert.match((await post('/account/address', { email: 'new', current_password: password })).text, /aria-invalid/)
      const sent = await post('/account/address', { email: 'new@orchard.example', current_password: password })
      assert.equal(sent.headers.location, '../account?saved=address_sent')
      const { text } = await get('/account')
      assert.match(text, /old@orchard\.example.*new@orchard\.example<\/strong> replaces it/s)
    })

    it('signs out one other session, and all others, and shows this one first', async () => {
      const { app, person, get, post } = await signedIn()
      const [one, two, three] = [
        await openBrowser(app, person.username),
        await openBrowser(app, person.username),
        await openBrowser(app, person.username),
      ]
      const { text } = await get('/account')
      assert.match(text.slice(text.indexOf('id="sessions"')).split('</li>', 1)[0] ?? '', /This browser/)
      const session_id = (await one.call('GET', '/me')).body.session_id
      assert.equal((await post('/account/session', { session_id })).status, 303)
      assert.deepEqual([await isSignedIn(one), await isSignedIn(two)], [false, true])
      assert.equal((await post('/account/sessions', {})).headers.location, '../account?saved=sessions')
      assert.deepEqual([await isSignedIn(two), await isSignedIn(three)], [false, false])
      assert.equal((await get('/account')).status, 200)
      const repeated = await post('/account/session', { session_id })
      assert.deepEqual([repeated.status, /It is gone already/.test(repeated.text)], [404, true])
    })

    it('asks for a confirmation where the API does, and keeps the form meanwhile', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { clock })
      const { username, phone } = await personWithPhone(app, clock())
      await clock.pass(30_000)
      const { get, post } = plainBrowser(app)
      const challenge = {
        challenge_id: fieldIn(await post('/login', { username, password }), 'challenge_id'),
        methods: 'totp',
      }
      await post('/login', { ...challenge, code: codeOf(phone.secret, clock()) })
      await clock.pass(601_000)
      const { factor_id } = phone
      const redirected = await post('/account/factor', { factor_id, name: 'Old phone' })
      const back = new URL(redirected.headers.location ?? '', 'http://localhost/auth/account/factor').searchParams.get(
        'return_to',
      )
      assert.match(redirected.headers.location ?? '', /^\.\.\/confirm\?/)
      assert.equal(back, `/auth/account/factor?name=Old%20phone&factor_id=${factor_id}`)
      const confirmed = await post('/confirm', { code: codeOf(phone.secret, clock()), return_to: back ?? '' })
      assert.equal(confirmed.headers.location, back)
      const page = await get((back ?? '').replace('/auth', ''))
      assert.match(page.text, /name="name"[^>]*value="Old phone"/)
      assert.equal((await post('/account/factor', { factor_id, name: 'Old phone' })).status, 303)
      assert.match((await get('/account')).text, /<strong>Old phone<\/strong>/)
      assert.equal((await post('/account/factor/removal', { factor_id })).status, 303)
      assert.match((await get('/account')).text, /You have none\. With one/)
    })

    it('says where permissions come from, to users who have any', async () => {
      const { app, person, get } = await signedIn({ role: 'support' })
      const group = { name: `Own <${person.username}>`, role: 'support' }
      const { group_id } = (await app.call('POST', '/groups', { body: group })).body
      await app.call('PUT', `/groups/${group_id}/members/${person.user_id}`)
      const { text } = await get('/account')
      assert.match(text, /From your role <strong[^>]*>support<\/strong><span[^>]*><code dir="ltr">users:read/)
      assert.match(text, /From the group <strong[^>]*>Own &lt;[^<]*<\/strong><span[^>]*><code dir="ltr">users:read/)
      assert.doesNotMatch((await (await signedIn()).get('/account')).text, /What you may do/)
    })

    it('explains the permissions of a key that the user holds, by subject, and folds the rarely used ones', async () => {
      const headings = (text: string) =>
        [...text.matchAll(/<legend>([^<]+)<\/legend>|(<details[^>]*>)/g)].map(([, legend, fold]) => legend ?? fold)
      const ofSupport = (await (await signedIn({ role: 'support' })).get('/account/key')).text
      assert.deepEqual(headings(ofSupport), ['The key may do', 'Users'])
      assert.match(
        ofSupport,
        /<span class="meaning">List and read users, [^<]*<\/span> <code dir="ltr">users:read<\/code>/,
      )
      const { get } = await signedIn({ role: 'operator' })
      const all = await get('/account/key')
      assert.deepEqual(
        builtInPermissions.filter((permission) => !all.text.includes(`name="permission.${permission}"`)),
        [],
      )
      assert.equal(all.text.match(/class="meaning"/g)?.length, builtInPermissions.length)
      assert.equal(headings(all.text).indexOf('<details class="more">'), 6)
      const again = await get('/account/key?permission.roles%3Awrite=on')
      assert.match(again.text, /<details class="more" open>/)
      assert.match((await get('/account/key?lang=de')).text, /Benutzer abmelden/)
    })

    it('creates a personal key that is shown once, and revokes it', async () => {
      const { app, get, post } = await signedIn({ role: 'support' })
      const created = await post('/account/key', { name: 'my laptop', 'permission.users:read': 'on', days: '30' })
      assert.equal(created.status, 200)
      const key = /<code class="key">([^<]+)/.exec(created.text)?.[1] ?? ''
      assert.equal((await app.call('GET', '/users', { key })).status, 200)
      const page = await get('/account')
      assert.doesNotMatch(page.text, new RegExp(key))
      assert.equal((await post('/account/key/revocation', { key_id: fieldIn(page, 'key_id') })).status, 303)
      assert.equal((await app.call('GET', '/users', { key })).status, 401)
      const tooMuch = await post('/account/key', { name: 'more', 'permission.users:write': 'on' })
      assert.equal(tooMuch.status, 403)
      assert.match(tooMuch.text, /name="name"[^>]*value="more"/)
      assert.match(
        (await get('/account/key?permission.users%3Aread=on')).text,
        /name="permission.users:read"[^>]* checked/,
      )
    })

    it('downloads what is stored about the person, and no secret', async () => {
      const { app, person, get, post } = await signedIn({ first_name: 'Grace' })
      await app.call('PATCH', `/users/${person.user_id}`, { body: { last_name: 'Hopper' } })
      await post('/login', { username: person.username, password: 'not this one' })
      const { status, headers, text } = await get('/account/data')
      assert.deepEqual([status, headers['content-disposition']], [200, 'attachment; filename="account-data.json"'])
      const data = JSON.parse(text)
      assert.deepEqual(Object.keys(data), [
        'created_at',
        'user',
        'factors',
        'recovery_codes',
        'sessions',
        'trusted_browsers',
        'identities',
        'keys',
        'activity',
      ])
      assert.deepEqual([data.user.first_name, data.user.last_name, data.sessions.length], ['Grace', 'Hopper', 1])
      const changed = data.activity.find(({ action }: { action: string }) => action === 'user.updated')
      assert.deepEqual([changed.address, changed.user_agent], [null, null])
      assert.doesNotMatch(text, /password_hash|token_hash|\$argon2/)
      const own = await openBrowser(app, person.username)
      const byApi = await own.call('GET', '/me/data')
      assert.deepEqual([byApi.status, Object.keys(byApi.body)], [200, Object.keys(data)], byApi.text)
      assert.deepEqual(byApi.body.activity.slice(0, data.activity.length), data.activity)
      assert.match((await get('/account')).text, /Changed: last name<span[^>]*>[^<]*by a program/)
    })

    it('deletes the own account if that is allowed, as an administrator can undo, but not the last administrator', async (t) => {
      const { get: closed } = await signedIn()
      assert.equal((await closed('/account/deletion')).status, 404)
      const { app: without, person } = await signedIn()
      const own = await openBrowser(without, person.username)
      assert.equal((await own.call('DELETE', '/me')).body.code, 'not_enabled')
      const app = await start(t, engine, { env: { ROLLBOOK_ACCOUNT_DELETION: 'on' } })
      const [user, admin] = [await createPerson(app), await createPerson(app, { role: 'admin' })]
      const { get, post } = plainBrowser(app)
      await post('/login', { username: user.username, password })
      assert.match((await get('/account')).text, /href="account\/deletion"/)
      assert.match((await get('/account/deletion')).text, /Within 7 days an administrator can restore your account/)
      assert.match((await post('/account/deletion', {})).text, /<h1>Your account is deleted/)
      assert.equal((await get('/account')).status, 303)
      assert.equal((await app.call('POST', `/users/${user.user_id}/restore`)).status, 200)
      const last = plainBrowser(app)
      await last.post('/login', { username: admin.username, password })
      const refused = await last.post('/account/deletion', {})
      assert.deepEqual([refused.status, /You are the last administrator/.test(refused.text)], [409, true])
    })

    it('refuses forms of other sites, and lets a user who was signed out sign in first', async () => {
      const { app, person, post } = await signedIn()
      const { username } = person
      const browser = await openBrowser(app, username)
      const headers = {
        cookie: browser.cookie ?? '',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      }
      const foreign = await app.call('POST', '/account/profile', { key: null, headers, body: 'first_name=Eve' })
      assert.equal(foreign.status, 403)
      await post('/logout', {})
      const late = await post('/account/address', { email: 'new@orchard.example', current_password: password })
      assert.equal(late.status, 303)
      assert.match(late.headers.location ?? '', /login\?return_to=.*email%3Dnew/)
      assert.doesNotMatch(late.headers.location ?? '', /nanoseconds/)
    })
  })
}
