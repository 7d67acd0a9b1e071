import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, type Started, start } from '../../../test/harness.ts'
import { sharedApp } from '../../../test/shared-app.ts'

async function refusal(app: Started, body: unknown): Promise<[status: number, code: string, faults: string[]]> {
  const response = await app.call('POST', '/users', { body })
  const faults = (response.body.errors ?? []) as { pointer: string; code: string }[]
  return [response.status, response.body.code, faults.map(({ pointer, code }) => `${pointer} ${code}`)]
}

const everybody = async (app: Started): Promise<{ username: string }[]> => (await app.call('GET', '/users')).body

for (const engine of engines) {
  describe(`creating users on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('returns 201 with the new user, its URL and its ETag', async (t) => {
      const app = await start(t, engine, { clock: () => Date.UTC(2026, 10, 20, 9, 30) })
      const body = {
        username: 'Ada.Lovelace',
        email: 'Ada@Example.org',
        external_id: 'HR-1815',
        first_name: 'Augusta Ada',
        last_name: 'King, Countess of Lovelace',
        role: 'admin',
        password: 'the sky above the port was grey',
      }
      const response = await app.call('POST', '/users', { body })
      assert.equal(response.status, 201)
      const { password: _, ...withoutPassword } = body
      const { user_id } = response.body
      assert.match(user_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.deepEqual(response.body, {
        user_id,
        ...withoutPassword,
        active: true,
        has_password: true,
        last_login_at: null,
        created_at: '2026-11-20T09:30:00.000Z',
        updated_at: '2026-11-20T09:30:00.000Z',
        attributes: {},
      })
      assert.equal(response.headers.location, `/auth/users/${user_id}`)
      assert.match(response.headers.etag ?? '', /^"[^"]+"$/)
      const found = await app.call('GET', `/users/${user_id}`)
      assert.deepEqual(found.body, response.body)
      assert.equal(found.headers.etag, response.headers.etag)
    })

    it('requires only a username', async () => {
      const app = await shared()
      const { username, email, external_id, first_name, last_name, role, active, has_password } = await createUser(
        app,
        {
          username: 'ada',
        },
      )
      assert.deepEqual(
        { username, email, external_id, first_name, last_name, role, active, has_password },
        {
          username: 'ada',
          email: null,
          external_id: null,
          first_name: '',
          last_name: '',
          role: 'user',
          active: true,
          has_password: false,
        },
      )
    })

    it('accepts only strings, refuses unknown members, and points at each fault', async () => {
      const app = await shared()
      const cases: [body: unknown, faults: string[]][] = [
        [{}, ['#/username missing_member']],
        [{ username: 7 }, ['#/username wrong_type']],
        [{ username: null }, ['#/username wrong_type']],
        [{ username: ['ada'] }, ['#/username wrong_type']],
        [{ username: 'ada', email: null }, ['#/email wrong_type']],
        [{ username: 'ada', external_id: null }, ['#/external_id wrong_type']],
        [{ username: 'ada', first_name: null }, ['#/first_name wrong_type']],
        [{ username: 'ada', password: 123456789012345 }, ['#/password wrong_type']],
        [{ username: 'ada', active: true }, ['#/active unknown_member']],
        [{ username: 'ada', user_id: '0' }, ['#/user_id unknown_member']],
        [{ username: 'ada', has_password: true }, ['#/has_password unknown_member']],
        [{ username: 'ada', password_hash: 'x' }, ['#/password_hash unknown_member']],
        [{ username: 'ada', constructor: 'x' }, ['#/constructor unknown_member']],
        [{ username: 'ada', role: 'emperor' }, ['#/role role_unknown']],
        [{ username: 'ada', role: 'constructor' }, ['#/role role_unknown']],
        [{ username: 'ada', role: '' }, ['#/role role_unknown']],
        [[], ['# wrong_type']],
        ['"ada"', ['# wrong_type']],
        ['null', ['# wrong_type']],
        [{ email: 5, nickname: 'x' }, ['#/username missing_member', '#/nickname unknown_member', '#/email wrong_type']],
        [
          { username: 'a b', email: 'nowhere', first_name: 'a\u0000', role: 'emperor' },
          [
            '#/username username_invalid',
            '#/email email_invalid',
            '#/first_name control_character',
            '#/role role_unknown',
          ],
        ],
        [
          {
            username: 'a\0',
            email: 'a\0@x.org',
            external_id: 'a\0',
            first_name: '\0',
            last_name: '\0a',
            role: 'user\0',
          },
          [
            '#/username username_invalid',
            '#/email email_invalid',
            '#/first_name control_character',
            '#/last_name control_character',
            '#/external_id control_character',
            '#/role role_unknown',
          ],
        ],
      ]
      for (const [body, faults] of cases) {
        assert.deepEqual(await refusal(app, body), [422, 'validation_failed', faults], JSON.stringify(body))
      }
      assert.deepEqual(await everybody(app), [])
    })

    it('takes languages with a script and a region, in canonical case', async () => {
      const app = await shared()
      for (const locale of ['de', 'pt-BR', 'es-419', 'zh-Hant', 'zh-Hant-TW'])
        assert.equal((await createUser(app, { username: locale, locale })).locale, locale)
      for (const locale of ['DE', 'de-at', 'de_AT', 'zh-TW-Hant', 'de-AT-1996', 'de-', ''])
        assert.deepEqual(
          (await refusal(app, { username: 'ada', locale })).slice(0, 2),
          [422, 'validation_failed'],
          locale,
        )
    })

    it('lists unknown members, up to ten, suggests similar ones, and lists those that exist', async () => {
      const app = await shared()
      const detailOf = async (body: object) => (await app.call('POST', '/users', { body })).body.detail as string
      const accepted =
        'Accepted: username, password, email, first_name, last_name, role, external_id, locale, kind, expires_at, organization_id, invite, attributes.'
      assert.equal(
        await detailOf({ login: 'ada', firstName: 'Ada', shoe: 39 }),
        `There are no members "login", "firstName" and "shoe". Did you mean "username" for "login", "first_name" for "firstName"? ${accepted} username is required.`,
      )
      assert.equal(
        await detailOf({ username: 'ada', usrname: 'x' }),
        `There is no member "usrname". Did you mean "username"? ${accepted}`,
      )
      const many = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`m${n}`, n]))
      assert.match(await detailOf({ username: 'ada', ...many }), /^There are no members "m0", .*"m9" and 4 more\./)
      const hostile = '\u001b[2J\u202e'.padEnd(200, 'x')
      assert.match(await detailOf({ username: 'ada', [hostile]: 1 }), /"\\u\{1b\}\[2J\\u\{202e\}x{1,40}…"/)
      const key = 'rb_0123456789abcdefghij'
      assert.doesNotMatch(await detailOf({ username: 'ada', [key]: 1 }), /rb_0123/)
      assert.equal(
        await detailOf({ username: '', email: 5, first_name: 'x'.repeat(300) }),
        'username must have at least 1 character and is empty. email must be a string, not a number. first_name must have at most 256 characters, and has 300.',
      )
      assert.equal(
        await detailOf({ username: 'a b', email: 'nowhere' }),
        'The username must not contain a space (U+0020). This is not a valid email address.',
      )
    })

    it('says that a body is missing, with or without a Content-Type', async () => {
      const app = await shared()
      for (const headers of [{ 'content-type': 'application/json' }, {}]) {
        const { status, body } = await app.call('POST', '/users', { body: '', headers })
        assert.deepEqual(
          [status, body.code, body.detail],
          [400, 'malformed_json', 'The body is empty. Send a JSON object.'],
        )
      }
    })

    it('counts lengths in characters, whatever they take in UTF-16 or UTF-8', async () => {
      const app = await shared()
      const wide = '𠮷'
      const limits: [member: string, atMost: (n: number) => string, characters: number][] = [
        ['username', (n) => wide.repeat(n), 128],
        ['email', (n) => `${wide.repeat(n - '@example.org'.length)}@example.org`, 254],
        ['external_id', (n) => '😀'.repeat(n), 255],
        ['first_name', (n) => '😀'.repeat(n), 256],
        ['last_name', (n) => '😀'.repeat(n), 256],
      ]
      for (const [member, text, characters] of limits) {
        const accepted = { username: `with-long-${member}`, [member]: text(characters) }
        assert.equal((await createUser(app, accepted))[member], text(characters))
        const refused = { username: `with-longer-${member}`, [member]: text(characters + 1) }
        assert.deepEqual(await refusal(app, refused), [422, 'validation_failed', [`#/${member} too_long`]])
      }
      const empty = { username: '', email: '', external_id: '', first_name: '', last_name: '' }
      assert.deepEqual((await refusal(app, empty))[2], [
        '#/username too_short',
        '#/email too_short',
        '#/external_id too_short',
      ])
    })

    it('refuses a username that is not an identifier as defined in RFC 8265', async () => {
      const app = await shared()
      const refused = [
        ' ',
        'ada lovelace',
        'ad\u00a0a',
        'ad\u200ba',
        'ada\u0007',
        '①',
        'ﬁ',
        '😀',
        'ada\u202e',
        'אa',
        'a\ufeffb',
      ]
      for (const username of refused) {
        assert.deepEqual(await refusal(app, { username }), [422, 'validation_failed', ['#/username username_invalid']])
      }
      assert.equal((await createUser(app, { username: '\u00a0pasted ' })).username, 'pasted')
      for (const username of ['ada@example.org', 'ада', 'אבג', '管理者', "o'hara", '!', '<script>', "';--"]) {
        assert.equal((await createUser(app, { username })).username, username)
      }
    })

    it('refuses a username of mixed scripts and names them, but lets a user keep one', async () => {
      const app = await shared()
      const mixed = '\u0430da'
      for (const username of [mixed, 'ad\u0430', 'αda', 'ада-lovelace', 'aᏣ']) {
        assert.deepEqual(await refusal(app, { username }), [422, 'validation_failed', ['#/username username_invalid']])
      }
      const { body } = await app.call('POST', '/users', { body: { username: mixed } })
      assert.match(body.errors[0].detail, /Latin and Cyrillic/)
      const headers = { 'content-type': 'text/csv' }
      const importResponse = await app.call('POST', '/users/import', { body: `username\n${mixed}\nzoë\n`, headers })
      assert.deepEqual([importResponse.body.created, importResponse.body.rejects[0].code], [1, 'username_invalid'])

      const { user_id } = await createUser(app, { username: 'grace' })
      await app.runSql(
        `UPDATE users SET username = '${mixed}', username_key = '${mixed}', document = REPLACE(document, 'grace', '${mixed}') WHERE user_id = '${user_id}'`,
      )
      const patch = (body: object) => app.call('PATCH', `/users/${user_id}`, { body })
      for (const acceptedInput of [
        { first_name: 'Ada' },
        { username: mixed },
        { username: '\u0410da', last_name: 'L' },
      ]) {
        assert.equal((await patch(acceptedInput)).status, 200)
      }
      assert.equal((await app.call('DELETE', `/users/${user_id}`)).status, 200)
      assert.equal((await app.call('POST', `/users/${user_id}/restore`)).status, 200)
      const { status, body: refused } = await patch({ username: 'grac\u0435' })
      assert.deepEqual([status, refused.errors[0].code], [422, 'username_invalid'])
      assert.equal((await patch({ username: 'grace' })).status, 200)
    })

    it('refuses an invalid email address', async () => {
      const app = await shared()
      const refused = [
        'ada',
        '@example.org',
        'ada@',
        'a@b@c',
        'a da@example.org',
        'ada@example..org',
        'ada@.org',
        'ada@org.',
      ]
      for (const email of [...refused, 'ada@exa\nmple.org', '<ada@example.org>', 'ada@example.org\u0000']) {
        const got = await refusal(app, { username: 'ada', email })
        assert.deepEqual(got, [422, 'validation_failed', ['#/email email_invalid']], JSON.stringify(email))
      }
      for (const email of ['ada@localhost', "o'hara+rollbook@mail.example.org", 'ада@пример.рф']) {
        assert.equal((await createUser(app, { email })).email, email)
      }
    })

    it('refuses a weak password with the reason, and shows no password in any response', async () => {
      const app = await shared()
      const cases = [
        ['too short', 'password_too_short'],
        ['x'.repeat(1025), 'password_too_long'],
        ['passwordpassword', 'password_too_common'],
        ['ada.lovelace.ada', 'password_contains_context'],
        ['ada@engine.example', 'password_contains_context'],
        ['Rollbook-Rollbook', 'password_contains_context'],
      ] as const
      for (const [password, code] of cases) {
        const body = { username: 'ada.lovelace', email: 'ada@engine.example', password }
        const response = await app.call('POST', '/users', { body })
        assert.equal(response.status, 422)
        const [{ pointer, code: faultCode }, ...others] = response.body.errors
        assert.deepEqual([pointer, faultCode, others], ['#/password', code, []])
        assert.ok(!response.text.includes(password))
      }
      assert.deepEqual(await everybody(app), [])
    })

    it('keeps usernames unique regardless of case, width and normalization, and shows them as entered', async () => {
      const app = await shared()
      for (const username of ['Ada', 'Zoë', 'Straße', 'ΣΟΦΟΣ']) await createUser(app, { username })
      for (const username of ['ada', 'ADA', 'Ａｄａ', 'Zoe\u0308', 'ZOË', 'STRAßE', 'σοφος']) {
        assert.deepEqual(
          await refusal(app, { username }),
          [409, 'username_taken', ['#/username username_taken']],
          username,
        )
      }
      assert.deepEqual(
        (await everybody(app)).map(({ username }) => username),
        ['Ada', 'Zoë', 'Straße', 'ΣΟΦΟΣ'],
      )
    })

    it('keeps email addresses unique regardless of case, and external ids unique exactly', async () => {
      const app = await shared()
      await createUser(app, { username: 'ada', email: 'Ada@Example.org', external_id: 'hr-1' })
      assert.deepEqual(await refusal(app, { username: 'b', email: 'aDA@eXAMPLE.ORG' }), [
        409,
        'email_taken',
        ['#/email email_taken'],
      ])
      assert.deepEqual(await refusal(app, { username: 'b', external_id: 'hr-1' }), [
        409,
        'external_id_taken',
        ['#/external_id external_id_taken'],
      ])
      const again = { username: 'ADA', email: 'ada@example.org', external_id: 'hr-1' }
      const all = ['#/username username_taken', '#/email email_taken', '#/external_id external_id_taken']
      assert.deepEqual(await refusal(app, again), [409, 'username_taken', all])
      await createUser(app, { username: 'b', external_id: 'HR-1' })
      await createUser(app, { username: 'c' })
      await createUser(app, { username: 'd' }) // without an e-mail address or an external id, as c is
      assert.equal((await everybody(app)).length, 4)
    })

    it("refuses a username that is another user's email address, and the other way round", async () => {
      const app = await shared()
      await createUser(app, { username: 'ada', email: 'Ada@Example.org' })
      await createUser(app, { username: 'Bob@Example.org' })
      assert.deepEqual(await refusal(app, { username: 'ADA@example.org' }), [
        409,
        'username_taken',
        ['#/username username_taken'],
      ])
      const taken = await refusal(app, { username: 'eve', email: 'bob@EXAMPLE.org' })
      assert.deepEqual(taken, [409, 'email_taken', ['#/email email_taken']])
      await createUser(app, { username: 'eve@example.org', email: 'Eve@example.org' })
    })

    it('lists both names that are taken when the username is the email address too', async () => {
      const app = await shared()
      const eve = { username: 'eve@example.org', email: 'eve@example.org' }
      await createUser(app, eve)
      const { body } = await app.call('POST', '/users', { body: eve })
      assert.equal(body.detail, 'Another user already has this username.')
      assert.deepEqual(
        body.errors.map(({ code }: { code: string }) => code),
        ['username_taken', 'email_taken'],
      )
    })

    it('gives the username to one of 64 simultaneous requests, and refuses the others', async () => {
      const app = await shared()
      const spellings = ['ada', 'ADA', 'Ada', 'ａｄａ']
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) => app.call('POST', '/users', { body: { username: spellings[i % 4] } })),
      )
      const outcomes = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`)
      assert.equal(outcomes.filter((outcome) => outcome === '201 ').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === '409 username_taken').length, 63)
      assert.equal((await everybody(app)).length, 1)
    })

    it('never reuses a user_id, even for the same names', async () => {
      const app = await shared()
      const names = { username: 'ada', email: 'ada@example.org', external_id: 'hr-1' }
      const first = await createUser(app, names)
      assert.equal((await app.call('DELETE', `/users/${first.user_id}`)).status, 200)
      const second = await createUser(app, names)
      assert.notEqual(second.user_id, first.user_id)
      assert.equal((await app.call('GET', `/users/${first.user_id}`)).body.code, 'user_not_found')
    })
  })
}
