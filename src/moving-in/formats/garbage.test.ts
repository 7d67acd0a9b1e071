import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { golden, goldenFiles, goldenOptions } from '../../../test/moving-in/files.ts'
import { OperatorError } from '../../core/errors.ts'
import { type SourceName, type SourceOptions, sourceNames, sources } from './index.ts'

const mapping = '{"members": {"username": "login"}}'
const options = { now: new Date('2025-12-01T00:00:00.000Z'), mapping }

describe('migrating from unexpected input', () => {
  for (const [name, text] of [
    ['nothing', ''],
    ['white space', ' \n\n'],
    ['prose', 'Dear operator,\nhere are the users.\n'],
    ['HTML', '<!doctype html><title>Sign in</title>'],
    ['a number', '42'],
    ['JSON of something else', '{"error": "unauthorized"}'],
    ['a list of something else', '[{"name": "a product", "price": 3}]'],
    ['a list of texts', '["ada", "charles"]'],
    ['JSON that is cut', '{"users": [{"id": "1", "username": "ada"'],
    ['CSV of something else', 'product;price\nengine;3\n'],
    [
      'CSV with a quote that never ends',
      'id,username,email,password,is_active,encrypted_password,user_id,login\n"1,ada\n',
    ],
    ['UTF-16 that is cut', Buffer.from('\uFEFF[{"id": "1"}]', 'utf16le').subarray(0, -1)],
    ['bytes that are no text', Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a])],
    ['gzip that is cut', gzipSync('[{"id": "1", "username": "ada"}]'.repeat(20)).subarray(0, 25)],
  ] as const) {
    it(`is refused with what was expected: ${name}`, async () => {
      for (const source of sourceNames) {
        const error = await faultOf(source, [Buffer.from(text)])
        assert.ok(error instanceof OperatorError, `${source} took it`)
        assert.match(error.message, /expected|UTF-16|UTF-8|gzip/, source)
      }
    })
  }

  it('is refused in words that repeat nothing of the input', async () => {
    for (const source of sourceNames) {
      for (const text of [
        '[{"hunter2": hunter2}]',
        'id,name\n"hunter2',
        'COPY auth.users (id) FROM stdin;\nhunter2\thunter2\n',
      ]) {
        assert.doesNotMatch(String(await faultOf(source, [Buffer.from(text)])), /hunter2/, source)
      }
    }
  })

  it('ends only in rows, a report or a refusal: files with bytes changed, removed and inserted', async () => {
    const files = goldenFiles.filter(({ input }) => input !== 'directory')
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      take: fc.nat(6),
      put: fc.string({ maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        async (file, changes) => {
          let bytes = readFileSync(golden(file.source, file.input))
          for (const { at, take, put } of changes) {
            const from = Math.floor(at * bytes.length)
            bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(put), bytes.subarray(from + take)])
          }
          const error = await faultOf(file.source, [bytes], goldenOptions(file))
          assert.ok(error === undefined || error instanceof OperatorError, String((error as Error)?.stack))
        },
      ),
      { numRuns: cases(150) },
    )
  })

  it('ends only in rows, a report or a refusal: any JSON instead of users and their members', async () => {
    const user = fc.dictionary(
      fc.constantFrom(
        ...[
          'id',
          'user_id',
          'localId',
          'username',
          'email',
          'traits',
          'credentials',
          'identities',
          'attributes',
          'groups',
        ],
        ...[
          'fields',
          'model',
          'pk',
          'password',
          'last_login',
          'created_at',
          'app_metadata',
          'metadata_public',
          'roles',
        ],
        ...['customAttributes', 'providerUserInfo', 'createdTimestamp', 'requiredActions', 'clientRoles', '__proto__'],
      ),
      fc.jsonValue({ maxDepth: 3 }),
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sourceNames), fc.array(user, { maxLength: 4 }), async (source, users) => {
        const list = source === 'kratos' ? 'identities' : 'users'
        for (const text of [
          JSON.stringify(users),
          JSON.stringify({ [list]: users }),
          users.map((each) => JSON.stringify(each)).join('\n'),
        ]) {
          const error = await faultOf(source, [Buffer.from(text)])
          assert.ok(error === undefined || error instanceof OperatorError, String((error as Error)?.stack))
        }
      }),
      { numRuns: cases(150) },
    )
  })

  it('explains what is wrong with a mapping', async () => {
    for (const [text, message] of [
      ['', /not valid JSON/],
      ['{}', /maps neither username nor email/],
      [
        '{"members": {"user": "login", "username": {}}}',
        /maps user, .*has neither a column, a path, a template nor a constant for username/,
      ],
      ['{"members": {"username": "login"}, "delimiter": "::"}', /delimiter that is not one character/],
      ['{"members": {"username": "name"}}', /names no column name/],
    ] as const) {
      const error = await faultOf('csv', [Buffer.from('login\nada\n')], { ...options, mapping: text })
      assert.match(String(error), message)
    }
    assert.match(String(await faultOf('csv', [Buffer.from('login\nada\n')], { now: options.now })), /needs a mapping/)
  })

  it("explains what is wrong with Firebase's hash parameters", async () => {
    const error = await faultOf('firebase', [Buffer.from('{"users": []}')], {
      ...options,
      hashConfig: 'algorithm: BCRYPT',
    })
    assert.match(String(error), /expected the project's password hash parameters/)
  })

  it('is refused without users, because nothing would be migrated', async () => {
    for (const [source, text] of [
      ['keycloak', '{"realm": "analytics", "users": []}'],
      ['auth0', '[]'],
      ['kratos', '[]'],
      ['supabase', 'id,email,encrypted_password\n'],
      ['firebase', '{"users": []}'],
      ['django', '[]'],
      ['django', 'id,username,password,is_active\n'],
      ['lldap', '{"data": {"users": []}}'],
      ['pocketbase', '{"items": [], "totalItems": 0}'],
      ['csv', 'login\n'],
    ] as const) {
      assert.match(
        String(await faultOf(source, [Buffer.from(text)])),
        /^OperatorError: .*(?:no users|or with none)/,
        source,
      )
    }
    const others = '[{"model": "shop.order", "pk": 1, "fields": {"email": "a@example.com", "password": "hunter2"}}]'
    assert.match(
      String(await faultOf('django', [Buffer.from(others)])),
      /No entry is a user; the entries are shop\.order\./,
    )
  })

  it('is refused when it is the export of another system, or of several realms', async () => {
    const realm = readFileSync(golden('keycloak', 'realm.json'))
    assert.match(String(await faultOf('auth0', [realm])), /has no user_id/)
    const realms = Buffer.concat([Buffer.from('['), realm, Buffer.from(']')])
    assert.match(String(await faultOf('keycloak', [realms])), /list of realms.*kc\.sh export --realm/)
  })

  it('is refused if the input says that it is incomplete', async () => {
    const page = (from: number) =>
      JSON.stringify({ page: from, totalItems: 2, items: [{ id: `k${from}`, email: `${from}@example.com` }] })
    assert.match(String(await faultOf('pocketbase', [Buffer.from(page(1))])), /has 1 of 2 records/)
    assert.equal(await faultOf('pocketbase', [Buffer.from(`${page(1)}\n${page(2)}\n`)]), undefined)
    const graphqlDump = (errors: string) => `{"data": {"users": [{"id": "ada", "email": "a@example.com"}]}${errors}}`
    assert.match(
      String(await faultOf('lldap', [Buffer.from(graphqlDump(', "errors": [{"message": "x"}]'))])),
      /contains errors/,
    )
    assert.equal(await faultOf('lldap', [Buffer.from(graphqlDump(', "errors": []'))]), undefined)
  })

  it("distinguishes Auth0's export of password hashes from the users export", async () => {
    const hashes = readFileSync(golden('auth0', 'password-hashes.ndjson'))
    assert.match(String(await faultOf('auth0', [hashes])), /this is the export of password hashes/)
  })
})

async function faultOf(
  source: SourceName,
  chunks: readonly Uint8Array[],
  provided: SourceOptions = options,
): Promise<unknown> {
  async function* input(): AsyncGenerator<Uint8Array> {
    yield* chunks
  }
  try {
    for await (const converted of sources[source].read(input(), provided))
      assert.ok('row' in converted || 'leftOut' in converted)
    return undefined
  } catch (error) {
    return error
  }
}
