/** Drives the console in Chromium: a service with users, an administrator who is signed in, and axe. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createUser, type Engine, type Started, start } from '../harness.ts'
import { closePagesFirst, newPage, usePage } from './login-driver.ts'
import { borrowPage, borrowPort, returnPage } from './profiles.ts'
import { evaluateWithin, twoFrames } from './until.ts'

export const admin = { username: 'ada', password: 'analytical engine no. 1', first_name: 'Ada', last_name: 'Lovelace' }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// Text, because it runs in the page. An element that is still fading in has another contrast. To end what moves is quicker than to
// wait for it, and an animation that the browser does not draw never ends by itself.
const endAnimations = `document.getAnimations()
  .filter((one) => one.effect?.getTiming().iterations !== Infinity).forEach((one) => one.finish())`
// Each screen is looked at in light too, where all rules are run.
const violations = `axe.run(document, {
  runOnly: matchMedia('(prefers-color-scheme: dark)').matches
    ? { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
    : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  // No rule of these reads style sheets, which axe would ask for and parse once more.
  preload: { assets: ['media'] },
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, any }) => id + ': ' + html.slice(0, 200) + ' ' + (any[0]?.message ?? ''))))`

// Disabled controls, whose contrast axe does not look at, and values that are text because they cannot be changed.
const faint = `(() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const known = new Map()
  const colorOf = (css) => {
    if (!known.has(css)) {
      pen.clearRect(0, 0, 1, 1)
      pen.fillStyle = css
      pen.fillRect(0, 0, 1, 1)
      const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data
      known.set(css, { rgb: [red, green, blue], alpha: alpha / 255 })
    }
    return known.get(css)
  }
  const mix = (above, below, share) => above.map((one, i) => one * share + below[i] * (1 - share))
  // The colours of the ground and of the text as they are seen, with what each element around it makes of them.
  const seen = ([element, ...inner], ground) => {
    const { backgroundColor, color, opacity } = getComputedStyle(element)
    const own = colorOf(backgroundColor)
    const below = mix(own.rgb, ground, own.alpha)
    const text = colorOf(color)
    const pair = inner.length > 0 ? seen(inner, below) : [below, mix(text.rgb, below, text.alpha)]
    return pair.map((one) => mix(one, ground, Number(opacity)))
  }
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const contrast = (element) => {
    const around = []
    for (let one = element; one !== null; one = one.parentElement) around.unshift(one)
    const [low, high] = seen(around, [255, 255, 255]).map(luminance).sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  const hasText = (element) => element.matches('input, select, textarea')
    ? !['checkbox', 'radio', 'file'].includes(element.type) && element.value !== ''
    : [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  }
  const marked = [...document.querySelectorAll(':disabled, [aria-disabled=true], [readonly], dt, dd')]
  const all = marked.flatMap((one) => [one, ...one.querySelectorAll('*'), ...(one.labels ?? [])])
  return [...new Set(all)].filter((one) => !one.matches('option, optgroup') && hasText(one) && isShown(one))
    .map((one) => [contrast(one), one.outerHTML.slice(0, 160)])
    .filter(([ratio]) => ratio < 4.5).map(([ratio, html]) => ratio.toFixed(2) + ': ' + html)
})()`

export type ConsoleService = {
  app: Started
  /** The URL of the API, with the prefix. */
  api: string
  /** The ID of `admin`. */
  user_id: string
}

/** Starts a service with an administrator. `env` are its settings. */
export async function startConsole(
  t: TestContext,
  {
    env = {},
    engine = { name: 'SQLite' },
    clock = Date.now,
    port,
  }: { env?: Record<string, string>; engine?: Engine; clock?: () => number; port?: number } = {},
): Promise<ConsoleService> {
  closePagesFirst(t)
  const app = await start(t, engine, { env, clock })
  const { user_id } = await createUser(app, { ...admin, role: 'admin' })
  return { app, api: await app.listen(port ?? (await borrowPort(t))), user_id: String(user_id) }
}

/** Imports `count` users: user.0001 … */
export async function addUsers(app: Started, count: number, member: (i: number) => object = () => ({})): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => {
    const number = String(i + 1).padStart(4, '0')
    return JSON.stringify({ username: `user.${number}`, email: `user.${number}@example.com`, ...member(i) })
  })
  const { status, text } = await app.call('POST', '/users/import', {
    body: rows.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  assert.equal(status, 200, text)
}

/**
 * Opens a path of the console (`users`) in a profile in which `admin` is signed in. See newPage for what fails it. The profile is empty,
 * but for scripts in its cache; `isNew` says that it has none, or that the test changes the page in a way that cannot be undone.
 */
export async function openConsole(
  t: TestContext,
  browser: Browser,
  {
    api,
    path = 'users',
    as = admin,
    isNew = false,
    allowed,
    viewport = { width: 1440, height: 900 },
    colorScheme = 'light',
    ...others
  }: BrowserContextOptions & {
    allowed?: RegExp
    api: string
    path?: string
    isNew?: boolean
    as?: { username: string; password: string; connection_id?: string }
  },
): Promise<Page> {
  const options = { locale: 'en-GB', timezoneId: 'UTC', ...others }
  const page = isNew
    ? await newPage(t, browser, { ...options, allowed })
    : await borrowPage(browser, options).then((page) =>
        usePage(t, page, { allowed, close: () => returnPage(page, api) }),
      )
  if (viewport !== null) await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  const { username, password, connection_id } = as
  const response = await page.context().request.post(`${api}/sessions`, {
    data: { username, password, ...(connection_id !== undefined && { connection_id }) },
    headers: { origin: new URL(api).origin },
  })
  assert.equal(response.status(), 201, await response.text())
  await page.goto(`${api}/console/${path}`)
  return page
}

/**
 * Fails if axe finds violations of WCAG 2.2 AA or its best practices, in dark of the rules about colours; or if what is disabled or
 * read-only has less contrast than 4.5:1.
 */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(endAnimations)
  // Half a megabyte to compile, unless the page has it from the last time.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  const found = await evaluateWithin<string[]>(page, violations, `axe for ${what}`)
  assert.deepEqual(found, [], what)
  assert.deepEqual(await page.evaluate<string[]>(faint), [], `the contrast of what cannot be changed: ${what}`)
}

/** Shows the page in this colour scheme. */
export async function switchTo(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
  // With the next frame the changes of colours begin, for whose end the check waits.
  await twoFrames(page)
}

/** As assertAccessible, in dark and then in light. */
export async function assertAccessibleInBoth(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await switchTo(page, colorScheme)
    await assertAccessible(page, `${what}, ${colorScheme}`)
  }
}

/** Fails if the page scrolls sideways. */
export async function assertFitsWidth(page: Page, what: string): Promise<void> {
  const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [number, number]
  assert.ok(inner <= outer, `${what}: ${inner} px of content in ${outer} px`)
}

/** Fails if the page as it is now is not accessible or scrolls sideways, on a screen and on a phone, in light and in dark. */
export async function assertLooksGood(page: Page, what: string): Promise<void> {
  const sizes = [
    { width: 1440, height: 900 },
    // The last, so that what comes next is done on a phone.
    { width: 320, height: 640 },
  ]
  for (const viewport of sizes) {
    if (viewport !== null) await page.setViewportSize(viewport)
    for (const colorScheme of ['dark', 'light'] as const) {
      await switchTo(page, colorScheme)
      await assertAccessible(page, `${what}, ${colorScheme} at ${viewport.width}`)
    }
    await assertFitsWidth(page, `${what} at ${viewport.width}`)
  }
}

/** Collects the requests of the page, from now on, to origins other than `origin`. */
export function foreignRequests(page: Page, origin: string): string[] {
  const foreign: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:')) foreign.push(url)
  })
  return foreign
}

/** Presses Tab until a control with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const isNamed = `(({ ariaLabel, labels, textContent }) =>
    [ariaLabel, labels?.[0]?.textContent, textContent].some((one) => one?.trim() === ${JSON.stringify(name)})
  )(document.activeElement ?? document.body)`
  for (let i = 0; i < 150; i++) {
    if (await page.evaluate<boolean>(isNamed)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab never reaches ${name}.`)
}

/** Shows another path of the console, as a link does, without loading the page again. */
export async function follow(page: Page, path: string): Promise<void> {
  // Only then does the console listen to the history.
  await page.locator('main h1').first().waitFor()
  await page.evaluate(`history.pushState({}, '', new URL(${JSON.stringify(path)}, document.baseURI))`)
  await page.evaluate("dispatchEvent(new PopStateEvent('popstate', { state: {} }))")
  await page.locator('main h1').first().waitFor()
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
}
