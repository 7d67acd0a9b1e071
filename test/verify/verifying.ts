/** What tests of the verifier share: one beside a stand-in for Rollbook, and what it says to requests. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createVerifier, type Verifier, type VerifierOptions, VerifyError } from '../../src/sdk/verify/index.ts'
import { assertWithin } from '../time-limit.ts'
import { startIssuer, type TestIssuer, testKey } from './issuer.ts'

export type Verifying = {
  issuer: TestIssuer
  verifier: Verifier
  /** What went wrong so far. */
  troubles: Error[]
  /** 200, or the status and the code of the refusal. */
  outcomeOf(headers: Record<string, string>): Promise<string>
  /** Resolves when the verifier has received everything that was revoked, and its feed is current. */
  hasHeard(): Promise<void>
}

/** With a feed that is current. */
export async function startVerifying(t: TestContext, options: Partial<VerifierOptions> = {}): Promise<Verifying> {
  const issuer = await startIssuer(t)
  const troubles: Error[] = []
  const onTrouble = (error: Error) => troubles.push(error)
  const verifier = createVerifier({ issuer: issuer.url, key: testKey, onTrouble, ...options })
  t.after(() => verifier.close())
  await until(() => verifier.current())
  const outcomeOf = (headers: Record<string, string>) =>
    verifier.verify({ headers, method: 'GET' }).then(
      () => '200',
      (error) => {
        assert.ok(error instanceof VerifyError, error)
        return `${error.status} ${error.code}`
      },
    )
  return {
    issuer,
    verifier,
    troubles,
    outcomeOf,
    async hasHeard() {
      const headers = { authorization: `Bearer ${await issuer.token({ sid: 'the last one' })}` }
      issuer.revoke({ kind: 'session', id: 'the last one' })
      await until(async () => verifier.current() && (await outcomeOf(headers)) === '401 credential_invalid')
    },
  }
}

/** Advances the clock of everything that measures time in this process, until the test ends. Timers do not notice. */
export function passTime(t: TestContext, ms: number): void {
  const now = performance.now
  performance.now = () => now.call(performance) + ms
  t.after(() => {
    performance.now = now
  })
}

export async function until(holds: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const begun = performance.now()
  while (!(await holds())) {
    assertWithin(limitMs, begun, String(holds))
    await sleep(10)
  }
}
