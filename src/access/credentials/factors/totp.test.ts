import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf } from '../../../../test/factors.ts'
import { makeTotpSecret, qrCode, stepOfCode, totpUri } from './totp.ts'

/** RFC 6238, appendix B, SHA-1: the last six of its eight digits. The secret is "12345678901234567890". */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
]

/** RFC 4226, appendix D: the codes of the counters 0 to 9, for the same secret. */
const counted = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ')

describe('one-time codes', () => {
  it('are those of RFC 4226 for each counter', async () => {
    for (const [counter, code] of counted.entries()) {
      assert.equal(await stepOfCode(secret, code, counter * 30_000), counter)
      assert.equal(codeOf(secret, counter * 30_000), code)
    }
  })

  for (const [seconds, code] of vectors) {
    it(`are those of RFC 6238 at ${seconds} s, and of the step before and after`, async () => {
      const step = Math.floor(seconds / 30)
      assert.equal(await stepOfCode(secret, code, seconds * 1000), step)
      assert.equal(await stepOfCode(secret, code, (seconds + 30) * 1000), step)
      assert.equal(await stepOfCode(secret, code, (seconds - 30) * 1000), step)
      assert.equal(await stepOfCode(secret, code, (seconds + 60) * 1000), undefined)
      assert.equal(await stepOfCode(secret, code, (seconds - 60) * 1000), undefined)
      assert.equal(codeOf(secret, seconds * 1000), code)
    })
  }

  it('may have blanks, and nothing else beside six digits', async () => {
    for (const code of ['287 082', ' 287-082 ']) assert.equal(await stepOfCode(secret, code, 59_000), 1)
    for (const code of ['', '87082', '2870820', '28708x', '٢٨٧٠٨٢', '0x45f6a', '287082\0']) {
      assert.equal(await stepOfCode(secret, code, 59_000), undefined, code)
    }
  })

  it('have a secret of 160 bits, and an otpauth URI that keeps odd names apart', async () => {
    const [one, other] = [await makeTotpSecret(), await makeTotpSecret()]
    assert.match(one, /^[A-Z2-7]{32}$/)
    assert.notEqual(one, other)
    const uri = new URL(await totpUri(one, { issuer: 'A & B: C', username: 'ada@example.org?x=1' }))
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.searchParams.get('secret'), one)
    assert.equal(uri.searchParams.get('issuer'), 'A & B C')
    assert.equal(uri.searchParams.get('x'), null)
    assert.equal(uri.searchParams.get('period'), '30')
  })

  it('have a label with one colon, which is the one between the names', async () => {
    for (const [issuer, username, label] of [
      ['Acme: Portal', 'ada', 'Acme Portal:ada'],
      ['Acme:Portal', 'corp:ada', 'Acme Portal:corp ada'],
      ['::Acme::', 'ada', 'Acme:ada'],
    ] as const) {
      const uri = new URL(await totpUri(secret, { issuer, username }))
      assert.equal(decodeURIComponent(uri.pathname).replace(/^\/+(totp\/)?/, ''), label)
      assert.equal(uri.searchParams.get('issuer'), label.split(':')[0])
    }
  })

  it('have a QR code that is a picture only', async () => {
    const svg = await qrCode(await totpUri(secret, { issuer: '<script>', username: 'ada' }))
    assert.match(svg, /^<svg [^>]*>.*<\/svg>$/s)
    assert.ok(!/script|href|on\w+=/i.test(svg))
  })
})
