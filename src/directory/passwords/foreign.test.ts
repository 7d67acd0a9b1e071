import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { keycloakVectors, vectors } from '../../../test/passwords/vectors.ts'
import { readForeignHash } from './foreign.ts'
import { createHasher } from './hash.ts'
import { keycloakHash } from './keycloak.ts'

const hasher = createHasher({ concurrency: 2, queueLimit: 100 })

function phcOf(text: string): string {
  const read = readForeignHash(text)
  assert.ok('phc' in read, 'fault' in read ? read.fault : '')
  return read.phc
}

function faultOf(text: string): string {
  const read = readForeignHash(text)
  assert.ok('fault' in read)
  return read.fault
}

describe('a hash of another system', () => {
  for (const { by, hash, password, stored } of vectors) {
    it(`is verified when it is of ${by}`, async () => {
      const phc = phcOf(hash)
      assert.ok(phc.startsWith(stored), phc)
      assert.equal(await hasher.verify(phc, password), true)
      assert.equal(await hasher.verify(phc, `${password} `), false)
      assert.equal(await hasher.verify(phc, password.slice(1)), false)
      assert.equal(hasher.needsRehash(phc), true)
    })
  }

  for (const { algorithm, password, stored, ...credential } of keycloakVectors) {
    it(`is verified when it is of Keycloak, ${algorithm}`, async () => {
      const read = keycloakHash(credential)
      assert.ok('phc' in read && read.phc.startsWith(stored))
      assert.equal(await hasher.verify(read.phc, password), true)
      assert.equal(await hasher.verify(read.phc, `${password}!`), false)
    })
  }

  it('is read from a Keycloak before version 8 too', () => {
    const [credential] = keycloakVectors
    const { salt, value } = JSON.parse(credential?.secretData ?? '')
    const members = { algorithm: 'pbkdf2', hashIterations: 1200, salt, hashedSaltedValue: value }
    assert.deepEqual(keycloakHash({ type: 'password', ...members } as object), keycloakHash(credential ?? {}))
  })

  for (const credential of [
    {},
    { credentialData: 'not JSON', secretData: 'null' },
    { credentialData: '{"algorithm":"bcrypt","hashIterations":10}', secretData: '{"salt":"","value":"x"}' },
    { credentialData: '{"algorithm":"argon2","hashIterations":5}', secretData: '{"salt":"c2FsdA==","value":"eA=="}' },
  ]) {
    it(`is refused with a reason in a Keycloak credential like ${JSON.stringify(credential)}`, () => {
      assert.ok('fault' in keycloakHash(credential))
    })
  }

  it('of a decomposed password matches it as it was sent, and not the composed one', async () => {
    // pyca's bcrypt 5.0 over the NFD form: old systems hash whatever a keyboard sends.
    const phc = phcOf('$2b$05$7MqM5SC3eZfEM7PFhd3EzuAg2CU2JjVEYy4TMD6rdiiHKIQ6zxvZa')
    const composed = 'Zürich, 7 Äpfel & Öl'.normalize('NFC')
    assert.equal(await hasher.verify(phc, composed.normalize('NFD')), true)
    assert.equal(await hasher.verify(phc, composed), false)
  })

  it('of a composed password matches the decomposed one', async () => {
    const [{ hash, password } = { hash: '', password: '' }] = vectors
    assert.equal(await hasher.verify(phcOf(hash), password.normalize('NFD')), true)
  })

  it('of bcrypt matches everything with the same first 72 bytes, because bcrypt ignores the rest', async () => {
    // From crypt_blowfish's tests.
    const phc = phcOf('$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui')
    const first72 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
    assert.equal(await hasher.verify(phc, `${first72}chars after 72 are ignored`), true)
    assert.equal(await hasher.verify(phc, first72), true)
    assert.equal(await hasher.verify(phc, first72.slice(0, -1)), false)
  })

  it('is read from bcrypt whatever its unused bits are', async () => {
    const phc = phcOf('$2a$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeX')
    assert.equal(await hasher.verify(phc, 'U*U'), true)
  })

  it('does not match a prefix before U+0000, nor with one appended', async () => {
    for (const { hash, password } of vectors.filter(({ by }) => /crypt_blowfish|passlib, (PBKDF2|scrypt)/.test(by))) {
      assert.equal(await hasher.verify(phcOf(hash), `${password}\0`), false)
      assert.equal(await hasher.verify(phcOf(hash), `${password}\0and more`), false)
    }
  })

  it('of crypt never matches a password of more than 256 bytes, and costs no more for it', async () => {
    // libxcrypt 4.4.
    const phc = phcOf('$5$rounds=1000$abcdefgh$8hSX5BoD6rYe7sqPhE.2HJBAar4yhr7o3EzKn8iwAt0')
    assert.equal(await hasher.verify(phc, 'p'.repeat(256)), true)
    assert.equal(await hasher.verify(phc, 'p'.repeat(257)), false)
  })

  it('of the empty password does not let the user sign in', async () => {
    // pyca's bcrypt 5.0 over nothing.
    const phc = phcOf('$2b$05$YrZ1AsxZi8v1in5Ljvm4ye910q4m0h5N0eunHJe9uDeKhLr1lIZLS')
    assert.equal(await hasher.verify(phc, ''), false)
  })

  const salt = 'c2FsdHNhbHRzYWx0'
  const tag = 'c'.repeat(43).replace(/.$/, 'A')
  const affordable: readonly string[] = [
    `$argon2id$v=19$m=262144,t=4,p=16$${salt}$${tag}`,
    `$argon2id$v=19$m=102400,t=2,p=8$${salt}$${tag}`,
    `$2b$14$${'a'.repeat(52)}u`,
    `$wp$2y$14$${'a'.repeat(52)}u`,
    // passlib's default.
    `$6$rounds=656000$abcdefgh$${'a'.repeat(86)}`,
    `$P$G${'a'.repeat(30)}`,
    `$scrypt$ln=18,r=8,p=1$${salt}$${tag}`,
    `$scrypt$ln=14,r=8,p=16$${salt}$${tag}`,
    `$pbkdf2-sha256$i=6000000$${salt}$${tag}`,
    `$pbkdf2-sha512$i=2400000$${salt}$${'A'.repeat(86)}`,
    // Keycloak's default for SHA-1: four blocks each.
    `$pbkdf2-sha1$i=1300000$${salt}$${'A'.repeat(86)}`,
  ]
  for (const text of affordable) {
    it(`is read with parameters as in ${text.slice(0, 36)}…`, () => assert.doesNotThrow(() => phcOf(text)))
  }

  const unaffordable: readonly (readonly [text: string, fault: RegExp])[] = [
    [`$argon2id$v=19$m=262145,t=1,p=1$${salt}$${tag}`, /256 MiB/],
    [`$argon2id$v=19$m=4294967295,t=1,p=1$${salt}$${tag}`, /256 MiB/],
    [`$argon2id$v=19$m=262144,t=5,p=1$${salt}$${tag}`, /times passes/],
    [`$argon2id$v=19$m=64,t=4000000000,p=1$${salt}$${tag}`, /16 passes/],
    [`$argon2id$v=19$m=1024,t=1,p=17$${salt}$${tag}`, /parallelism 16/],
    [`$argon2id$v=19$m=15,t=1,p=2$${salt}$${tag}`, /not valid argon2 parameters/],
    [`$argon2id$v=19$m=64,t=0,p=1$${salt}$${tag}`, /not valid argon2 parameters/],
    [`$argon2id$v=16$m=64,t=1,p=1$${salt}$${tag}`, /v=19/],
    [`$argon2id$m=64,t=1,p=1$${salt}$${tag}`, /v=19/],
    [`$2b$15$${'a'.repeat(52)}u`, /from 4 to 14/],
    [`$2b$31$${'a'.repeat(52)}u`, /from 4 to 14/],
    [`$2b$03$${'a'.repeat(52)}u`, /from 4 to 14/],
    [`$scrypt$ln=19,r=8,p=1$${salt}$${tag}`, /256 MiB/],
    [`$scrypt$ln=63,r=8,p=1$${salt}$${tag}`, /256 MiB/],
    [`$scrypt$ln=18,r=8,p=2$${salt}$${tag}`, /times parallelism/],
    [`$scrypt$ln=10,r=8,p=17$${salt}$${tag}`, /parallelism 16/],
    [`$scrypt$ln=16,r=1,p=1$${salt}$${tag}`, /not valid scrypt parameters/],
    [`$scrypt$ln=0,r=8,p=1$${salt}$${tag}`, /not valid scrypt parameters/],
    [`$scrypt$ln=14,r=9999999999,p=1$${salt}$${tag}`, /256 MiB/],
    [`scrypt$1048576$salt$8$1$${tag}=`, /256 MiB/],
    [`$6$rounds=700001$abcdefgh$${'a'.repeat(86)}`, /1,000 to 700,000 rounds/],
    [`$P$H${'a'.repeat(30)}`, /2\^7 to 2\^18 rounds/],
    [`$P$4${'a'.repeat(30)}`, /2\^7 to 2\^18 rounds/],
    [`$wp$2y$15$${'a'.repeat(52)}u`, /from 4 to 14/],
    [`$pbkdf2-sha256$i=6000001$${salt}$${tag}`, /6,000,000 iterations of SHA-256/],
    [`$pbkdf2-sha512$i=2400001$${salt}$${'A'.repeat(86)}`, /2,400,000 iterations of SHA-512/],
    [`$pbkdf2-sha384$i=2400001$${salt}$${tag}`, /2,400,000 iterations of SHA-384/],
    [`$pbkdf2-sha256$i=3000001$${salt}$${'A'.repeat(86)}`, /times the blocks/],
    [`$pbkdf2-sha256$0$${salt}$${tag}`, /not valid PBKDF2 parameters/],
    [`$pbkdf2-sha256$i=1000$${salt}$c2hvcnQ`, /16 to 128 bytes/],
    [`$pbkdf2-sha256$i=1000$${salt}$${'A'.repeat(172)}`, /16 to 128 bytes/],
    [`$pbkdf2-sha256$i=1000$$${tag}`, /The salt must have 4/],
    [`pbkdf2_sha256$1000$${'s'.repeat(257)}$${tag}=`, /The salt must have 4/],
    [`scrypt:1048576:8:1$saltsalt$${'ab'.repeat(32)}`, /256 MiB/],
    [`pbkdf2:sha256:6000001$saltsalt$${'ab'.repeat(32)}`, /6,000,000 iterations of SHA-256/],
    [`pbkdf2:sha256:1000$$${'ab'.repeat(32)}`, /The salt must have 4/],
    [`{scrypt}$1f0801$${salt}$${tag}`, /256 MiB/],
    [`AQAAAAH/////AAAAEA${'A'.repeat(62)}`, /6,000,000 iterations of SHA-256/],
    [`$bcrypt-sha256$v=2,t=2b,r=15$${'a'.repeat(21)}u$${'a'.repeat(30)}u`, /from 4 to 14/],
    [`$firebase-scrypt$ln=20,r=8,ss=Bw,sk=${tag}$${salt}$${tag}`, /256 MiB/],
    [`$firebase-scrypt$ln=14,r=8,ss=${'A'.repeat(88)},sk=${tag}$${salt}$${tag}`, /separator/],
  ]
  for (const [text, fault] of unaffordable) {
    it(`is refused with parameters as in ${text.slice(0, 44)}…`, () => assert.match(faultOf(text), fault))
  }

  const refused: readonly (readonly [text: string, fault: RegExp])[] = [
    ['', /does not support this form of password hash/],
    ['secret', /does not support this form of password hash/],
    ['$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e', /faulty bcrypt/],
    ['{CRYPT}$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e', /faulty bcrypt/],
    ['$2$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e', /before version 2a/],
    ['$2b$05$tooshort', /cut short or damaged/],
    ['098f6bcd4621d373cade4e832627b4f6', /MD5/],
    ['$1$abcdefgh$G//4keteveJp0qb8z2DxG/', /MD5/],
    ['$md5$CY9rzUYh03PK3k6DJie09g==', /MD5/],
    ['{MD5}CY9rzUYh03PK3k6DJie09g==', /MD5/],
    ['{SMD5}CY9rzUYh03PK3k6DJie09nNhbHQ=', /MD5/],
    ['md5$salt$27c7cf400229103e00c6d8830029e29b', /MD5/],
    ['{SHA}qUqP5cyxm6YcTAhz05Hph5gvu9M=', /SHA without a salt/],
    ['{SHA256}n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=', /SHA without a salt/],
    ['{SSHA}qUqP5cyxm6YcTAhz05Hph5gvu9M=', /The salt must have 4/],
    ['a94a8fe5ccb19ba61c4c0873d391e987982fbbd3', /SHA without a salt/],
    ['unsalted_sha1$$a94a8fe5ccb19ba61c4c0873d391e987982fbbd3', /SHA without a salt/],
    ['sha1$salt$59b3e8d637cf97edbe2384cf59cb7453dfe30789', /salt in front/],
    [
      '$sha256$pf=e1NBTFR9e1BBU1NXT1JEfQ==$NW9wbWtnejAzcg==$0gfRVLCvtBCk20udLDEY5vNhujWx7RGjwRIS1ebMsLY=',
      /salt in front/,
    ],
    ['{CRYPT}$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO', /cut short or damaged/],
    ['$5$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO', /cut short or damaged/],
    ['$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7', /yescrypt.*set a new password/],
    ['{CRYPT}$7$CU..../....2Q9obwLhin8qvQl6sisAO/$sphDja/4bz2Fck5SRbTBDtGcOVn3GuEtLIvhfNr2cZ6', /yescrypt/],
    ['$P$B1234567', /phpass hash is cut short/],
    ['$S$DFURou8jrXzDuQJn1rXqhdyMJXVK5yXJ1X1h5sKFvGyz0kqHkVfu', /Drupal/],
    ['$wp$2y$10$short', /cut short or damaged/],
    [`$6$rounds=999$abcdefgh$${'a'.repeat(86)}`, /1,000 to 700,000 rounds/],
    [`$6$abc$${'a'.repeat(86)}`, /The salt must have at least 4/],
    ['*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19', /MySQL/],
    [`$sha1$480000$bcdefghi$${'a'.repeat(28)}`, /NetBSD/],
    ['{NT}8846f7eaee8fb117ad06bdd830b7586c', /NT hash/],
    ['8846f7eaee8fb117ad06bdd830b7586c', /NT hash/],
    ['{SHA512-CRYPT}$6$saltstring$short', /cut short or damaged/],
    ['{BLF-CRYPT}$2y$05$short', /cut short or damaged/],
    [`AQAAAAEAAYagAAAAEA${'A'.repeat(10)}`, /does not support this form/],
    ['scrypt:32768:8:1$salt$nothex', /does not support this form/],
    ['{pbkdf2}abcdef', /does not support this form/],
    ['!', /without a password/],
    ['!O8pOrkmhqYbHo8rOVJm4OIhOpCg6oRYOWWqpL6Ky', /without a password/],
    ['*', /without a password/],
    ['{CLEARTEXT}secret', /plain-text password/],
    ['{noop}secret', /plain-text password/],
    ['$scrypt$ln=14,r=8,p=1,x=1$c2FsdHNhbHQ$bm90YWhhc2hidXRsb25n', /does not support this form/],
    ['$scrypt$ln=14,ln=14,r=8,p=1$c2FsdHNhbHQ$bm90YWhhc2hidXRsb25n', /does not support this form/],
    ['$scrypt$ln=16385,r=8,p=1$c2FsdHNhbHQ$bm90YWhhc2hidXRsb25n', /does not support this form/],
    ['$pbkdf2-md5$i=1000$c2FsdHNhbHQ$bm90YWhhc2hidXRsb25n', /does not support this form/],
    [`$pbkdf2-sha256$i=1000$c2FsdHNhbHQ$bm90*WhhcidXRsb25n`, /does not support this form/],
    [`$pbkdf2-sha256$1000$${'A'.repeat(2000)}$bm90YWhhc2hidXRsb25n`, /does not support this form/],
  ]
  for (const [text, fault] of refused) {
    it(`is refused with a reason if it is like ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.match(faultOf(text), fault)
      assert.ok(text.length < 8 || !faultOf(text).includes(text))
    })
  }

  it('is accepted or refused as docs/migrate/password-hashes.md says', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/migrate/password-hashes.md'), 'utf8')
    const examplesOf = (heading: string) =>
      [
        ...(page.split(`## ${heading}`)[1] ?? '')
          .split('\n## ', 1)
          .join('')
          .matchAll(/^\| [^|]+ \| `([^`]+)` +\|/gm),
      ].map(([, example = '']) => example)
    const [taken, not] = [examplesOf('Supported hashes'), examplesOf('Unsupported hashes')]
    assert.deepEqual([taken.length, not.length], [30, 9])
    for (const example of taken) assert.ok(await hasher.verify(phcOf(example), 'correct horse battery staple'), example)
    for (const example of not) assert.doesNotMatch(faultOf(example), /does not support this form/, example)
  })

  // Arbitrary text, and text close to a hash: recombined pieces of some.
  const pieces = vectors.flatMap(({ hash }) => hash.split(/(?<=[$,={}])/))
  const near = fc.array(fc.constantFrom(...pieces, '$', '{', '}', '=', ',', 'A', '99999999999'), { maxLength: 12 })
  const broken = fc
    .tuple(fc.constantFrom(...vectors), fc.nat(120), fc.nat(3), fc.string({ maxLength: 3 }))
    .map(([{ hash }, at, length, put]) => hash.slice(0, at) + put + hash.slice(at + length))
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    near.map((texts) => texts.join('')),
    broken,
  )

  it('is unchanged after it is stored and read again, and never makes the reader throw', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const read = readForeignHash(text)
        if ('phc' in read) assert.deepEqual(readForeignHash(read.phc), read)
        else assert.ok(read.fault.endsWith('.') && (text.length < 12 || !read.fault.includes(text)))
      }),
      { numRuns: cases(3000) },
    )
  })

  it('is never accepted if it could not be verified later', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          broken,
          near.map((texts) => texts.join('')),
        ),
        async (text) => {
          const read = readForeignHash(text)
          // What costs more is for the tests of the limits.
          if (
            'fault' in read ||
            /ln=1[1-9]|i=[0-9]{5}|rounds=[0-9]{5}|\$P\$[C-Z]|\$(0[7-9]|1[0-9])\$|m=[0-9]{4}/.test(read.phc)
          )
            return
          accepted++
          assert.equal(typeof (await hasher.verify(read.phc, 'whatever it was')), 'boolean')
        },
      ),
      { numRuns: cases(1500) },
    )
    assert.ok(accepted > cases(400) / 20, `${accepted} were accepted`)
  })

  it('is verified off the event loop, whatever its kind', async () => {
    const slow = [
      `$2b$11$${'a'.repeat(52)}u`,
      `$scrypt$ln=15,r=8,p=1$${salt}$${tag}`,
      `$pbkdf2-sha512$i=200000$${salt}$${'A'.repeat(86)}`,
      `$argon2i$v=19$m=65536,t=2,p=1$${salt}$${tag}`,
      `$6$rounds=60000$abcdefgh$${'a'.repeat(86)}`,
      `$P$F${'a'.repeat(30)}`,
    ]
    for (const text of slow) {
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      assert.equal(await hasher.verify(phcOf(text), 'nothing that fits'), false)
      clearInterval(timer)
      assert.ok(turns >= 5, `${turns} turns during ${text.slice(0, 12)}`)
    }
  })
})
