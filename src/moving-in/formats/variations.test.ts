import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Converted, type SourceName, type SourceOptions, sources } from './index.ts'

const now = new Date('2025-12-01T00:00:00.000Z')
const bcrypt = '$2a$10$wHBMlZnf4PBq8z2BWTZeFubXzql411CwV5L.Nw3U5etdp34RuCsFi'

/** Returns the result of a text: usernames with their lines, what is left out, and how it ends. */
async function outcome(source: SourceName, text: string | Buffer, options: Partial<SourceOptions> = {}) {
  const found: Converted[] = []
  let fault = ''
  async function* input(): AsyncGenerator<Uint8Array> {
    if (typeof text === 'string') yield Buffer.from(text)
    else for (let at = 0; at < text.length; at += 3) yield text.subarray(at, at + 3)
  }
  try {
    for await (const one of sources[source].read(input(), { now, ...options })) found.push(one)
  } catch (error) {
    fault = String(error)
  }
  const rows = found.flatMap((one) => ('row' in one ? [one.row] : []))
  const users = found.flatMap((one) => ('row' in one ? [`${one.row.username} ${one.line}`] : []))
  const leftOut = found.flatMap((one) => ('leftOut' in one ? [one.leftOut] : []))
  return { rows, users, leftOut, told: leftOut.map(({ what, why, of }) => `${of}: ${what}: ${why}`), fault }
}

describe('real files in unusual forms', () => {
  const identity = (name: string) => ({
    id: `id-of-${name}`,
    schema_id: 'default',
    traits: { username: name },
    credentials: { password: { identifiers: [name], config: { hashed_password: bcrypt } } },
  })
  const [ada, grace] = [identity('ada'), identity('grace')]
  const pretty = (value: unknown) => JSON.stringify(value, null, 2)

  for (const [form, text, users] of [
    ['one in several lines', pretty(ada), ['ada 1']],
    ['one in one line', JSON.stringify(ada), ['ada 1']],
    [
      'NDJSON with blank lines and CRLF',
      `\ufeff${JSON.stringify(ada)}\r\n\r\n${JSON.stringify(grace)}\r\n`,
      ['ada 1', 'grace 3'],
    ],
    [
      'one after the other in several lines',
      `${pretty(ada)}\n${pretty(grace)}\n`,
      ['ada 1', `grace ${pretty(ada).split('\n').length + 1}`],
    ],
    ['pages in one array', JSON.stringify([[ada], [grace]]), ['ada 1', 'grace 1']],
    ['pages as objects', JSON.stringify([{ identities: [ada] }, { identities: [grace] }]), ['ada 1', 'grace 1']],
    ['a list with a name', pretty({ identities: [ada] }), ['ada 3']],
  ] as const) {
    it(`reads identities of Kratos: ${form}`, async () => {
      const { rows, users: found, fault } = await outcome('kratos', text)
      assert.deepEqual([found, fault], [users, ''])
      assert.ok(rows.every(({ password_hash }) => password_hash === bcrypt))
    })
  }

  it('reads rows of Supabase as JSON in every form, and a list of its API, which has no hashes', async () => {
    const row = { id: 'u-1', email: 'ada@example.com', encrypted_password: bcrypt, email_confirmed_at: '2025-01-01' }
    for (const value of [[row], row, [{ json_agg: [row] }], [{ row_to_json: row }], { data: [row] }]) {
      for (const text of [JSON.stringify(value), pretty(value)]) {
        const { rows, fault } = await outcome('supabase', text)
        assert.deepEqual([rows.length, rows[0]?.password_hash, fault], [1, bcrypt, ''], text)
      }
    }
    const ofApi = {
      users: [{ id: 'u-1', email: 'ada@example.com', app_metadata: { role: 'boss' } }],
      aud: 'authenticated',
    }
    const { told } = await outcome('supabase', JSON.stringify(ofApi))
    assert.ok(told.some((line) => /encrypted_password is not in the file/.test(line)))
    assert.ok(told.some((line) => /role boss/.test(line)))
  })

  it('reads a Supabase seed, and reports values that only the database computes', async () => {
    const seed = `-- seed
      INSERT INTO "auth"."users" ("id", email, encrypted_password, email_confirmed_at, created_at, raw_user_meta_data, banned_until)
      VALUES (gen_random_uuid(), 'ada@example.com', extensions.crypt('hunter2', gen_salt('bf')), now(), now() - interval '1 day', '{"name": "Ada"}'::jsonb, DEFAULT),
        (CAST('8d1f6b5e-3c1a-4b7e-9a64-000000000009' AS uuid), E'gr\\x61ce@example.com', '${bcrypt}'::character varying(255), current_timestamp, timestamp '2024-01-01', ('{}'), now() + interval '1 year')
      ON CONFLICT (id) DO NOTHING;
      insert into auth.identities (id, user_id) select gen_random_uuid(), id from auth.users;`
    for (const text of [seed, seed.replaceAll('\n', '\r\n')]) {
      const { rows, users, told, fault } = await outcome('supabase', text)
      assert.deepEqual([users, fault], [['ada@example.com 3', 'grace@example.com 4'], ''])
      assert.deepEqual(
        rows.map(({ external_id, first_name, active, password_hash, created_at }) => [
          external_id,
          first_name,
          active,
          password_hash,
          created_at,
        ]),
        [
          [undefined, 'Ada', true, undefined, undefined],
          ['8d1f6b5e-3c1a-4b7e-9a64-000000000009', undefined, false, bcrypt, '2024-01-01T00:00:00.000Z'],
        ],
      )
      assert.match(
        told.join('\n'),
        /line 3: column created_at: the file has now\(…\) instead of a value, which only the database computes/,
      )
      assert.match(told.join('\n'), /line 3: password: .* extensions\.crypt\(…\) instead of a hash, which only/)
      assert.doesNotMatch(told.join('\n'), /hunter2/)
    }
  })

  it('reads the TRUE that Excel makes of a boolean in the CSV file of Firebase', async () => {
    const cells = Array.from(
      { length: 28 },
      (_, n) => ['id1', 'ada@example.com', 'TRUE'][n] ?? (n === 26 ? 'TRUE' : ''),
    )
    const { rows } = await outcome('firebase', `${cells.join(',')}\n`)
    assert.equal(rows[0]?.active, false)
  })

  it('carries the password of the emulator of Firebase when it is strong enough, which hashes nothing', async () => {
    const user = (localId: string, password: string) => ({
      localId,
      email: `${localId}@example.com`,
      passwordHash: `fakeHash:salt=fakeSalt1:password=${password}`,
      salt: 'fakeSalt1',
    })
    const users = [user('ada', 'note g: bernoulli'), user('grace', '123456')]
    const { rows, told } = await outcome('firebase', JSON.stringify({ users }))
    assert.deepEqual(
      rows.map(({ password }) => password),
      ['note g: bernoulli', undefined],
    )
    assert.match(
      told.join('\n'),
      /grace: password: plain text in the source, and too weak for Rollbook \(password_too_short\)/,
    )
    assert.doesNotMatch(told.join('\n'), /123456/)
  })

  it('resolves Django groups by names that come later, by numbers in the role map, and reports missing ones', async () => {
    const user = (pk: number, groups: unknown[]) => ({
      model: 'auth.user',
      pk,
      fields: { username: `user-${pk}`, password: '', last_login: null, groups },
    })
    const file = [user(1, [4]), { model: 'auth.group', pk: 4, fields: { name: 'editors' } }, user(2, [5]), user(3, [6])]
    const { rows, told } = await outcome('django', JSON.stringify(file), { roleMap: { editors: 'admin', 5: 'user' } })
    assert.deepEqual(Object.fromEntries(rows.map(({ username, role }) => [username, role])), {
      'user-1': 'admin',
      'user-2': 'user',
      'user-3': undefined,
    })
    assert.match(told.join('\n'), /3: group number 6: .*manage\.py dumpdata auth\.group auth\.user/)
  })

  it('leaves out Keycloak service accounts without counting them as lost users, and says how to export users', async () => {
    const service = { username: 'service-account-app', serviceAccountClientId: 'app' }
    const realm = (more: object) => JSON.stringify({ realm: 'shop', clients: [], ...more })
    const { users, leftOut } = await outcome('keycloak', realm({ users: [service, { username: 'ada' }] }))
    assert.deepEqual(users, ['ada 1'])
    assert.ok(leftOut.every(({ what }) => what !== 'user'))
    for (const partial of [{}, { groups: [{ name: 'staff', path: '/staff' }] }, { users: [] }, { users: [service] }]) {
      for (const text of [realm(partial), JSON.stringify(JSON.parse(realm(partial)), null, 2)]) {
        const { fault } = await outcome('keycloak', text)
        assert.match(fault, /partial export.* kc\.sh export --realm <realm> --file .* --users same_file/, text)
      }
    }
  })

  it('continues after a CSV row with too few or too many cells, and reports its line', async () => {
    const mapping = '{"members": {"username": "login", "email": "mail"}}'
    const lines = [
      'login;mail',
      'ada;ada@example.com',
      'ragged',
      '',
      '"x\r\ny";mary@example.com',
      'a;b;c',
      'last;l@example.com',
    ]
    const { users, told, fault } = await outcome('csv', `\ufeff${lines.join('\r\n')}`, { mapping })
    assert.deepEqual([users, fault], [['ada 2', 'mary@example.com 5', 'last 8'], ''])
    assert.deepEqual(
      told.filter((line) => / user: /.test(line)),
      [
        'line 3: user: the row has 1 cell, but the first line names 2 columns',
        'line 7: user: the row has 3 cells, but the first line names 2 columns',
      ],
    )
    const supabase = await outcome(
      'supabase',
      `id\temail\tencrypted_password\n1\ta@example.com\t\n2\n3\tc@example.com\t${bcrypt}\n`,
    )
    assert.deepEqual(supabase.users, ['a@example.com 2', 'c@example.com 4'])
  })

  it('continues after a row of a Supabase dump with too few or too many values, and reports its line', async () => {
    const copy =
      'COPY auth.users (id, email) FROM stdin;\n1\ta@example.com\n2\n\n3\tc@example.com\tx\n4\td@example.com\n\\.\n'
    const insert =
      "INSERT INTO auth.users (id, email) VALUES\n('5', 'e@example.com'),\n('6'),\n('7', 'g@example.com');\n"
    const { users, told, fault } = await outcome('supabase', `${copy}${insert}`)
    assert.deepEqual(
      [users, fault],
      [['a@example.com 2', 'd@example.com 6', 'e@example.com 9', 'g@example.com 11'], ''],
    )
    assert.deepEqual(
      told.filter((line) => / user: /.test(line)),
      [
        'line 3: user: the row has 1 value, but there are 2 columns',
        'line 4: user: the row has 1 value, but there are 2 columns',
        'line 5: user: the row has 3 values, but there are 2 columns',
        'line 10: user: the row has 1 value, but there are 2 columns',
      ],
    )
  })

  it('reads UTF-16 with its mark, wherever the pieces are cut', async () => {
    const text = '\ufeffid,email,encrypted_password\n1,zoë@example.com,\n2,b@example.com,\n'
    for (const wide of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()]) {
      const { users, fault } = await outcome('supabase', wide)
      assert.deepEqual([users.length, fault], [2, ''])
    }
    const { fault } = await outcome('supabase', Buffer.from(text, 'utf16le').subarray(0, -1))
    assert.match(fault, /not UTF-16LE, or is cut off/)
  })
})

describe('an unreadable file', () => {
  const seed = 'INSERT INTO auth.users (id, email) '
  for (const [source, text, said] of [
    [
      'supabase',
      '[\n {"id": "1", "email": "a@example.com"},\n {"id": "2", "em',
      /valid JSON at line 3, or is cut off there, after entry 1/,
    ],
    ['supabase', '[{"email": "a@example.com"}]', /Entry 1 \(line 1\) is no user: it needs an id/],
    ['supabase', `${seed}\nSELECT gen_random_uuid(), 'x';`, /rows from a SELECT.*run the file there.*line 1/],
    [
      'supabase',
      `${seed}VALUES\n('1', 'a@example.com'),\n('2', 'b`,
      /cut.*|middle of a statement with rows of auth\.users \(line 3\)/,
    ],
    ['supabase', 'COPY public.profiles (id) FROM stdin;\n1\n\\.\n', /no rows of auth\.users.*"public\.profiles"/],
    ['supabase', 'uid,mail\n1,a\n', /names no column id, email; it has "uid" and "mail"\. Did you mean "uid" for id/],
    ['supabase', 'PGDMP\u0001\u000e', /custom format.*--format=plain/],
    ['pocketbase', 'SQLite format 3\0', /SQLite database.*CSV or JSON/],
    ['auth0', 'user_id,email\n1,a\n', /not JSON \(it looks like CSV\)/],
    [
      'kratos',
      `${JSON.stringify({ id: '1', traits: {} })}\n{"id": "2", "tra`,
      /Line 2 of the input is not valid JSON, or is cut off there/,
    ],
    ['keycloak', '["ada"]', /Entry 1 \(line 1\) is a string, not an object/],
    ['django', 'ada,ada@example.com,hunter2\n', /it looks like a user, so the line with the names may be missing\. It/],
  ] as const) {
    it(`is refused with what is wrong, where, and what to do: ${source}, ${JSON.stringify(text.slice(0, 40))}`, async () => {
      const { fault } = await outcome(source, text)
      assert.match(fault, said)
      assert.doesNotMatch(fault, /hunter2/)
    })
  }

  it('reports the line of a CSV quote that is never closed', async () => {
    const mapping = '{"members": {"username": "login"}}'
    const { fault } = await outcome('csv', 'login,mail\nada,a\ngrace,"g\nx,y\n', { mapping })
    assert.match(fault, /A quote opens on line 3 or later and is never closed/)
  })
})

describe('a mapping of one-time codes', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const uri = `otpauth://totp/Orchard:ada?secret=${secret}`
  for (const [source, text] of [
    ['csv', `login,code\nada,${secret}\ngrace,${uri}\neve,${uri}&digits=8\nalan,\n`],
    [
      'json',
      JSON.stringify([
        { login: 'ada', code: secret },
        { login: 'grace', code: uri },
        { login: 'eve', code: `${uri}&digits=8` },
        { login: 'alan' },
      ]),
    ],
  ] as const) {
    it(`takes secrets and the links of QR codes from ${source}, and reports others without repeating them`, async () => {
      const mapping = '{"members": {"username": "login", "totp_secret": "code"}}'
      const { rows, told, fault } = await outcome(source, text, { mapping })
      assert.equal(fault, '')
      assert.deepEqual(
        rows.map(({ factors }) => factors),
        [[{ kind: 'totp', secret }], [{ kind: 'totp', secret }], undefined, undefined],
      )
      assert.match(told.join('\n'), /second factor: totp: Only one-time codes of 6 digits/)
      assert.ok(!told.join('\n').includes(secret))
    })
  }
})

describe('ready mappings', () => {
  it('take the hash parameters of a whole FusionAuth import file for each user', async () => {
    const hash = bcrypt.slice('$2a$10$'.length)
    const user = { email: 'ada@example.com', salt: hash.slice(0, 22), password: hash.slice(22) }
    for (const indent of [0, 2]) {
      const text = JSON.stringify({ encryptionScheme: 'bcrypt', factor: 10, users: [user] }, null, indent)
      const { rows, fault } = await outcome('fusionauth', text)
      assert.deepEqual([rows.map(({ password_hash }) => password_hash), fault], [[bcrypt], ''])
    }
  })

  it('put together the Firebase hash of a Clerk export', async () => {
    const [hash, salt, key] = ['aGFzaA==', 'c2FsdHNhbHQ=', 'a2V5']
    const header = 'id,primary_email_address,password_digest,password_hasher'
    const digest = [hash, salt, key, 'Bw==', '8', '14'].join('$')
    const { told } = await outcome('clerk', `${header}\nu1,ada@example.com,${digest},scrypt_firebase\n`)
    // The parts are those of no hash, so it is refused, but as one of Firebase.
    assert.match(told.join('\n'), /u1: password: /)
  })

  it('never read a role of Clerk from what users can write', async () => {
    const user = {
      id: 'u1',
      email_addresses: [{ email_address: 'ada@example.com' }],
      unsafe_metadata: { role: 'admin' },
    }
    const { rows, told } = await outcome('clerk', JSON.stringify([user]), { roleMap: { admin: 'admin' } })
    assert.equal(rows[0]?.role, undefined)
    assert.match(told.join('\n'), /unsafe_metadata\.role/)
  })

  it('refuse a file that none of the users of the system can be in', async () => {
    const { fault } = await outcome('okta', '[{"id": "1", "username": "ada", "email": "ada@example.com"}]')
    assert.match(fault, /has none of statusChanged.*expected users of Okta/)
    const { fault: other } = await outcome('entra', '[{"id": "1", "userName": "ada", "schemas": []}]')
    assert.match(other, /--from scim/)
  })
})

describe('LDIF', () => {
  const person = (name: string, more = '') =>
    `dn: uid=${name},dc=example\nobjectClass: inetOrgPerson\nuid: ${name}\ncn: ${name}\nsn: ${name}\n${more}\n`

  it('knows members of groups that come before or after, by name or by dn', async () => {
    const group = 'dn: cn=ops,dc=example\nobjectClass: posixGroup\ncn: ops\nmemberUid: ada\n\n'
    const other = 'dn: cn=math,dc=example\nobjectClass: groupOfNames\ncn: math\nmember: UID=grace, dc=example\n\n'
    const { rows, fault } = await outcome('ldif', `${group}${person('ada')}${person('grace')}${other}`, {
      roleMap: { ops: 'admin', math: 'editor' },
    })
    assert.deepEqual(
      [rows.map(({ username, role }) => `${username} ${role}`), fault],
      [['ada admin', 'grace editor'], ''],
    )
  })

  it('disables accounts that the directory has disabled, or that have expired', async () => {
    const states = {
      one: 'accountExpires: 132000000000000000',
      two: 'krbPrincipalExpiration: 20200101000000Z',
      three: 'nsAccountLock: TRUE',
      four: 'shadowExpire: 1',
      five: 'accountExpires: 9223372036854775807\nkrbPasswordExpiration: 20200101000000Z\npwdReset: TRUE',
    }
    const text = Object.entries(states).map(([name, state]) => person(name, `${state}\n`))
    const { rows } = await outcome('ldif', text.join(''))
    assert.deepEqual(
      rows.filter(({ active }) => active !== false).map(({ username }) => username),
      ['five'],
    )
  })

  it('ignores what ldapsearch says at the end, comments and URLs, and names lines', async () => {
    const text = `# extended LDIF\n#\n# a comment that\n  goes on\n\n${person('ada', 'jpegPhoto:< file:///tmp/x\n')}# search result\nsearch: 2\nresult: 0 Success\n`
    const { users, fault } = await outcome('ldif', text)
    assert.deepEqual([users, fault], [['ada 6'], ''])
  })

  it('leaves passwords in plain text out unless they are asked for, and never repeats them', async () => {
    const text = `${person('ada', 'userPassword: note g: bernoulli\n')}${person('grace', 'userPassword: {CLEARTEXT}short\n')}`
    const without = await outcome('ldif', text)
    assert.deepEqual(
      without.rows.map(({ password }) => password),
      [undefined, undefined],
    )
    assert.match(without.told.join('\n'), /plain text in the file; --clear-passwords hash imports it/)
    const { rows, told } = await outcome('ldif', text, { clearPasswords: 'hash' })
    assert.deepEqual(
      rows.map(({ password }) => password),
      ['note g: bernoulli', undefined],
    )
    assert.match(told.join('\n'), /too weak/)
    assert.doesNotMatch(told.join('\n'), /short;|bernoulli/)
  })

  for (const [what, text, fault] of [
    ['a change', 'dn: uid=ada\nchangetype: modify\nreplace: mail\nmail: a\n', /line 2.* is a change/i],
    ['an entry without a dn', 'uid: ada\ncn: Ada\n', /entry at line 1 has no dn/],
    ['JSON', '[{"dn": "uid=ada"}]\n', /Line 1 of the input is not LDIF/],
    ['a continuation of nothing', ' uid: ada\n', /continues nothing/],
  ] as const) {
    it(`is refused if it is ${what}`, async () => assert.match((await outcome('ldif', text)).fault, fault))
  }
})
