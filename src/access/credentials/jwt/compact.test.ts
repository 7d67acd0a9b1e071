import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertCheap } from '../../../../test/processor-time.ts'
import { AppError } from '../../../core/errors.ts'
import { readUnproven } from './compact.ts'

const encode = (text: string) => Buffer.from(text).toString('base64url')
const refuses = (jwt: string) =>
  assert.throws(
    () => readUnproven(jwt),
    (error) => error instanceof AppError && error.code === 'credential_invalid',
    jwt.slice(0, 60),
  )

describe('reading an unverified token', () => {
  it('gives its header and its issuer', () => {
    const jwt = `${encode('{"alg":"EdDSA","kid":"x"}')}.${encode('{"iss":"https://id.example.com"}')}.AAAA`
    assert.deepEqual(readUnproven(jwt), { header: { alg: 'EdDSA', kid: 'x' }, iss: 'https://id.example.com' })
  })

  it('refuses a signature that is written in another way than encoders do', () => {
    const start = `${encode('{"alg":"EdDSA"}')}.${encode('{}')}.`
    readUnproven(`${start}AA`)
    for (const other of ['AB', 'AAB', 'A', 'AA=', 'AA==', 'A A', 'AA\n', 'AA/']) refuses(start + other)
  })

  it('takes no longer for a hostile token than its length requires', () => {
    assertCheap(1000, () => {
      for (const piece of ['a', 'a.', '-_', '.', 'a.b.c.']) {
        for (let i = 0; i < 40; i++) refuses(`eyJ${piece.repeat(8000 / piece.length)}!`)
      }
    })
  })
})
