import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/**
 * Waits until the expression holds in the page. `page.waitForFunction` evaluates text there unless it holds at once, which the
 * policy of our pages forbids.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await page.evaluate<boolean>(expression))) {
    assert.ok(Date.now() < end, `${expression}: not within 60 s`)
    await sleep(20)
  }
}
