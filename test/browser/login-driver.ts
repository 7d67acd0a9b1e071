import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
import { createUser, type Started, start } from '../harness.ts'
import { passOn, serveHttp } from '../http-server.ts'
import { complaintsOf } from './complaints.ts'

export const password = 'analytical engine no. 1'
export const otherPassword = 'difference engine no. 2'

/** Starts a service with a user, ada. */
export async function startWithAda(
  t: TestContext,
  env: Record<string, string> = {},
  port = 0,
): Promise<{ app: Started; api: string; user_id: string }> {
  closePagesFirst(t)
  const app = await start(t, { name: 'SQLite' }, { env })
  const ada = { username: 'ada', password, first_name: 'Ada', last_name: 'Lovelace' }
  const { user_id } = await createUser(app, ada)
  return { app, api: await app.listen(port), user_id: String(user_id) }
}

const closingsOf = new WeakMap<TestContext, (() => Promise<void>)[]>()

/**
 * Call it before the service is started: cleanups run in the order of their registration, and a page that sends requests
 * to a stopped service logs errors.
 */
export function closePagesFirst(t: TestContext): void {
  const closings: (() => Promise<void>)[] = []
  closingsOf.set(t, closings)
  t.after(() => Promise.all(closings.map((close) => close())))
}

/**
 * Opens a fresh profile. The test fails at its end if a page broke its own policy or logged an error, other than the
 * `allowed` ones.
 */
export async function newPage(
  t: TestContext,
  browser: Browser,
  { allowed, ...options }: BrowserContextOptions & { allowed?: RegExp | undefined } = {},
): Promise<Page> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  return usePage(t, page, { allowed, close: () => context.close() })
}

/** As long as the test runs. It fails at its end if the page complains about something else than what is `allowed`. */
export function usePage(
  t: TestContext,
  page: Page,
  { allowed, close }: { allowed: RegExp | undefined; close: () => Promise<void> },
): Page {
  let closed: Promise<void> | undefined
  const closeOnce = () => {
    closed ??= close()
    return closed
  }
  closingsOf.get(t)?.push(closeOnce)
  const complaints = complaintsOf(page)
  t.after(async () => {
    await closeOnce()
    assert.deepEqual(
      complaints.filter((one) => !allowed?.test(one)),
      [],
    )
  })
  return page
}

export type Entered = { username?: string; password?: string }

/** Fills in and sends the sign-in form. Returns the status of the first answer. */
export async function submitSignIn(page: Page, entered: Entered = {}): Promise<number> {
  await page.getByLabel('Username or email address').fill(entered.username ?? 'ada')
  await page.getByLabel('Password', { exact: true }).fill(entered.password ?? password)
  return press(page, 'Sign in')
}

/** Presses a button that sends a form. Returns the status of its answer, once all redirects are done. */
export async function press(page: Page, name: string): Promise<number> {
  // Not what a script sends meanwhile.
  const isForm = (request: Request) => request.method() === 'POST' && request.isNavigationRequest()
  const posted = page.waitForResponse((response) => isForm(response.request()))
  const loaded = page.waitForEvent('load')
  await page.getByRole('button', { name, exact: true }).click()
  await loaded
  return (await posted).status()
}

export function heading(page: Page): Promise<string | null> {
  return page.locator('h1').textContent()
}

/** Returns whether the service sees this browser as signed in. */
export async function isSignedIn(page: Page, api: string): Promise<boolean> {
  const response = await page.context().request.get(`${api}/me`)
  return response.ok()
}

/** Starts a small server of another site. Returns its origin. */
export async function serveOn(t: TestContext, listener: RequestListener): Promise<string> {
  return (await serveHttp(t, listener)).origin
}

/** A page of another site. */
export function servePage(t: TestContext, html: (url: string) => string): Promise<string> {
  return serveOn(t, ({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html(url))
  })
}

type Proxy = { outside: string; inside: string; target: () => string; dropped?: readonly string[] }

/**
 * A reverse proxy that serves `inside` of a target as `outside`, without the `dropped` headers of requests, and a product
 * under all other paths.
 */
export function serveBehindProxy(t: TestContext, { outside, inside, target, dropped = [] }: Proxy): Promise<string> {
  return serveOn(t, (request, response) => {
    const { url = '' } = request
    if (!url.startsWith(`${outside}/`)) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>product</title>${url}`)
      return
    }
    for (const name of dropped) delete request.headers[name]
    passOn(request, response, target() + inside + url.slice(outside.length))
  })
}

/** On the sign-in page with `return_to=/auth/docs/problems`: a wrong password, and the right one from where the focus is then. */
export async function assertWrongPasswordShown(page: Page, api: string): Promise<void> {
  assert.equal(await submitSignIn(page, { password: 'not her password at all' }), 401)
  assert.match((await page.getByRole('alert').textContent()) ?? '', /The sign-in failed/)
  assert.equal(await page.locator('#username').inputValue(), 'ada')
  assert.equal(await page.locator('#password').inputValue(), '')
  assert.equal(await page.locator(':focus').getAttribute('id'), 'password')
  assert.equal(await page.locator('#password').getAttribute('aria-describedby'), 'message')
  assert.equal(await isSignedIn(page, api), false)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${api}/docs/problems`)
}

/** From the page of a user who is signed in to the sign-in page, with a cookie that is worth nothing. */
export async function assertSignsOut(page: Page, api: string): Promise<void> {
  const [session] = (await page.context().cookies()).filter(({ name }) => name === 'rollbook')
  assert.deepEqual([session?.httpOnly, session?.sameSite, session?.path], [true, 'Lax', '/'])
  await page.goto(`${api}/logout`)
  assert.equal(await isSignedIn(page, api), true)
  await press(page, 'Sign out')
  assert.equal(await heading(page), 'You are signed out')
  assert.deepEqual(
    (await page.context().cookies()).filter(({ name }) => name === 'rollbook'),
    [],
  )
  // A copy of the cookie is worthless.
  await page.context().addCookies([session as NonNullable<typeof session>])
  assert.equal(await isSignedIn(page, api), false)
  await page.goBack()
  await page.goto(`${api}/login`)
  assert.equal(await heading(page), 'Sign in')
}
