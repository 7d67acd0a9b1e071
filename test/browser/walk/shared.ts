/** What the tests of a walk share. Each of them opens its page itself, so that one alone can be run by its name. */
import assert from 'node:assert/strict'
import { after, afterEach, before, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { complaintsOf } from '../complaints.ts'

type Parts = { page: Page }

/**
 * Starts a service and opens a page before the first test of the `describe` that calls it, and ends both after the last one. A test
 * fails if the page complains.
 */
export function shareWalk<T extends Parts>(browser: Browser, start: (t: TestContext) => Promise<T>): () => T {
  const ends: (() => unknown)[] = []
  // They end with the suite.
  const t = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext
  let parts: T | undefined
  let complaints: string[] = []
  before(async () => {
    parts = await start(t)
    complaints = complaintsOf(parts.page)
  })
  afterEach(() => assert.deepEqual(complaints.splice(0), []))
  after(async () => {
    try {
      for (const end of ends) await end()
    } finally {
      await browser.close()
    }
  })
  return () => parts ?? assert.fail('The walk has not begun.')
}
