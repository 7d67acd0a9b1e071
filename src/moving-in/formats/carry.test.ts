import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ImportRow, type LeftOut, type SourceOptions, sources } from './index.ts'

describe('a migrated user', () => {
  for (const [rule, users, expected] of [
    ['keeps a username that fits', ['ada,a@example.com'], ['ada']],
    ['is called by the e-mail address when the username does not fit', ['Ada L,a@example.com'], ['a@example.com']],
    [
      'is called by the e-mail address when the username is longer than 128',
      [`${'a'.repeat(129)},a@example.com`],
      ['a@example.com'],
    ],
    ['is called by the id when there is neither', [','], ['user-1']],
    [
      'is called otherwise when only case tells the username from that of another',
      ['ada,a@example.com', 'ADA,b@example.com'],
      ['ada', 'b@example.com'],
    ],
    [
      'is called by the id when the e-mail address is that of another too',
      ['ada,a@example.com', 'ada,A@EXAMPLE.COM'],
      ['ada', 'user-2'],
    ],
    [
      'is not called what is the e-mail address of another',
      ['ada,a@example.com', 'a@example.com,b@example.com'],
      ['ada', 'b@example.com'],
    ],
    ['may be called by their own e-mail address', ['A@example.com,a@example.com'], ['A@example.com']],
    [
      'keeps no e-mail address that is the username of another',
      ['a@example.com,', 'ada,a@example.com'],
      ['a@example.com', 'ada'],
    ],
  ] as const) {
    it(rule, async () => {
      const { rows } = await carried(users)
      assert.deepEqual(
        rows.map(({ username }) => username),
        expected,
      )
      const names = rows.flatMap(({ username, email = username }) => [
        ...new Set([username.toLowerCase(), email.toLowerCase()]),
      ])
      assert.equal(new Set(names).size, names.length, 'nobody has the name of another')
    })
  }

  it('is reported once for everything that is left out', async () => {
    const { leftOut } = await carried(['Ada L,a@example.com', 'b,a@example.com'])
    assert.deepEqual(
      leftOut.filter(({ what }) => what !== 'password'),
      [
        { what: 'username', why: 'contains a space (U+0020); the email address is used instead', of: '1' },
        { what: 'email address', why: 'an earlier user has it', of: '2' },
      ],
    )
  })

  it('has only roles of the role map, the first of the map if there are several', async () => {
    const groups = [{ model: 'auth.group', pk: 1, fields: { name: 'admin' } }]
    const user = {
      model: 'auth.user',
      pk: 1,
      fields: { username: 'ada', password: '!', last_login: null, is_superuser: true, groups: [1] },
    }
    const roleOf = async (options: Partial<SourceOptions>) =>
      (await read('django', JSON.stringify([...groups, user]), options)).rows[0]?.role
    assert.equal(await roleOf({}), undefined)
    assert.equal(await roleOf({ roleMap: { staff: 'admin' } }), undefined)
    assert.equal(await roleOf({ roleMap: { is_superuser: 'editor', admin: 'admin' } }), 'editor')
    assert.equal(await roleOf({ roleMap: { constructor: 'admin' } }), undefined)
  })

  it('is recognized in a Django model without last_login, and other entries are counted by model', async () => {
    const password = 'pbkdf2_sha256$600000$salt$bm90IHRoZSBoYXNoIG9mIGFueXRoaW5n'
    const entries = [
      { model: 'accounts.user', pk: 1, fields: { email: 'ada@example.com', password } },
      { model: 'accounts.user', pk: 2, fields: { username: 'charles', password: '!unusable' } },
      { model: 'mail.account', pk: 1, fields: { email: 'post@example.com', password: 'in clear' } },
      { model: 'shop.order', pk: 1, fields: {} },
      { model: 'shop.order', pk: 2, fields: { total: 3 } },
    ]
    const { rows, leftOut } = await read('django', JSON.stringify(entries))
    assert.deepEqual(
      rows.map(({ username }) => username),
      ['ada@example.com', 'charles'],
    )
    assert.deepEqual(
      leftOut.flatMap(({ what, of }) => (what.startsWith('entry') ? [`${what} ${of}`] : [])),
      ['entry of mail.account 1', 'entry of shop.order 1', 'entry of shop.order 2'],
    )
  })

  it('keeps an id that is a UUID if requested, and is reported otherwise', async () => {
    const id = '5B6F2C1E-0D4A-4E0B-9C53-000000000001'
    const text = JSON.stringify([
      { id, email: 'a@example.com' },
      { id: 'k3j9', email: 'b@example.com' },
    ])
    assert.deepEqual(
      (await read('pocketbase', text, { keepIds: true })).rows.map(({ user_id, external_id }) => [
        user_id,
        external_id,
      ]),
      [
        [id.toLowerCase(), undefined],
        [undefined, 'k3j9'],
      ],
    )
    assert.deepEqual(
      (await read('pocketbase', text)).rows.map(({ external_id }) => external_id),
      [id, 'k3j9'],
    )
  })

  it('is left out if an earlier entry has the same id', async () => {
    const { rows, leftOut } = await read(
      'pocketbase',
      '[{"id":"1","email":"a@example.com"},{"id":"1","email":"b@example.com"}]',
    )
    assert.equal(rows.length, 1)
    assert.ok(leftOut.some(({ what, of }) => what === 'user' && of === '1'))
  })
})

it('a mapping sets attributes, with the type that it names', async () => {
  const members = {
    username: 'login',
    'attributes.department': { column: 'dept', values: { it: 'Informatics' }, otherwise: 'Other' },
    'attributes.seats': { column: 'seats', type: 'number' },
    'attributes.remote': { column: 'remote', type: 'boolean' },
    'attributes.tags': { column: 'tags', type: 'string[]' },
  }
  const text = 'login,dept,seats,remote,tags\nada,it,"1,5",yes,"a; ""b;c"""\nbob,hr,many,,\n'
  const { rows } = await read('csv', text, { mapping: JSON.stringify({ members }) })
  assert.deepEqual(
    rows.map(({ attributes }) => attributes),
    [
      { department: 'Informatics', seats: 1.5, remote: true, tags: ['a', 'b;c'] },
      // The server says what is wrong with the number.
      { department: 'Other', seats: 'many' },
    ],
  )
  for (const [rule, fault] of [
    [{ 'attributes.Seats': 'seats' }, /maps attributes\.Seats, which is not one of/],
    [{ 'attributes.seats': { column: 'seats', type: 'date' } }, /neither a column/],
    [{ email: { column: 'mail', type: 'number' } }, /has a type for email/],
  ] as const) {
    const wrong = { mapping: JSON.stringify({ members: { username: 'login', ...rule } }) }
    await assert.rejects(read('csv', text, wrong), fault)
  }
})

const mapping = '{"members": {"id": "id", "username": "login", "email": "mail"}}'

function carried(users: readonly string[]) {
  return read('csv', `id,login,mail\n${users.map((user, i) => `${i + 1},${user}\n`).join('')}`)
}

async function read(source: keyof typeof sources, text: string, options: Partial<SourceOptions> = {}) {
  const rows: ImportRow[] = []
  const leftOut: LeftOut[] = []
  const input = (async function* () {
    yield Buffer.from(text)
  })()
  for await (const each of sources[source].read(input, { now: new Date(0), mapping, ...options })) {
    if ('row' in each) rows.push(each.row)
    else leftOut.push(each.leftOut)
  }
  return { rows, leftOut }
}
