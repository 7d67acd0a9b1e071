import type { Page } from 'playwright-core'

/** What a page writes to the console as an error, or throws, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium itself logs each answer from 400 on; those are what some tests ask for.
    const isRefusal = /^Failed to load resource: .* status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isRefusal) complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  return complaints
}
