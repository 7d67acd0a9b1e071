/** The users screen of the console in Chromium, over a million users. */
import assert from 'node:assert/strict'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchBrowser } from '../../test/browser.ts'
import { atMost, median, medianOf, type Row } from '../report.ts'
import { ask, type Server, withServer } from '../servers.ts'
import { million, type Part } from './settings.ts'

const pixelsPerSecond = 1000
const heapAfterSeconds = 60
const person = { username: 'bench.viewer', password: 'seventeen purple otters dance', role: 'admin' }
const texts = ['smith', 'anna', 'son', 'mar', 'lee']

/** Moves `element` for this long, and returns how long the frames took. */
const scroll = `async (element, seconds, pixelsPerSecond) => {
  const frames = []
  const began = await new Promise(requestAnimationFrame)
  for (let last = began; last - began < seconds * 1000; ) {
    const now = await new Promise(requestAnimationFrame)
    if (last !== began) frames.push(now - last)
    element.scrollTop += (pixelsPerSecond * (now - last)) / 1000
    last = now
  }
  return frames
}`

/** As many boxes as the list has, in an element that scrolls as far, and nothing else. */
const bareList = (rows: number, cells: number, rowHeight: number) => `
  document.body.innerHTML = '<div style="height:90vh;overflow:auto;contain:strict"><div style="position:relative;height:8000000px"></div></div>'
  const sizer = document.body.firstChild.firstChild
  const rows = Array.from({ length: ${rows} }, () => {
    const row = document.createElement('div')
    row.style.cssText = 'position:absolute;inset:0 0 auto;height:${rowHeight}px;display:flex;contain:strict'
    for (let i = 0; i < ${cells}; i++) row.append(Object.assign(document.createElement('div'), { textContent: 'cell ' + i, style: 'flex:1' }))
    sizer.append(row)
    return row
  })
  sizer.parentElement.onscroll = ({ target }) => {
    const first = Math.floor(target.scrollTop / ${rowHeight})
    rows.forEach((row, i) => { row.style.transform = 'translateY(' + (first + i) * ${rowHeight} + 'px)' })
  }`

export const consoleScreen: Part = async ({ rounds, seconds, users = million }) => {
  const browser = await launchBrowser()
  if (browser === undefined) return [{ work: 'the users screen', unit: '', judged: 'ours', skipped: 'no Chromium' }]
  try {
    return await withServer('ours', { users, writes: true }, (server) =>
      measure(browser, server, { rounds, seconds, users }),
    )
  } finally {
    await browser.close()
  }
}

async function measure(
  browser: Browser,
  server: Server,
  { rounds, seconds, users }: { rounds: number; seconds: number; users: number },
): Promise<Row[]> {
  const url = `http://127.0.0.1:${server.port}${server.prefix}`
  const headers = { ...server.headers, 'content-type': 'application/json' }
  const made = await fetch(`${url}/users`, { method: 'POST', headers, body: JSON.stringify(person) })
  assert.equal(made.status, 201, await made.text())
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const { username, password } = person
  const signedIn = await context.request.post(`${url}/sessions`, {
    data: { username, password },
    headers: { origin: new URL(url).origin },
  })
  assert.equal(signedIn.status(), 201)
  const page = await context.newPage()
  const scripts: string[] = []
  page.on('request', (request) => void (request.resourceType() === 'script' && scripts.push(request.url())))
  await open(page, url)
  await page.waitForLoadState('networkidle')
  const bytes = await Promise.all(scripts.map(compressedBytes))

  const bare = await context.newPage()
  await bare.goto('about:blank')
  const shape = (await page.evaluate(`[
    document.querySelectorAll('[data-row]').length,
    document.querySelectorAll('[data-row="0"] > *').length,
    document.querySelector('[data-row="0"]').offsetHeight,
  ]`)) as [number, number, number]
  await bare.evaluate(bareList(...shape))

  const samples: { bare: number; ours: number; searchMs: number; jumpMs: number; endMs: number }[] = []
  for (let round = 0; round < rounds; round++) {
    await bare.bringToFront()
    const bareFrames = await framesOf(bare, 'document.body.firstChild', seconds)
    await page.bringToFront()
    const ours = await framesOf(page, 'document.querySelector("[role=grid]")', seconds)
    const endMs = await timeOf(page, { key: 'End', until: lastRowIsShown(users) })
    // Some other place each time, which was not looked at.
    const row = Math.round(users * ((round + 1) / (rounds + 2))) + 7
    await page.getByLabel('Go to row').fill(String(row))
    const jumpMs = await timeOf(page, {
      key: 'Enter',
      until: `document.querySelector('[data-row="${row - 1}"] a') !== null`,
    })
    const text = texts[round % texts.length] as string
    await page.getByLabel('Search users').pressSequentially(text.slice(0, -1), { delay: 60 })
    await page.waitForLoadState('networkidle')
    const searchMs = await timeOf(page, { key: text.slice(-1), until: rowsMatch(text) })
    samples.push({ bare: slowFrame(bareFrames), ours: slowFrame(ours), searchMs, jumpMs, endMs })
    await open(page, url)
  }

  const session = await context.newCDPSession(page)
  await framesOf(page, 'document.querySelector("[role=grid]")', heapAfterSeconds)
  const heap = await heapMegabytes(session)
  const last = await lastUser(server, users)
  await page.getByRole('grid').press('End')
  await page.locator(`[data-row="${users}"] a[href$="${last}"]`).waitFor()

  const of = `of ${users.toLocaleString('en')} users`
  return [
    {
      work: `users screen ${of}: 95 of 100 frames, scrolling 1,000 px/s, within`,
      unit: 'ms',
      bare: medianOf(samples, (sample) => sample.bare),
      reference: 'bare boxes',
      ours: medianOf(samples, (sample) => sample.ours),
      target: atMost(1.1),
      judged: 'ratio',
    },
    ours('… from the last key of a search to its rows', 'ms', median(samples.map((one) => one.searchMs)), 300),
    ours('… to any row', 'ms', median(samples.map((one) => one.jumpMs)), 500),
    ours('… to the last row', 'ms', median(samples.map((one) => one.endMs)), 500),
    ours(`… heap after scrolling for ${heapAfterSeconds} s`, 'MB', heap, 60),
    ours('… scripts before it can be used, gzip', 'kB', bytes.reduce((sum, one) => sum + one, 0) / 1000, 220),
  ]
}

function ours(work: string, unit: string, value: number, most: number): Row {
  return { work, unit, ours: value, target: atMost(most), judged: 'ours' }
}

async function open(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/console/users`)
  await page.locator('[data-row="0"] a').waitFor()
  // The exact number, which says where the end is.
  await page.waitForLoadState('networkidle')
}

function framesOf(page: Page, element: string, seconds: number): Promise<number[]> {
  return page.evaluate(`(${scroll})(${element}, ${seconds}, ${pixelsPerSecond})`)
}

function slowFrame(frames: readonly number[]): number {
  return frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] as number
}

/** Milliseconds from the key until the page is as wanted, by the page's own clock; a picture of it comes a frame later. */
async function timeOf(page: Page, { key, until }: { key: string; until: string }): Promise<number> {
  await page.evaluate(`globalThis.pressedAt = undefined
    addEventListener('keydown', () => { globalThis.pressedAt = performance.now() }, { capture: true, once: true })`)
  if (key === 'End') await page.getByRole('grid').press(key)
  else await page.keyboard.press(key)
  return page.evaluate(`new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(${JSON.stringify(`Never came: ${until}`)} + ' at ' + location.href)), 10_000)
    const look = () => (${until}) ? resolve(performance.now() - globalThis.pressedAt) : requestAnimationFrame(look)
    look()
  })`)
}

const lastRowIsShown = (users: number) => `document.querySelector('[data-row="${users}"] a') !== null`
const rowsMatch = (text: string) =>
  `location.search === '?q=${text}' && !document.querySelector('[role=grid]').matches('[data-stale]') && document.querySelector('[data-row="0"] a') !== null`

async function heapMegabytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}

async function compressedBytes(script: string): Promise<number> {
  const answer = await fetch(script, { headers: { 'accept-encoding': 'gzip' } })
  const length = Number(answer.headers.get('content-length'))
  assert.ok(length > 0, script)
  return length
}

/** Whom the API has in the last row; `users` are those of the store, and one more who looks. */
async function lastUser(server: Server, users: number): Promise<string> {
  const [user] = JSON.parse((await ask(server, `/users?limit=1&offset=${users}`)).body) as { user_id: string }[]
  assert.ok(user)
  return user.user_id
}
