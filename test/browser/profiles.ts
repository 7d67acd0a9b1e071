/**
 * Profiles that the tests of a process use one after the other. To start a renderer and to compile the console costs more than what
 * most tests do with it. Each test finds an empty profile, but for scripts in the cache.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

type Idle = { browser: Browser; options: string; page: Page }

const idle: Idle[] = []
const borrowed = new WeakMap<Page, Idle>()

/** What an origin keeps, other than cookies, `sessionStorage` and its cache. */
const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers'

export async function borrowPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const wanted = JSON.stringify(options)
  const found = idle.findLastIndex((one) => one.browser === browser && one.options === wanted && !one.page.isClosed())
  const one = idle.splice(found, found < 0 ? 0 : 1)[0] ?? {
    browser,
    options: wanted,
    page: await open(browser, options),
  }
  borrowed.set(one.page, one)
  return one.page
}

async function open(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  page.setDefaultTimeout(60_000)
  return page
}

/** Empties the profile, in which a service at `url` was visited, and keeps it for the next test. */
export async function returnPage(page: Page, url: string): Promise<void> {
  const one = borrowed.get(page)
  const context = page.context()
  const { origin } = new URL(url)
  if (one === undefined || page.isClosed() || new URL(page.url()).origin !== origin) return context.close()
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  // A page with unsaved changes asks before it is left.
  page.on('dialog', (dialog) => dialog.accept())
  await page.evaluate('sessionStorage.clear()')
  await page.goto('about:blank')
  await context.clearCookies()
  await context.clearPermissions()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Storage.clearDataForOrigin', { origin, storageTypes })
  await cdp.detach()
  for (const event of ['console', 'dialog', 'download', 'pageerror', 'popup', 'request', 'response'] as const) {
    page.removeAllListeners(event)
  }
  idle.push(one)
}
