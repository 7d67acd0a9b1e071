import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Started } from '../harness.ts'
import { foreignRequests } from './console-driver.ts'
import { usePage } from './login-driver.ts'
import { borrowPage, openProfile, returnPage } from './profiles.ts'
import { until } from './until.ts'

type Visit = {
  hash?: string
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
  /** With an empty cache. */
  isNew?: boolean
}

/**
 * Opens the docs page in an empty profile. The test fails at its end if the page broke its own policy, logged an error, or sent a
 * request to another server.
 */
export async function visit(t: TestContext, browser: Browser, url: string, options: Visit = {}): Promise<Page> {
  const { hash = '', colorScheme = 'light', viewport = { width: 1280, height: 720 }, isNew = false } = options
  const { page, close } = isNew ? await newProfile(browser) : await borrowProfile(browser, url)
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(viewport)
  const foreign = foreignRequests(page, new URL(url).origin)
  usePage(t, page, { allowed: undefined, close })
  t.after(() => assert.deepEqual(foreign, []))
  await load(page, url + hash)
  return page
}

async function newProfile(browser: Browser) {
  const page = await openProfile(browser)
  return { page, close: () => page.context().close() }
}

async function borrowProfile(browser: Browser, url: string) {
  const page = await borrowPage(browser)
  return { page, close: () => returnPage(page, url) }
}

/** Loads the page again, even if only the hash differs. */
export async function load(page: Page, url: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(url)
  await page.locator('.opblock').first().waitFor()
}

/** The open operations, by their operationId. */
export async function openOperations(page: Page): Promise<string[]> {
  const blocks = await page.locator('.opblock.is-open').all()
  const ids = await Promise.all(blocks.map((block) => block.getAttribute('id')))
  return ids.map((id) => String(id).replace('operations-default-', ''))
}

/** Waits until the operation can be tried out. */
export async function isOpen(page: Page, operationId: string): Promise<void> {
  await page.locator(`#operations-default-${operationId}.is-open .try-out__btn`).first().waitFor()
}

/** Presses "Try it out", which an operation keeps until "Cancel" is pressed. */
export async function tryOut(page: Page, operationId: string): Promise<void> {
  const operation = page.locator(`#operations-default-${operationId}`)
  if (await operation.locator('.execute').isVisible()) return
  await operation.getByRole('button', { name: 'Try it out', exact: true }).click()
  await operation.locator('.execute').waitFor()
}

/** Waits until the operation's first line is in sight. */
export async function isInSight(page: Page, operationId: string): Promise<void> {
  const summary = `document.getElementById('operations-default-${operationId}').getBoundingClientRect()`
  await until(page, `${summary}.top >= -1 && ${summary}.top < innerHeight`)
}

/** Follows a deep link inside the page, as an edit in the address bar does. */
export async function follow(page: Page, operationId: string): Promise<void> {
  await page.evaluate(`location.hash = '#/default/${operationId}'`)
  await isOpen(page, operationId)
}

export async function authorize(page: Page, key: string): Promise<void> {
  await page.locator('.auth-wrapper > .btn.authorize').click()
  const scheme = page.locator('.auth-container')
  // The field has the focus.
  await scheme.locator('input:focus').waitFor()
  await page.keyboard.insertText(key)
  await scheme.locator('.btn.authorize').click()
  await scheme.getByText('Authorized', { exact: true }).waitFor()
  await scheme.locator('.btn-done').click()
}

export type Shown = {
  status: number
  contentType: string
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any answer.
  json: any
}

type Given = { parameters?: Record<string, string>; body?: unknown }

/** Opens the operation by its link, fills in what is given, executes, and reads the answer off the page. */
export async function execute(page: Page, operationId: string, input: Given = {}): Promise<Shown> {
  await follow(page, operationId)
  await tryOut(page, operationId)
  const operation = page.locator(`#operations-default-${operationId}`)
  const clear = operation.locator('.btn-clear')
  if (await clear.isVisible()) await clear.click()
  for (const [name, value] of Object.entries(input.parameters ?? {})) {
    await operation.locator(`tr[data-param-name="${name}"] input`).fill(value)
  }
  if (input.body !== undefined) {
    const text = typeof input.body === 'string' ? input.body : JSON.stringify(input.body, null, 2)
    await operation.locator('textarea.body-param__text').fill(text)
  }
  await operation.locator('.execute').click()
  const response = operation.locator('.live-responses-table tbody tr').first()
  await response.waitFor()
  const status = (await response.locator('.response-col_status').textContent()) ?? ''
  const text = (await response.locator('.highlight-code .microlight').first().textContent()) ?? ''
  const headers = await response.locator('.headerline').allTextContents()
  const contentType = /content-type: (.+)/.exec(headers.join('\n'))?.[1] ?? ''
  return { status: Number.parseInt(status, 10), contentType, text, json: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Fails unless the page shows a refusal with this code. */
export function assertProblem(problem: Shown, status: number, code: string): void {
  assert.equal(problem.status, status, problem.text)
  assert.match(problem.contentType, /^application\/problem\+json/)
  assert.deepEqual([problem.json.status, problem.json.code], [status, code])
}

export function operationIds({ document }: Started): string[] {
  return Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId))
}
