import type { Page } from 'playwright-core'

/** Collects the errors that a page logs or throws from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium logs every answer with status 400 or more, which some tests provoke.
    const isRefusal = /^Failed to load resource: .* status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isRefusal) complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  return complaints
}
