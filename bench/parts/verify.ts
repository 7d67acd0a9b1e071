import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JWTVerifyOptions, jwtVerify } from 'jose'
import { createVerifier } from '../../src/sdk/verify/index.ts'
import { startIssuer, type TestIssuer, testKey } from '../../test/verify/issuer.ts'
import { alternately, atLeast, medianOf, type Row } from '../report.ts'
import type { Part } from './settings.ts'

/** As many as a busy server has in its hands at once. */
const atOnce = 32
const [tokens, batch] = [8000, 200]

type Work = (token: string) => Promise<unknown>

async function secondsFor(sent: readonly string[], work: Work): Promise<number> {
  let next = 0
  const worker = async () => {
    while (next < sent.length) await work(sent[next++] as string)
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: atOnce }, worker))
  return (performance.now() - begun) / 1000
}

/** Both in turn, a few milliseconds each, so that what else the machine does falls on both. */
async function ratesOf(
  sent: readonly string[],
  works: { bare: Work; ours: Work },
): Promise<{ bare: number; ours: number }> {
  const seconds = { bare: 0, ours: 0 }
  for (let i = 0; i < sent.length; i += batch) {
    const order = (i / batch) % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const)
    for (const name of order) seconds[name] += await secondsFor(sent.slice(i, i + batch), works[name])
  }
  return { bare: sent.length / seconds.bare, ours: sent.length / seconds.ours }
}

/** jose alone, with the key in its hand and the checks that its documentation advises. */
function joseAlone({ key, url }: TestIssuer): Work {
  const audience = new URL(url).origin
  const options: JWTVerifyOptions = { algorithms: ['EdDSA'], typ: 'at+jwt', issuer: url, audience }
  return (token) => jwtVerify(token, key.publicKey, options)
}

/** As a main API does it: from the headers of a request to a caller who holds a permission, with the feed behind it. */
async function measure(issuer: TestIssuer, sent: readonly string[]) {
  const verifier = createVerifier({ issuer: issuer.url, key: testKey })
  try {
    while (!verifier.current()) await sleep(10)
    const bare = joseAlone(issuer)
    const ours = (token: string) => {
      const headers = { host: 'localhost', authorization: `Bearer ${token}`, accept: '*/*' }
      return verifier.verify({ headers, method: 'GET' }, { permission: 'reports:read' })
    }
    assert.equal((await ours(await issuer.token())).username, 'ada')
    const first = await ratesOf(sent, { bare, ours })
    // The second sight is when a token is remembered.
    await secondsFor(sent, ours)
    const again = await ratesOf(sent, { bare, ours })
    assert.equal(issuer.requestCount('/introspect'), 0)
    return { first, again }
  } finally {
    verifier.close()
  }
}

export const verify: Part = async ({ rounds }) => {
  const ends: (() => void)[] = []
  // Cast: the issuer uses nothing else of a test's context.
  const after = ((end: () => void) => ends.push(end)) as unknown as TestContext['after']
  const issuer = await startIssuer({ after })
  try {
    for (let i = 0; i < 1000; i++) issuer.revoke({ kind: 'session', id: `another-${i}` })
    const sent: string[] = []
    for (let i = 0; i < tokens; i++) sent.push(await issuer.token())
    await measure(issuer, sent.slice(0, 1000))
    const { both } = await alternately(rounds, { both: () => measure(issuer, sent) })
    const row = (work: string, which: 'first' | 'again'): Row => ({
      work,
      unit: '/s',
      bare: medianOf(both, (sample) => sample[which].bare),
      reference: 'jose',
      ours: medianOf(both, (sample) => sample[which].ours),
      target: atLeast(0.9),
      judged: 'ratio',
    })
    return [row('rollbook/verify: a token that was not seen before', 'first'), row('… one that was, twice', 'again')]
  } finally {
    for (const end of ends) end()
  }
}
