import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { expectedUrl, type PostgresAddress, parsePostgresUrl, placeOf, tlsOptions } from '../../../lib/postgres-url.ts'

function addressOf(text: string): PostgresAddress {
  const read = parsePostgresUrl(text)
  assert.ok(!('faults' in read), JSON.stringify(read))
  return read
}

function faultsOf(text: string): string[] {
  const read = parsePostgresUrl(text)
  return 'faults' in read ? read.faults : []
}

const plain: PostgresAddress = {
  hosts: [{ host: 'db', port: 5432 }],
  user: 'ada',
  password: undefined,
  database: 'ada',
  sslmode: 'disable',
  sslrootcert: undefined,
  sslcert: undefined,
  sslkey: undefined,
}

describe('the URL of a PostgreSQL database', () => {
  const accepted: [text: string, differs: Partial<PostgresAddress>][] = [
    ['postgres://ada@db', {}],
    ['postgresql://ada@db/', {}],
    ['POSTGRES://ada@db', {}],
    ['postgres://ada:@db', { password: '' }],
    ['postgres://ada:s:e:c@db/shop', { password: 's:e:c', database: 'shop' }],
    ['postgres://ada@db:6432/shop', { hosts: [{ host: 'db', port: 6432 }], database: 'shop' }],
    [
      'postgres://ada@db-1:5433,db-2.example.org,10.0.0.3:1',
      {
        hosts: [
          { host: 'db-1', port: 5433 },
          { host: 'db-2.example.org', port: 5432 },
          { host: '10.0.0.3', port: 1 },
        ],
      },
    ],
    ['postgres://ada@[::1]', { hosts: [{ host: '::1', port: 5432 }] }],
    [
      'postgres://ada@[2001:db8::7]:65535,[::ffff:10.0.0.1]:1',
      {
        hosts: [
          { host: '2001:db8::7', port: 65_535 },
          { host: '::ffff:10.0.0.1', port: 1 },
        ],
      },
    ],
    ['postgres://ada@%2Fvar%2Frun%2Fpostgresql', { hosts: [{ host: '/var/run/postgresql', port: 5432 }] }],
    [
      'postgres://ada@/shop?host=/run/postgresql&port=5433',
      { hosts: [{ host: '/run/postgresql', port: 5433 }], database: 'shop' },
    ],
    [
      'postgres://ada@/?host=a,[::1]:7&port=6',
      {
        hosts: [
          { host: 'a', port: 6 },
          { host: '::1', port: 7 },
        ],
      },
    ],
    [
      'postgres://a%40d%3Aa:%2F%3F%23%5B%25@db/%F0%9F%98%80%20x',
      { user: 'a@d:a', password: '/?#[%', database: '😀 x' },
    ],
    ['postgres://ada@db?target_session_attrs=read-write&application_name=x', {}],
    [
      'postgres://ada@db?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=%2Fa%20b.pem&sslkey=/k',
      { sslmode: 'verify-full', sslrootcert: '/ca.pem', sslcert: '/a b.pem', sslkey: '/k' },
    ],
  ]
  for (const [text, differs] of accepted) {
    it(`${text} is read`, () => assert.deepEqual(addressOf(text), { ...plain, ...differs }))
  }

  const place = 'has an invalid host or port'
  const encoding = (part: string) => `has a ${part} that is not percent-encoded`
  const form = `must be ${expectedUrl}`
  const refused: [text: string, ...faults: string[]][] = [
    ['', form],
    ['db', form],
    ['ada@db', form],
    ['mysql://ada@db', form],
    ['postgres:ada@db', form],
    ['postgres:/ada@db', form],
    [' postgres://ada@db', form],
    ['postgres://ada@db\n', place],
    ['postgres://ada:p@ss@db', form],
    ['postgres://ada:pa/ss@db', place, 'has no user'],
    ['postgres://ada@db/shop/more', form],
    ['postgres://ada@db#shop', form],
    ['postgres://db', 'has no user'],
    ['postgres://@db', 'has no user'],
    ['postgres://:secret@db', 'has no user'],
    ['postgres://ada@', place],
    ['postgres://ada@,db', place],
    ['postgres://ada@db:', place],
    ['postgres://ada@db:0', place],
    ['postgres://ada@db:65536', place],
    ['postgres://ada@db:http', place],
    ['postgres://ada@::1', place],
    ['postgres://ada@[db]', place],
    ['postgres://ada@[1::2::3]', place],
    ['postgres://ada@10.0.0.1:1:2', place],
    ['postgres://ada@a b', place],
    ['postgres://ada@/?host=db&port=1,2', place],
    ['postgres://a%da@db', encoding('user')],
    ['postgres://ada:100%@db', encoding('password')],
    ['postgres://ada:%00@db', encoding('password')],
    ['postgres://ada@db/%ff', encoding('database')],
    ['postgres://ada@db?sslmode=prefer', 'has an sslmode that is not one of disable, require, verify-ca, verify-full'],
    [
      'postgres://ada@db?password=secret',
      'has an unknown parameter; known parameters are sslmode, sslrootcert, sslcert, sslkey, host, port, target_session_attrs, application_name',
    ],
    ['postgres://:100%@db:x,:y', place, encoding('password'), 'has no user'],
  ]
  for (const [text, ...faults] of refused) {
    it(`${JSON.stringify(text)} is refused`, () => assert.deepEqual(faultsOf(text), faults))
  }

  it('accepts anything percent-encoded, and returns it unchanged', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 }).filter((one) => !one.includes('\0'))
    const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6())
    const hosts = fc.array(fc.record({ host, port: fc.integer({ min: 1, max: 65_535 }) }, { noNullPrototype: true }), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(text, text, text, hosts, (user, password, database, hosts) => {
        const places = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
        const [a, b, c] = [user, password, database].map(encodeURIComponent)
        assert.deepEqual(addressOf(`postgres://${a}:${b}@${places}/${c}`), {
          ...plain,
          user,
          password,
          database,
          hosts,
        })
      }),
    )
  })

  it('reports what is wrong without quoting it', () => {
    const canary = fc.stringMatching(/^canary[-\w%:@/?#[\]=&, ]{0,20}$/)
    const parts = fc.tuple(canary, canary, canary, canary, canary)
    fc.assert(
      fc.property(parts, fc.constantFrom('sslmode', 'port', 'host', 'canary'), ([a, b, c, d, e], name) => {
        for (const text of [a, `postgres://${a}:${b}@${c}/${d}?${name}=${e}`, `postgres://${a}:${b}`]) {
          assert.doesNotMatch(faultsOf(text).join(), /canary/)
        }
      }),
    )
  })

  it('names the place for a log without user and password', () => {
    const address = addressOf('postgres://ada:secret@db-1:5433,[::1]/shop')
    assert.equal(placeOf(address), 'shop on db-1:5433, ::1:5432')
  })
})

describe('the encryption of a connection', () => {
  const optionsFor = (query: string, host = 'db.example.org') =>
    tlsOptions(addressOf(`postgres://ada@db?${query}`), host)

  it('is as strict as sslmode says', () => {
    assert.equal(optionsFor(''), false)
    assert.equal(optionsFor('sslmode=disable'), false)
    const unchecked = optionsFor('sslmode=require')
    assert.ok(unchecked)
    assert.deepEqual([unchecked.rejectUnauthorized, unchecked.servername], [false, 'db.example.org'])
    assert.deepEqual(optionsFor('sslmode=verify-full'), { rejectUnauthorized: true, servername: 'db.example.org' })
    const authority = optionsFor('sslmode=verify-ca')
    assert.ok(authority)
    assert.equal(authority.rejectUnauthorized, true)
    assert.equal(authority.checkServerIdentity?.('another.example.org', {} as never), undefined)
  })

  it('requires no name of a server that is called by its address, and is not used on a socket', () => {
    assert.deepEqual(optionsFor('sslmode=verify-full', '10.0.0.1'), { rejectUnauthorized: true })
    assert.deepEqual(optionsFor('sslmode=verify-full', '::1'), { rejectUnauthorized: true })
    assert.equal(optionsFor('sslmode=verify-full', '/run/postgresql'), false)
  })

  it('reads the files that are named', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const names = ['sslrootcert', 'sslcert', 'sslkey']
    for (const name of names) writeFileSync(join(directory, name), `the ${name}`)
    const query = names.map((name) => `${name}=${encodeURIComponent(join(directory, name))}`).join('&')
    const options = optionsFor(`sslmode=verify-full&${query}`)
    assert.ok(options)
    assert.deepEqual([options.ca, options.cert, options.key], ['the sslrootcert', 'the sslcert', 'the sslkey'])
  })
})
