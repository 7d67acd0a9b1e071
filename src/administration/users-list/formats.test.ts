import assert from 'node:assert/strict'
import { get } from 'node:http'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { readSheet } from 'read-excel-file/universal'
import { adminKey, createUser, engines, start } from '../../../test/harness.ts'
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'

const members = [
  'user_id',
  'username',
  'email',
  'external_id',
  'first_name',
  'last_name',
  'role',
  'active',
  'has_password',
  'last_login_at',
  'created_at',
  'updated_at',
  'locale',
  'kind',
]

/** RFC 4180, read strictly: CRLF after each row, quotes doubled inside quotes and nowhere else. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y
  let row: string[] = []
  while (field.lastIndex < text.length) {
    const match = field.exec(text)
    assert.ok(match, 'every field ends in a comma or in CRLF')
    const [, value = '', separator] = match
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (separator === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

/** The bytes as they come over the wire. */
function fetchRaw(
  url: string,
  headers: Record<string, string>,
): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'x-api-key': adminKey, ...headers }, agent: false }, async (response) => {
      try {
        const bytes = Buffer.concat(await response.toArray())
        resolve({ encoding: response.headers['content-encoding'], bytes })
      } catch (error) {
        reject(error)
      }
    }).on('error', reject)
  })
}

for (const engine of engines) {
  describe(`formats of the list on ${engine.name}`, () => {
    it('NDJSON has the rows of JSON, one per line', async (t) => {
      const app = await start(t, engine)
      const ndjson = (query = '') => app.call('GET', `/users${query}`, { headers: { accept: 'application/x-ndjson' } })
      assert.equal((await ndjson()).text, '')
      const users = [await createUser(app, { first_name: 'Zoë "Z"' }), await createUser(app)]
      for (const query of ['', '?limit=5', '?sort=username', '?q=user']) {
        const response = await ndjson(query)
        assert.match(response.headers['content-type'] ?? '', /^application\/x-ndjson/)
        const lines = response.text.split('\n')
        assert.equal(lines.pop(), '')
        assert.deepEqual(
          lines.map((line) => JSON.parse(line)),
          users,
        )
      }
      const page = await ndjson('?limit=1')
      assert.deepEqual([page.text.split('\n').length, page.headers.link?.includes('rel="next"')], [2, true])
    })

    it('CSV has the same rows with a header, quoted as RFC 4180 says', async (t) => {
      const app = await start(t, engine)
      const csv = (query = '') => app.call('GET', `/users${query}`, { headers: { accept: 'text/csv' } })
      assert.deepEqual(parseCsv((await csv()).text), [members])
      const users = [
        await createUser(app, { username: 'ada', email: 'ada@example.org', last_name: 'King, "Countess" of Lovelace' }),
        await createUser(app, {
          username: 'zoë',
          external_id: 'a;b',
          first_name: ' ',
          last_name: "O'Hara",
          locale: 'el',
        }),
      ]
      const expected = [members, ...users.map((user) => members.map((member) => String(user[member] ?? '')))]
      for (const query of ['', '?limit=5', '?sort=username', '?role=user']) {
        const response = await csv(query)
        assert.match(response.headers['content-type'] ?? '', /^text\/csv; charset=utf-8; header=present$/)
        assert.deepEqual(parseCsv(response.text), expected)
      }
    })

    it('an Excel file has the columns of CSV, with times as times and no formula', async (t) => {
      const app = await start(t, engine)
      await app.call('POST', '/attributes', { body: { name: 'joined', type: 'date' } })
      const ada = { username: 'ada', first_name: '=1+1', external_id: '007', attributes: { joined: '2026-11-29' } }
      const { created_at } = (await app.call('POST', '/users', { body: ada })).body
      const url = await app.listen()
      for (const query of ['', '?limit=5', '?sort=username&include=groups']) {
        const { bytes } = await fetchRaw(`${url}/users${query}`, {
          accept: xlsxMediaType,
          'accept-encoding': 'gzip, identity',
        })
        const file = new Blob([new Uint8Array(query === '?limit=5' && bytes[0] === 0x1f ? gunzipSync(bytes) : bytes)])
        const [header = [], row = []] = await readSheet(file, { trim: false })
        const more = query.includes('groups') ? ['groups', 'effective_roles'] : []
        assert.deepEqual(header, [...members, 'attributes.joined', ...more])
        const cell = (name: string) => row[header.indexOf(name)]
        assert.deepEqual(['first_name', 'external_id', 'active', 'attributes.joined'].map(cell), [
          '=1+1',
          '007',
          true,
          new Date('2026-11-29T00:00:00Z'),
        ])
        // Days with a fraction: the other reader cuts it to milliseconds, where ours rounds.
        const found = (cell('created_at') as unknown as Date).getTime()
        assert.ok(Math.abs(found - Date.parse(created_at)) <= 1, String(found))
        assert.equal(cell('effective_roles') ?? 'user', 'user')
      }
      const { headers } = await app.call('HEAD', '/users', { headers: { accept: xlsxMediaType } })
      assert.match(
        headers['content-disposition'] ?? '',
        /^attachment; filename="[a-z0-9-]+-users-\d{4}-\d\d-\d\d\.xlsx"$/,
      )
    })

    it('the effective roles are the own one and those of groups, each once', async (t) => {
      const app = await start(t, engine, {
        env: { ROLLBOOK_ROLES: '{"support":["users:read"],"editor":["pages:write"]}' },
      })
      const groups = []
      for (const [name, role] of [
        ['A', 'support'],
        ['B', 'editor'],
        ['C', 'support'],
        ['D', null],
      ])
        groups.push((await app.call('POST', '/groups', { body: { name, role } })).body.group_id)
      const [all, own, none] = [
        await createUser(app, { username: 'all' }),
        await createUser(app, { username: 'own', role: 'support' }),
        await createUser(app, { username: 'none' }),
      ]
      for (const group of groups)
        for (const { user_id } of [all, own]) await app.call('PUT', `/groups/${group}/members/${user_id}`)
      const expected = {
        [all.user_id as string]: ['user', 'editor', 'support'],
        [own.user_id as string]: ['support', 'editor'],
        [none.user_id as string]: ['user'],
      }
      for (const query of ['', '&sort=username', '&limit=10', '&active=true']) {
        const { body } = await app.call('GET', `/users?include=groups${query}`)
        const found = body as { user_id: string; effective_roles: string[] }[]
        for (const { user_id, effective_roles } of found) assert.deepEqual(effective_roles, expected[user_id], query)
        assert.ok(found.length >= 2, query)
      }
      const { text } = await app.call('GET', '/users?include=groups&username=own', { headers: { accept: 'text/csv' } })
      assert.deepEqual(parseCsv(text).at(-1)?.slice(-2), ['A;B;C;D', 'support;editor'])
    })

    it('CSV gives a spreadsheet no formula to run', async (t) => {
      const app = await start(t, engine)
      const formulas = [
        '=1+1',
        '+1',
        '-1',
        '@SUM(A1)',
        '=HYPERLINK("http://evil.example","x")',
        '＝1',
        '＋1',
        '－1',
        '＠1',
        'z;=cmd|x',
        'z; +1',
        'z,@1',
        'a"-1',
        "';=1",
      ]
      for (const [i, formula] of formulas.entries()) {
        await createUser(app, { first_name: formula, last_name: formula, external_id: formula, username: `user-${i}` })
      }
      await createUser(app, { username: '=cmd|x', email: '=cmd|x@example.org' })
      const { text } = await app.call('GET', '/users', { headers: { accept: 'text/csv' } })
      for (const value of parseCsv(text).flat()) assert.doesNotMatch(value, /^[=+\-@\t\r＝＋－＠]/)
      for (const value of text.split(/[;,\t\r\n"\u2028]/)) assert.doesNotMatch(value, /^ *[=+\-@＝＋－＠]/)
      assert.ok(parseCsv(text)[1]?.includes("'=1+1"), 'it is there, as text')
      const again = await app.call('POST', '/users/import?match=user_id', {
        body: text,
        headers: { 'content-type': 'text/csv' },
      })
      assert.deepEqual([again.status, again.body.unchanged], [200, formulas.length + 1], again.text)
    })

    it('the format follows Accept, by weight, and JSON is the default', async (t) => {
      const app = await start(t, engine)
      const cases: [accept: string, type: string][] = [
        ['*/*', 'application/json'],
        ['text/*', 'text/csv'],
        ['text/csv;q=0.5, application/json;q=0.4', 'text/csv'],
        ['text/html, application/x-ndjson;q=0.1', 'application/x-ndjson'],
        ['application/json;q=0, */*', 'application/x-ndjson'],
        ['TEXT/CSV', 'text/csv'],
      ]
      for (const [accept, type] of cases) {
        const { headers } = await app.call('GET', '/users', { headers: { accept } })
        assert.equal(headers['content-type']?.split(';')[0], type, accept)
        assert.match(headers.vary ?? '', /accept/i)
      }
      const refused = await app.call('GET', '/users', { headers: { accept: 'application/xml' } })
      assert.deepEqual([refused.status, refused.body.code], [406, 'not_acceptable'])
    })

    it('each coding unpacks to the same bytes, for pages and for the whole list', async (t) => {
      const app = await start(t, engine)
      for (let i = 0; i < 40; i++) await createUser(app, { last_name: 'Lovelace' })
      const base = await app.listen()
      const unpack = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
      for (const path of ['/users', '/users?limit=30', '/users?sort=-username', '/users?q=love']) {
        for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
          const plain = await fetchRaw(base + path, { accept })
          assert.equal(plain.encoding, undefined)
          for (const [encoding, decode] of Object.entries(unpack)) {
            const packed = await fetchRaw(base + path, { accept, 'accept-encoding': encoding })
            assert.equal(packed.encoding, encoding)
            assert.ok(packed.bytes.length < plain.bytes.length / 2)
            assert.ok(decode(packed.bytes).equals(plain.bytes), `${path} ${accept} ${encoding}`)
          }
        }
      }
    })

    it('a coding is chosen from those that the client accepts', async (t) => {
      const app = await start(t, engine)
      await createUser(app)
      const cases: [header: string, encoding: string | undefined][] = [
        ['gzip, deflate', 'gzip'],
        ['gzip, deflate, br, zstd', 'zstd'],
        ['br;q=0.9, gzip;q=1', 'gzip'],
        ['identity', undefined],
        ['deflate', undefined],
        ['gzip;q=0', undefined],
      ]
      for (const [header, encoding] of cases) {
        const { headers } = await app.call('GET', '/users', { headers: { 'accept-encoding': header } })
        assert.equal(headers['content-encoding'], encoding, header)
      }
    })

    it('HEAD has the headers of GET and no body', async (t) => {
      const app = await start(t, engine)
      await createUser(app)
      await createUser(app)
      for (const path of ['/users', '/users?limit=1&count=true', '/users?q=user&count=true']) {
        for (const accept of ['application/json', 'text/csv']) {
          const [got, head] = [
            await app.call('GET', path, { headers: { accept } }),
            await app.call('HEAD', path, { headers: { accept } }),
          ]
          assert.deepEqual([head.status, head.text], [200, ''])
          for (const name of ['content-type', 'etag', 'vary', 'link', 'total-count']) {
            assert.equal(head.headers[name], got.headers[name], `${path} ${name}`)
          }
        }
      }
    })
  })

  describe(`conditional lists on ${engine.name}`, () => {
    it('get 304 until a user changes', async (t) => {
      const app = await start(t, engine)
      const user = await createUser(app)
      const list = (etag?: string, headers: Record<string, string> = {}) =>
        app.call('GET', '/users', { headers: { ...headers, ...(etag !== undefined && { 'if-none-match': etag }) } })
      let etag = (await list()).headers.etag as string
      assert.match(etag, /^W\/"/)
      const unchanged = async () => {
        const response = await list(etag)
        assert.deepEqual([response.status, response.text, response.headers.etag], [304, '', etag])
      }
      await unchanged()
      // What does not show in the list does not change its validator.
      await app.call('POST', '/keys', { body: { name: 'x', permissions: ['users:read'] } })
      await app.call('POST', '/users?dry_run=true', { body: { username: 'ada' } })
      await app.call('POST', '/users', { body: { username: user.username } })
      await app.call('PATCH', `/users/${user.user_id}`, { body: { username: user.username } })
      await unchanged()
      const path = `/users/${user.user_id}`
      for (const change of [
        () => app.call('PATCH', path, { body: { first_name: 'Ada' } }),
        () => createUser(app),
        () => app.call('DELETE', path),
      ]) {
        await change()
        const response = await list(etag)
        assert.equal(response.status, 200)
        assert.notEqual(response.headers.etag, etag)
        etag = response.headers.etag as string
        await unchanged()
      }
      // Another format is another representation.
      assert.equal((await list(etag, { accept: 'text/csv' })).status, 200)
      assert.equal((await list('*')).status, 304)
    })
  })
}
