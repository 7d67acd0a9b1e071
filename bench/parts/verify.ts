import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JWTVerifyOptions, jwtVerify } from 'jose'
import { createVerifier } from '../../src/verify/index.ts'
import { startIssuer, type TestIssuer, testKey } from '../../test/verify/issuer.ts'
import { alternately, atLeast, medianOf, type Row } from '../report.ts'
import type { Part } from './settings.ts'

/** As many as a busy server has in its hands at once. */
const atOnce = 32
const tokens = 8000

/** How many of `works` are done in a second, up to 32 at a time. */
async function rateOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<number> {
  let next = 0
  const worker = async () => {
    while (next < items.length) await work(items[next++] as Item)
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: atOnce }, worker))
  return items.length / ((performance.now() - begun) / 1000)
}

/** jose alone, with the key in its hand and the checks that its documentation advises. */
function joseRate({ key, url }: TestIssuer, sent: readonly string[]): Promise<number> {
  const options: JWTVerifyOptions = {
    algorithms: ['EdDSA'],
    typ: 'at+jwt',
    issuer: url,
    audience: new URL(url).origin,
  }
  return rateOf(sent, (token) => jwtVerify(token, key.publicKey, options))
}

/** As a main API does it: from the headers of a request to a caller who holds a permission, with the feed behind it. */
async function ourRates(issuer: TestIssuer, sent: readonly string[]): Promise<{ first: number; again: number }> {
  const verifier = createVerifier({ issuer: issuer.url, key: testKey })
  try {
    while (!verifier.current()) await sleep(10)
    const verify = async (token: string) => {
      const headers = { host: 'localhost', authorization: `Bearer ${token}`, accept: '*/*' }
      const { kind } = await verifier.verify({ headers, method: 'GET' }, { permission: 'reports:read' })
      assert.equal(kind, 'user')
    }
    const first = await rateOf(sent, verify)
    const again = await rateOf([...sent, ...sent, ...sent, ...sent], verify)
    assert.equal(issuer.asked('/introspect'), 0)
    return { first, again }
  } finally {
    verifier.close()
  }
}

export const verify: Part = async ({ rounds }) => {
  const ends: (() => void)[] = []
  const after = ((end: () => void) => ends.push(end)) as unknown as TestContext['after']
  const issuer = await startIssuer({ after })
  try {
    for (let i = 0; i < 1000; i++) issuer.revoke({ kind: 'session', id: `another-${i}` })
    const sent: string[] = []
    for (let i = 0; i < tokens; i++) sent.push(await issuer.token())
    await joseRate(issuer, sent.slice(0, 1000))
    await ourRates(issuer, sent.slice(0, 1000))
    const found = await alternately(rounds, { jose: () => joseRate(issuer, sent), ours: () => ourRates(issuer, sent) })
    const jose = medianOf(found.jose, (rate) => rate)
    const row = (work: string, ours: number): Row => ({
      work,
      unit: '/s',
      bare: jose,
      reference: 'jose',
      ours,
      target: atLeast(0.9),
      judged: 'ratio',
    })
    return [
      row(
        'rollbook/verify: a token that was not seen before',
        medianOf(found.ours, ({ first }) => first),
      ),
      row(
        '… one that was',
        medianOf(found.ours, ({ again }) => again),
      ),
    ]
  } finally {
    for (const end of ends) end()
  }
}
