/** One application for tests that need no settings of their own: starting one costs a third of such a test. */
import assert from 'node:assert/strict'
import { after, afterEach, type TestContext } from 'node:test'
import { type Engine, type Started, start } from './harness.ts'

/** A clock only goes forward: what a test uses up of a limit, the next one must wait for. */
type Options = Omit<NonNullable<Parameters<typeof start>[2]>, 'beside' | 'migrates'>

/** What callers create, with the member that names it. */
const lists = [
  ['/webhooks', 'endpoint_id'],
  ['/users', 'user_id'],
  ['/groups', 'group_id'],
  ['/attributes', 'name'],
  ['/keys', 'key_id'],
] as const

/**
 * Call it in a `describe`. The first test that calls the result starts the application. What a test created is deleted after it, so names
 * are free and lists are empty. Records, events and deleted users stay, so a test looks at those that it caused; a test that leaves an
 * administrator starts its own, as the last one cannot be deleted.
 */
export function sharedApp(engine: Engine, { env, ...options }: Options = {}): () => Promise<Started> {
  const ends: (() => unknown)[] = []
  const t = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext
  let starting: Promise<Started> | undefined
  let isUsed = false
  afterEach(async () => {
    if (isUsed) await deleteAll(await (starting as Promise<Started>))
    isUsed = false
  })
  after(async () => {
    for (const end of ends) await end()
  })
  return () => {
    isUsed = true
    starting ??= start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0', ...env }, ...options })
    return starting
  }
}

async function deleteAll({ call }: Started): Promise<void> {
  for (const [path, id] of lists) {
    const { body } = await call('GET', path)
    for (const one of (body as Record<string, unknown>[]).filter(({ managed }) => managed !== true)) {
      const { status, text } = await call('DELETE', `${path}/${encodeURIComponent(String(one[id]))}`)
      assert.equal(status, 200, text)
    }
  }
}
