import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { operations } from '../../console/src/api-call/operations.ts'
import { launchBrowser } from '../browser.ts'
import { adminKey, createUser, type Started, start } from '../harness.ts'
import { passOn, serveHttp } from '../http-server.ts'
import {
  assertProblem,
  authorize,
  execute,
  follow,
  isInSight,
  isOpen,
  load,
  openOperations,
  operationIds,
  tryOut,
  visit,
} from './docs-driver.ts'
import { borrowPort } from './profiles.ts'
import { until } from './until.ts'

const browser = await launchBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const create = 'create_user_users_post'
const list = 'list_users_users_get'
const get = 'get_user_users__user_id__get'
const update = 'update_user_users__user_id__patch'
const remove = 'delete_user_users__user_id__delete'

describe('the docs page in Chromium', { skip: browser === undefined && 'there is no Chromium', concurrency: 2 }, () => {
  if (browser === undefined) return
  async function startDocs(t: TestContext): Promise<{ app: Started; docs: string }> {
    const app = await start(t, { name: 'SQLite' })
    return { app, docs: `${await app.listen(await borrowPort(t))}/docs` }
  }

  // Shared by tests that can ignore each other's users.
  let app: Started
  let docs: string
  const ends: (() => Promise<void>)[] = []
  before(async () => {
    const untilTheEnd = { after: (end: () => Promise<void>) => ends.push(end) } as unknown as TestContext
    ;({ app, docs } = await startDocs(untilTheEnd))
  })
  after(async () => {
    await browser.close()
    for (const end of ends) await end()
  })

  it('opens exactly the operation of a deep link followed inside the page, and goes back', async (t) => {
    const page = await visit(t, browser, docs, { hash: `#/default/${list}` })
    const followed = operationIds(app).filter((_, i) => i % 17 === 0)
    for (const id of followed) {
      await follow(page, id)
      assert.deepEqual(await openOperations(page), [id])
      await isInSight(page, id)
    }
    let popups = 0
    page.on('popup', () => popups++)
    await page.locator(`.info a[href="#/default/${create}"]`).first().click()
    await isOpen(page, create)
    assert.deepEqual(await openOperations(page), [create])
    assert.equal(popups, 0)
    await page.goBack()
    const last = followed.at(-1) as string
    await isOpen(page, last)
    assert.deepEqual(await openOperations(page), [last])
  })

  it('runs the whole life of a user, with the IDs filled in', async (t) => {
    const { app, docs } = await startDocs(t)
    const page = await visit(t, browser, docs)
    await authorize(page, adminKey)

    const created = await execute(page, create, { body: { username: 'grace', first_name: 'Grace' } })
    assert.equal(created.status, 201)
    assert.equal(created.json.username, 'grace')
    const { user_id } = created.json

    const listed = await execute(page, list)
    assert.equal(listed.status, 200)
    assert.deepEqual(listed.json, [created.json])

    const found = await execute(page, get)
    assert.equal(found.status, 200)
    assert.deepEqual(found.json, created.json)

    const updated = await execute(page, update, { body: { last_name: 'Hopper' } })
    assert.equal(updated.status, 200)
    assert.equal(updated.json.last_name, 'Hopper')

    const deleted = await execute(page, remove)
    assert.equal(deleted.status, 200)
    assert.deepEqual([deleted.json.user_id, deleted.json.deleted], [user_id, true])
    assert.equal((await app.call('GET', `/users/${user_id}`)).status, 404)
  })

  it('creates a new user at each visit from the unchanged example', async (t) => {
    const names = []
    for (let visits = 0; visits < 2; visits++) {
      const page = await visit(t, browser, docs)
      await authorize(page, adminKey)
      const created = await execute(page, create)
      assert.equal(created.status, 201, created.text)
      names.push(created.json.username)
    }
    assert.notEqual(names[0], names[1])
  })

  it('shows a refusal as a problem document', async (t) => {
    await createUser(app, { username: 'grace' })
    const page = await visit(t, browser, docs)
    assertProblem(await execute(page, list), 401, 'credential_missing')
    await authorize(page, adminKey)
    assertProblem(await execute(page, create, { body: { username: 'GRACE' } }), 409, 'username_taken')
    assertProblem(await execute(page, create, { body: { username: 'hal', admin: 'true' } }), 422, 'validation_failed')
  })

  it('pre-fills limit, so that one click never reads all users', async (t) => {
    for (let users = 0; users < 21; users++) await createUser(app)
    const page = await visit(t, browser, docs)
    await authorize(page, adminKey)
    assert.equal((await execute(page, list)).json.length, 20)
  })

  it('truncates an answer that is too long to show, and says so', async (t) => {
    const { app, docs } = await startDocs(t)
    const long = '界'.repeat(256) // 768 bytes
    const lines = Array.from({ length: 700 }, (_, i) =>
      JSON.stringify({ username: `user-${i}`, first_name: long, last_name: long }),
    )
    const headers = { 'content-type': 'application/x-ndjson' }
    const { status: imported } = await app.call('POST', '/users/import', { headers, body: lines.join('\n') })
    assert.equal(imported, 200)
    const page = await visit(t, browser, docs)
    await authorize(page, adminKey)
    const { status, text } = await execute(page, list, { parameters: { limit: '' } })
    assert.equal(status, 200)
    const bytes = Buffer.byteLength(text)
    assert.ok(bytes > 1_000_000 && bytes < 1_060_000, `${bytes} bytes are shown`)
    assert.match(text, /The rest is not shown here/)
  })

  it('forgets the key when the page is left', async (t) => {
    const page = await visit(t, browser, docs)
    await authorize(page, adminKey)
    assert.equal((await execute(page, list)).status, 200)
    assert.equal(await page.evaluate('JSON.stringify([localStorage, sessionStorage]) + document.cookie'), '[{},{}]')
    await page.reload()
    await page.locator('.opblock').first().waitFor()
    assertProblem(await execute(page, list), 401, 'credential_missing')
  })

  for (const [what, outside, inside] of [
    ['keeps the prefix', '/auth', '/auth'],
    ['strips the prefix', '/auth', ''],
    ['puts another prefix before it', '/product/auth', '/auth'],
  ] as const) {
    it(`works behind a proxy that ${what}, without any setting`, async (t) => {
      const proxy = await startProxy(t, outside, inside)
      const app = await start(t, { name: 'SQLite' })
      proxy.target = new URL(await app.listen()).origin
      const api = proxy.origin + outside
      const page = await visit(t, browser, `${api}/docs`, { hash: `#/default/${list}` })
      await listsUsers(page, api)
      assert.deepEqual(proxy.strays, [])
    })
  }

  for (const [how, env, paths] of [
    ['under the default prefix', {}, ['/docs', '/docs/']],
    ['although the public address is another', { ROLLBOOK_PUBLIC_URL: 'http://127.0.0.1:9/shop/auth' }, ['/docs']],
    ['at the root', { ROLLBOOK_BASE_PATH: '/' }, ['/docs/']],
  ] as const) {
    it(`works with and without a slash at the end when it is opened directly, ${how}`, async (t) => {
      const app = await start(t, { name: 'SQLite' }, { env })
      const api = await app.listen(await borrowPort(t))
      for (const path of paths) {
        const page = await visit(t, browser, api + path, { hash: `#/default/${list}` })
        await listsUsers(page, api)
      }
    })
  }

  it('can be read and used in the light and in the dark colour scheme', async (t) => {
    const red = 'Number(/\\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)?.[0])'
    const looksGood = async (page: Page, where?: string) => {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme })
        await until(page, `${red} < 128 === ${colorScheme === 'dark'}`)
        // Other rules do not depend on it.
        const rules = colorScheme === 'light' ? ['color-contrast', 'link-in-text-block'] : undefined
        assert.deepEqual(await faults(page, where, rules), [], colorScheme)
      }
    }
    const page = await visit(t, browser, docs, { hash: `#/default/${list}`, colorScheme: 'dark' })
    await isOpen(page, list)
    await page.evaluate(axe)
    await looksGood(page)
    for (const id of [list, create]) {
      await execute(page, id)
      await looksGood(page, `#operations-default-${id}`)
    }
    const operation = page.locator(`#operations-default-${create}`)
    for (const name of ['Schema', 'Example']) {
      for (const button of await operation.getByRole('button', { name, exact: true }).all()) await button.click()
    }
    await looksGood(page, `#operations-default-${create}`)
    await page.locator('.auth-wrapper > .btn.authorize').click()
    await looksGood(page, '.dialog-ux')
  })

  it('arrives in less than 260 kB', async (t) => {
    const page = await visit(t, browser, docs, { isNew: true })
    const sizes = 'performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))'
    const bytes = await page.evaluate<number>(`${sizes}.reduce((sum, { transferSize }) => sum + transferSize, 0)`)
    // A browser accepts Brotli only from https and loopback.
    assert.ok(bytes > 50_000 && bytes < 260_000, `${bytes} bytes`)
  })

  it('groups the operations by subject, in the list at the side as in the page', async (t) => {
    const page = await visit(t, browser, docs)
    const subjects = await page.locator('.subject > h3').allInnerTexts()
    assert.ok(subjects.length > 8 && subjects[0] === 'Users', subjects.join())
    assert.deepEqual(await page.locator('#side nav h2').allInnerTexts(), subjects)
    const links = await page.locator('#side nav a').all()
    assert.equal(links.length, operationIds(app).length)
    await page.locator('#side nav a').filter({ hasText: 'Revoke Key' }).click()
    await isOpen(page, 'revoke_key_keys__key_id__delete')
    await isInSight(page, 'revoke_key_keys__key_id__delete')
  })

  it('says where SCIM is, and has the guides for identity providers', async (t) => {
    const page = await visit(t, browser, docs, { hash: '#scim' })
    const section = page.locator('#scim')
    assert.match(await section.innerText(), new RegExp(`${docs.replace(/docs$/, 'scim/v2')}`))
    const titles = ['Provisioning with SCIM', 'Okta', 'Entra ID', 'Google Workspace', 'Keycloak']
    assert.deepEqual(await section.locator('summary').allInnerTexts(), titles)
    assert.ok(!operationIds(app).some((id) => id.includes('scim')), 'its operations are not among those of the API')

    await section.locator('summary').filter({ hasText: 'Entra ID' }).click()
    const entra = page.locator('#guide-provisioning-entra')
    await entra.getByRole('cell', { name: 'Tenant URL' }).waitFor()
    assert.deepEqual(await section.locator('details[open]').count(), 1)
    await entra.getByRole('link', { name: 'keeps the request' }).click()
    const place = `document.getElementById('guide-provisioning-rejected-requests')?.getBoundingClientRect().top`
    await until(page, `${place} >= 0 && ${place} < innerHeight`)
    await until(page, `document.querySelector('#guide-provisioning img').naturalWidth > 0`)
    const links = await page.locator('#scim a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    for (const link of links) {
      if (link.startsWith('#'))
        assert.ok(/^#guide-/.test(link) && (await page.locator(`[id="${link.slice(1)}"]`).count()) <= 1, link)
      else if (link.startsWith(docs.replace(/docs$/, ''))) assert.equal((await fetch(link)).status, 200, link)
      else assert.match(link, /^https:/)
    }
    await page.evaluate(axe)
    const found = await page.evaluate('axe.run("#scim", { resultTypes: ["violations"] })')
    assert.deepEqual(
      (found as { violations: { id: string }[] }).violations.map(({ id }) => id),
      [],
    )
  })

  it('opens the guide that a link names', async (t) => {
    const page = await visit(t, browser, docs, { hash: '#guide-provisioning-okta' })
    await page.getByText('SCIM connector base URL').waitFor()
    await page.locator('#side').getByText('Provisioning with SCIM').click()
    await until(page, `Math.abs(document.getElementById('scim').getBoundingClientRect().top) < innerHeight`)
  })

  it('shows each operation with a request in four forms, which follow what is entered', async (t) => {
    const page = await visit(t, browser, docs)
    // test/console/api-call.test.ts has every operation.
    for (const { id } of Object.values(operations).filter((_, i) => i % 17 === 0)) {
      await follow(page, id)
      const examples = page.locator(`#operations-default-${id} .examples`)
      for (const [form, pattern] of [
        ['curl', /^curl -sSg? /],
        ['SDK', /new RollbookClient/],
        ['CLI', /(^| )rollbook \w+/],
        ['Python', /^(import .*\n+)+response = requests\./],
      ] as const) {
        await examples.getByRole('tab', { name: form, exact: true }).click()
        assert.match((await examples.locator('pre').textContent()) ?? '', pattern, `${id} as ${form}`)
      }
    }
    await follow(page, list)
    await tryOut(page, list)
    const operation = page.locator(`#operations-default-${list}`)
    await operation.locator('tr[data-param-name="q"] input').fill("o'neil")
    await operation.getByRole('tab', { name: 'CLI' }).click()
    assert.match((await operation.locator('.examples pre').textContent()) ?? '', /--search 'o'\\''neil'/)
  })

  it('takes an access token in the same field as a key', async (t) => {
    const { app, docs } = await startDocs(t)
    await createUser(app, { username: 'grace', password: 'compilers are fun' })
    const { headers } = await app.call('POST', '/sessions', {
      key: null,
      body: { username: 'grace', password: 'compilers are fun' },
    })
    const cookie = String(headers['set-cookie']).split(';', 1)[0] as string
    const site = { 'sec-fetch-site': 'same-origin' }
    const { body } = await app.call('POST', '/token', { key: null, headers: { cookie, ...site }, body: {} })
    const page = await visit(t, browser, docs)
    await authorize(page, `Bearer ${body.access_token}`)
    const me = await execute(page, 'get_me_me_get')
    assert.equal(me.status, 200, me.text)
    assert.equal(me.json.username, 'grace')
    await page.locator('.auth-wrapper > .btn.authorize').click()
    await page.getByRole('button', { name: 'Logout', exact: true }).click()
    await page.locator('.auth-container .btn-done').click()
    assertProblem(await execute(page, 'get_me_me_get'), 401, 'credential_missing')
  })

  it('asks for what the path needs before it sends anything', async (t) => {
    const page = await visit(t, browser, docs)
    // Requests of scripts: the browser loads the page's icon at a time of its own.
    const requests: string[] = []
    page.on('request', (request) => {
      if (['fetch', 'xhr'].includes(request.resourceType())) requests.push(request.url())
    })
    await follow(page, get)
    await tryOut(page, get)
    await page.locator(`#operations-default-${get} .execute`).click()
    await page.getByRole('alert').filter({ hasText: 'Enter user_id first.' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement.closest("tr").dataset.paramName'), 'user_id')
    assert.deepEqual(requests, [])
  })

  it('shows a stream as it arrives, until it is stopped', async (t) => {
    const { app, docs } = await startDocs(t)
    const page = await visit(t, browser, docs)
    await authorize(page, adminKey)
    const events = 'list_events_events_get'
    await follow(page, events)
    await tryOut(page, events)
    const operation = page.locator(`#operations-default-${events}`)
    await operation.getByLabel('Response as').selectOption('text/event-stream')
    await operation.locator('.execute').click()
    await operation.getByRole('button', { name: 'Stop' }).waitFor()
    await createUser(app, { username: 'grace' })
    await operation.locator('.live .microlight').filter({ hasText: 'grace' }).waitFor()
    await operation.getByRole('button', { name: 'Stop' }).click()
    await operation.getByText(', stopped').waitFor()
  })

  it('uploads a file as the body', async (t) => {
    const { app, docs } = await startDocs(t)
    const page = await visit(t, browser, docs)
    await authorize(page, adminKey)
    const upload = 'import_users_users_import_post'
    await follow(page, upload)
    await tryOut(page, upload)
    const operation = page.locator(`#operations-default-${upload}`)
    await operation.getByLabel('Request content type').selectOption('text/csv')
    const csv = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('username\nada\ngrace\n') }
    await operation.getByLabel('A file instead of the text').setInputFiles(csv)
    const { status, text } = await execute(page, upload)
    assert.equal(status, 200, text)
    assert.equal((await app.call('GET', '/users')).body.length, 2)
  })

  it('says so if the service does not respond', async () => {
    // Chromium logs a lost connection as an error of the page.
    const page = await browser.newPage()
    await load(page, docs)
    await page.route('**/users?limit=20', (route) => route.abort())
    await follow(page, list)
    await tryOut(page, list)
    await page.locator(`#operations-default-${list} .execute`).click()
    await page.getByRole('alert').filter({ hasText: 'No response. Check that the service runs' }).waitFor()
    await page.close()
  })

  it('fits a phone', async (t) => {
    const viewport = { width: 390, height: 844 }
    const width = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth')
    const page = await visit(t, browser, docs, { viewport })
    assert.ok((await width(page)) <= 390, 'the list scrolls sideways')
    assert.equal(await page.locator('#side').isVisible(), false)
    await page.getByRole('button', { name: 'Operations' }).click()
    await page.getByRole('link', { name: 'GET List Users', exact: true }).click()
    await isOpen(page, list)
    assert.equal(await page.locator('#side').isVisible(), false)
    await authorize(page, adminKey)
    for (const id of [create, list, update]) {
      assert.ok((await execute(page, id)).status >= 200)
      assert.ok((await width(page)) <= 390, `${id} scrolls sideways`)
    }
    await page.setViewportSize({ width: 320, height: 640 })
    const { x, width: wide } = (await page.getByRole('button', { name: 'Authorized' }).boundingBox()) ?? assert.fail()
    assert.ok(x + wide <= 320, 'the button to authorize is cut off')
  })

  it('can be used with the keyboard alone', async (t) => {
    const page = await visit(t, browser, docs, { hash: `#/default/${get}` })
    await isOpen(page, get)
    await page.evaluate(`location.hash = '#/default/${list}'`)
    await isOpen(page, list)
    await tabTo(page, `#operations-default-${list} .try-out__btn`)
    await page.keyboard.press('Enter')
    await tabTo(page, `#operations-default-${list} .execute`)
    await page.keyboard.press('Enter')
    await page.locator(`#operations-default-${list} .live-responses-table .response-col_status`).first().waitFor()
  })
})

/** Lists the users, and checks that the page called the API under its own address. */
async function listsUsers(page: Page, api: string): Promise<void> {
  await authorize(page, adminKey)
  assert.equal((await execute(page, list)).status, 200)
  const url = await page.locator(`#operations-default-${list} .request-url pre`).textContent()
  assert.equal(url, `${api}/users?limit=20`)
}

type Fault = { id: string; nodes: { target: string[] }[] }

/** Returns what axe, which must be loaded, finds with all its rules or with the given ones. */
async function faults(page: Page, where = 'html', rules?: string[]): Promise<[rule: string, where: string[]][]> {
  // During a colour transition a button briefly has another contrast.
  const transitions = 'document.getAnimations().filter((animation) => animation instanceof CSSTransition)'
  await page.evaluate(`${transitions}.forEach((one) => one.finish())`)
  const options = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }
  const { violations } = await page.evaluate<{ violations: Fault[] }>(
    `axe.run('${where}', ${JSON.stringify({ ...options, resultTypes: ['violations'] })})`,
  )
  return violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))])
}

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let steps = 0; steps < 100; steps++) {
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`${selector} cannot be reached by Tab`)
}

type Proxy = { origin: string; target: string; strays: string[] }

/** A reverse proxy that serves `inside` of its target as `outside`, and nothing else. */
async function startProxy(t: TestContext, outside: string, inside: string): Promise<Proxy> {
  const proxy: Proxy = { origin: '', target: '', strays: [] }
  const { origin } = await serveHttp(t, (request, response) => {
    const { url = '' } = request
    if (!url.startsWith(`${outside}/`)) {
      proxy.strays.push(url)
      response.writeHead(404).end()
      return
    }
    passOn(request, response, proxy.target + inside + url.slice(outside.length))
  })
  proxy.origin = origin
  return proxy
}
