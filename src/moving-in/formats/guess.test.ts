import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OperatorError } from '../../core/errors.ts'
import { textsAt, valuesAt } from '../reading/path.ts'
import { guessMapping } from './guess.ts'

async function guess(text: string, form: 'csv' | 'json' = 'json') {
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  return await guessMapping(input(), form)
}

const bcrypt = '$2b$08$G7WQecogc1Feo5KaoLwcles2y6KLwSvpq7vbDUptwJf3WVNGMMnoC'

describe('a guessed mapping', () => {
  it('finds the list and the paths of a SCIM response, and names the system', async () => {
    const user = {
      id: '1',
      userName: 'ada',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.com' }],
      active: true,
      meta: { created: '2024-01-01T00:00:00Z' },
    }
    for (const indent of [0, 2]) {
      const { mapping, system } = await guess(JSON.stringify({ totalResults: 1, Resources: [user] }, null, indent))
      assert.deepEqual(mapping, {
        rows: 'Resources',
        members: {
          id: 'id',
          email: 'emails.0.value',
          username: 'userName',
          first_name: 'name.givenName',
          last_name: 'name.familyName',
          active: 'active',
          created_at: 'meta.created',
        },
      })
      assert.equal(system, 'scim')
    }
  })

  it('finds a list of any name, in objects too', async () => {
    const { mapping } = await guess('{"data": {"people": [{"login": "ada", "mail": "ada@example.com"}]}}')
    assert.deepEqual(mapping, { rows: 'data.people', members: { email: 'mail', username: 'login' } })
  })

  it('finds attributes where our exports have them, with their types', async () => {
    const attributes = { department: 'Sales', seats: 3, remote: true, tags: ['a;b'] }
    const { mapping } = await guess(JSON.stringify([{ username: 'ada', attributes }]))
    const typed = (name: string, type: string) => ({ [`attributes.${name}`]: { path: `attributes.${name}`, type } })
    assert.deepEqual(mapping.members, {
      username: 'username',
      'attributes.department': 'attributes.department',
      ...typed('seats', 'number'),
      ...typed('remote', 'boolean'),
      ...typed('tags', 'string[]'),
    })
  })

  it('reads NDJSON, and does not take a list of a user for the list of users', async () => {
    const line = (n: number) => JSON.stringify({ _id: { $oid: `65f${n}` }, emails: [{ address: `a${n}@example.com` }] })
    const { mapping } = await guess(`${line(1)}\n${line(2)}\n`)
    assert.deepEqual(mapping, { members: { id: '_id.$oid', email: 'emails.0.address' } })
  })

  it('turns words and opposites into active, and recognizes hashes by their form', async () => {
    const users = [
      { email: 'a@example.com', status: 'ACTIVE', services: { password: { bcrypt } } },
      { email: 'b@example.com', status: 'suspended', services: { password: { bcrypt } } },
    ]
    const { mapping } = await guess(JSON.stringify(users))
    assert.deepEqual(mapping.members.active, {
      path: 'status',
      values: { ACTIVE: true, suspended: false },
      otherwise: 'false',
    })
    assert.equal(mapping.members.password_hash, 'services.password.bcrypt')
    const { mapping: other } = await guess('[{"email": "a@example.com", "disabled": false}]')
    assert.deepEqual(other.members.active, { path: 'disabled', values: { true: false, false: true } })
  })

  it('recognizes the secrets of one-time codes, as base32 or as the link of a QR code', async () => {
    const uri = 'otpauth://totp/Orchard:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    for (const value of ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', uri]) {
      const { mapping } = await guess(JSON.stringify([{ email: 'a@example.com', totp_secret: value }]))
      assert.equal(mapping.members.totp_secret, 'totp_secret')
    }
    const { mapping } = await guess('[{"email": "a@example.com", "totp_secret": "$encrypted$"}]')
    assert.equal(mapping.members.totp_secret, undefined)
  })

  it('never maps what may be a password in plain text', async () => {
    const { mapping, clear } = await guess('[{"email": "a@example.com", "password": "hunter2"}]')
    assert.deepEqual([mapping.members, clear], [{ email: 'email' }, ['password']])
  })

  it('does not map a column whose values do not fit its name', async () => {
    const { mapping } = await guess('login;mail;created\nada;ada@example.com;yesterday\ngrace;;\n', 'csv')
    assert.deepEqual(mapping, { members: { email: 'mail', username: 'login' } })
  })

  it('is refused without a username and an email address, with the paths of the file', async () => {
    await assert.rejects(guess('[{"shoe": {"size": 37}}]'), (error) => {
      assert.ok(error instanceof OperatorError)
      assert.match(error.message, /nothing looks like a username.*"shoe\.size".*--mapping/)
      return true
    })
  })
})

describe('a path', () => {
  const record = {
    'name.full': 'Ada King',
    name: { given: 'Ada', full: 'Ada' },
    emails: [
      { value: 'home@example.com', type: 'home' },
      { value: 'work@example.com', type: 'work', primary: true },
    ],
    groups: [{ display: 'ops' }, { display: 'math' }, {}],
    tags: ['a', 'b'],
    'urn:x:2.0:User': { department: 'engines' },
    'Email [Required]': 'ada@example.com',
    flag: false,
  }
  for (const [path, texts] of [
    ['name.given', ['Ada']],
    ['name.full', ['Ada King']],
    ['emails.0.value', ['home@example.com']],
    ['emails[primary=true].value', ['work@example.com']],
    ['emails[primary].value', ['work@example.com']],
    ['emails[type=home].value', ['home@example.com']],
    ['emails[type=other].value', []],
    ['groups[].display', ['ops', 'math']],
    ['tags', ['a', 'b']],
    ['tags.1', ['b']],
    ['urn:x:2.0:User.department', ['engines']],
    ['Email [Required]', ['ada@example.com']],
    ['flag', ['false']],
    ['name.given.more', []],
    ['emails.9.value', []],
    ['__proto__.x', []],
    ['constructor', []],
  ] as const) {
    it(`finds ${JSON.stringify(texts)} at ${path}`, () => assert.deepEqual(textsAt(record, path), texts))
  }

  it('finds nothing in null', () => assert.deepEqual(valuesAt({ a: null }, 'a.b'), []))
})
