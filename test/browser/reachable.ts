import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

// It runs in the page, which is why it is typed loosely.
// biome-ignore lint/suspicious/noExplicitAny: the types of the DOM are not loaded here.
function describePlace(element: any) {
  const { x, y, width, height } = element.getBoundingClientRect()
  const view = element.ownerDocument
  let opacity = 1
  for (let one = element; one !== null; one = one.parentElement) {
    opacity *= Number(view.defaultView.getComputedStyle(one).opacity)
  }
  return {
    isHit: element.contains(view.elementFromPoint(x + width / 2, y + height / 2)),
    isOpaque: opacity > 0.3,
    isLarge: width >= 12 && height >= 12,
  }
}

/** Fails unless people see each of these buttons, links and tabs, and a click in its middle reaches it. */
export async function assertReachable(page: Page, what: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const named = { name, exact: true }
    const control = page
      .getByRole('button', named)
      .or(page.getByRole('link', named))
      .or(page.getByRole('tab', named))
      .first()
    await control.scrollIntoViewIfNeeded()
    const place = await control.evaluate(describePlace)
    assert.deepEqual(place, { isHit: true, isOpaque: true, isLarge: true }, `${what}: ${name}`)
  }
}
