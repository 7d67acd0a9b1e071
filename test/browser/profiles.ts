/**
 * Profiles that the tests of a process use one after the other. To start a renderer and to compile the console costs more than what
 * most tests do with it. Each test finds an empty profile, but for scripts in the cache.
 */
import type { TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { freePort } from '../free-port.ts'

type Idle = { browser: Browser; options: string; page: Page }

const idle: Idle[] = []
const idlePorts: number[] = []
const borrowed = new WeakMap<Page, Idle>()

/** Reported as an error, which fails the test. */
const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`

/** What an origin keeps, other than cookies, `sessionStorage` and its cache. */
const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers'

/** Lends a page of an idle profile with these options, or opens one. */
export async function borrowPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const wanted = JSON.stringify(options)
  const found = idle.findLastIndex((one) => one.browser === browser && one.options === wanted && !one.page.isClosed())
  const one = idle.splice(found, found < 0 ? 0 : 1)[0] ?? {
    browser,
    options: wanted,
    page: await openProfile(browser, options),
  }
  borrowed.set(one.page, one)
  return one.page
}

/** Opens a page in a new profile. */
export async function openProfile(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  page.setDefaultTimeout(60_000)
  await page.addInitScript({ content: reportViolations })
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

/**
 * A port for a service that is started and ended by this test. The next one takes it over: a page compiles scripts once for each origin.
 * Call it after the service has registered its end.
 */
export async function borrowPort(t: TestContext): Promise<number> {
  const port = idlePorts.pop() ?? (await freePort())
  t.after(() => idlePorts.push(port))
  return port
}
