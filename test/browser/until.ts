import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/**
 * Waits until the expression holds in the page. `page.waitForFunction` evaluates text there unless it holds at once, which the
 * policy of our pages forbids.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 60_000
  const inFront = bringToFrontLater(page)
  try {
    while (!(await page.evaluate<boolean>(expression))) {
      assert.ok(Date.now() < end, `${expression}: not within 60 s`)
      await sleep(20)
    }
  } finally {
    clearTimeout(inFront)
  }
}

/** Chromium draws nothing for a page that it believes to be behind another one. */
function bringToFrontLater(page: Page): NodeJS.Timeout {
  return setTimeout(() => void page.bringToFront().catch(() => undefined), 5000)
}

/**
 * Evaluates a promise in the page, and fails after a minute: `page.evaluate` itself waits for ever, and a test that hangs does not say where.
 */
export async function evaluateWithin<T>(page: Page, expression: string, what: string): Promise<T> {
  const stop = new AbortController()
  const late = sleep(60_000, undefined, { signal: stop.signal }).then(
    () => assert.fail(`${what}: not within 60 s, at ${page.url()}`),
    () => undefined as never,
  )
  try {
    return await Promise.race([page.evaluate<T>(expression), late])
  } finally {
    stop.abort()
  }
}

/** Waits until the page has drawn twice: what a change of the first frame starts, such as a transition, is there after the second. */
export async function twoFrames(page: Page): Promise<void> {
  const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))'
  const inFront = bringToFrontLater(page)
  await evaluateWithin(page, frames, 'two frames').finally(() => clearTimeout(inFront))
}
