import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatPhc, parsePhc } from './phc.ts'

const text = '$argon2id$v=19$m=19456,t=2,p=1$nhSOkvs0shCgWYbhN8/krA$9ugCsh8Wxxzcg/vmo4I65pL2h2OeaW+bIyxV63oLiXg'

describe('PHC strings', () => {
  it('are read into their parts and written again as they were', () => {
    const phc = parsePhc(text)
    assert.ok(phc)
    assert.deepEqual(
      { ...phc, salt: phc.salt.length, tag: phc.tag.length },
      { algorithm: 'argon2id', version: 19, memoryKib: 19_456, passes: 2, parallelism: 1, salt: 16, tag: 32 },
    )
    assert.equal(formatPhc(phc), text)
  })

  const others: readonly string[] = [
    '',
    'password',
    '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    text.replace('argon2id', 'argon2x'),
    text.replace('$v=19', ''),
    text.replace('m=19456,t=2', 't=2,m=19456'),
    text.replace('m=19456', 'm=-1'),
    text.replace('m=19456', 'm=1e9'),
    text.replace('/krA', '/krA=='),
    `${text} `,
    `${text}\n`,
    text.slice(0, text.lastIndexOf('$')),
  ]
  for (const other of others) {
    it(`are not read from ${JSON.stringify(other)}`, () => assert.equal(parsePhc(other), undefined))
  }
})
