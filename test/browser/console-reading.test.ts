/** What the console shows to those who may only read, and to eyes and lines that are not the usual ones. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { builtInPermissions } from '../../src/core/permissions.ts'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { connectTo } from '../scim/provider.ts'
import {
  addUsers,
  assertAccessibleInBoth,
  assertFitsWidth,
  follow,
  openConsole,
  startConsole,
} from './console-driver.ts'
import { until } from './until.ts'

const browser = await launchBrowser()
const password = 'a moth in relay seventy'
const reader = { username: 'reader', password }
const looker = { username: 'looker', password }
const roles = {
  reader: builtInPermissions.filter((permission) => permission.endsWith(':read')),
  looker: ['sessions:read'],
}
const env = { ROLLBOOK_ROLES: JSON.stringify(roles) }
/** Which permission the page needs to show anything. */
const needs = {
  users: 'users:read',
  groups: 'groups:read',
  attributes: 'attributes:read',
  statistics: 'users:read',
  'deleted-users': 'users:read',
  audit: 'audit:read',
  reviews: 'reviews:read',
  'second-factors': 'users:read',
  inactivity: 'policies:read',
  keys: 'keys:read',
  'sign-in-connections': 'connections:read',
  provisioning: 'provisioning:read',
  webhooks: 'webhooks:read',
  mails: 'mails:read',
  system: 'metrics:read',
}

describe('reading the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('offers nothing that a reader may not do, says so, and requests nothing that is refused', async (t) => {
    const { app, api } = await startConsole(t, { env })
    await createUser(app, { ...reader, role: 'reader' })
    const provider = await connectTo(app, { name: 'Okta' })
    const { id: managed } = await provider.createUser({ userName: 'managed', name: { givenName: 'Grace' } })
    const post = async (path: string, body: object) => (await app.call('POST', path, { body })).body
    await post('/attributes', { name: 'department', label: 'Department', type: 'string' })
    const { group_id } = await post('/groups', { name: 'Readers' })
    const { endpoint_id } = await post('/webhooks', { url: 'https://a.example/hooks', event_types: ['user.*'] })
    const { connection_id } = await post('/connections', {
      name: 'Example Inc.',
      kind: 'oidc',
      issuer: 'https://idp.example.com',
      client_id: 'rollbook',
      client_secret: 'a secret of the provider',
    })
    assert.ok(connection_id)
    const page = await openConsole(t, browser, { api, as: reader })
    const refused: string[] = []
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()))
    const routes = [
      ...Object.keys(needs),
      `users/${managed}`,
      `users/${managed}?tab=security`,
      `groups/${group_id}`,
      `webhooks/${endpoint_id}`,
      `provisioning/${provider.connection_id}`,
      `sign-in-connections/${connection_id}`,
      'roles',
    ]
    const deeds =
      /^(Create|Begin|Keep|Close|Connect|Add|Edit|Delete|Remove|Change|Rotate|Revoke|Send|Reset|Set|Invite|Save|Import|Try again)\b/
    for (const route of routes) {
      await follow(page, route)
      const offered = await page.getByRole('main').getByRole('button', { name: deeds }).allTextContents()
      assert.deepEqual(offered, [], route)
      assert.equal(await page.locator('main :is(input, select, textarea):disabled').count(), 0, route)
      await assertAccessibleInBoth(page, route)
    }
    assert.deepEqual(refused, [])
    await follow(page, `users/${managed}`)
    await page.getByText('To change users, your role needs users:write. Ask an administrator.').waitFor()
    const details = page.getByRole('region', { name: 'Details' })
    assert.match(await details.locator('dl').innerText(), /First name\s+Grace[\s\S]*Active\s+Active/)
  })

  it('says what is missing to read a page, in the same words on each', async (t) => {
    const { app, api } = await startConsole(t, { env })
    await createUser(app, { ...looker, role: 'looker' })
    const page = await openConsole(t, browser, { api, as: looker, path: 'roles' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const [route, permission] of Object.entries(needs)) {
      await follow(page, route)
      const said = page.getByText(new RegExp(`^To .+, your role needs ${permission}\\. Ask an administrator\\.$`))
      await said.first().waitFor()
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, route)
    }
    // In another language it is the same sentence, in that language.
    await page.evaluate("document.cookie = 'rollbook-language=de; Path=/'")
    await page.goto(`${api}/console/groups`)
    await page
      .getByText('Um die Gruppen zu sehen, braucht Ihre Rolle groups:read. Fragen Sie einen Administrator.')
      .waitFor()
  })

  it('shows what is chosen in a contrast theme', async (t) => {
    const { app, api, user_id } = await startConsole(t, { env })
    await addUsers(app, 3)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await page.getByRole('tab', { name: 'Details' }).waitFor()
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' })
    const outlineOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`)
    const pairs = [
      ['nav a[aria-current=page]', 'nav a:not([aria-current])'],
      ['[role=tab][aria-selected=true]', '[role=tab][aria-selected=false]'],
    ] as const
    for (const [chosen, other] of pairs) {
      assert.equal(await outlineOf(chosen), 'solid', chosen)
      assert.equal(await outlineOf(other), 'none', other)
    }
    const track = '[role=switch]:checked + *'
    const ground = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`)
    assert.notEqual(await ground(track), await ground('main'))
    await page.emulateMedia({ forcedColors: 'none' })
  })

  it('shows at least eight users at 200 %, and fits', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 30)
    const page = await openConsole(t, browser, { api })
    const rows = `(() => {
      const grid = document.querySelector('[role=grid]').getBoundingClientRect()
      return [...document.querySelectorAll('[role=grid] [role=row][id]')].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return top >= grid.top && bottom <= Math.min(grid.bottom, innerHeight) + 1
      }).length
    })()`
    for (const viewport of [
      { width: 720, height: 450 },
      { width: 640, height: 512 },
      { width: 960, height: 540 },
    ]) {
      await page.setViewportSize(viewport)
      await page.getByText('user.0030', { exact: true }).first().waitFor()
      await until(page, `${rows} >= 8`)
      await assertFitsWidth(page, `${viewport.width} px`)
      await assertAccessibleInBoth(page, `the users at 200 %, ${viewport.width} px`)
    }
  })

  it('names the product and the environment at its head, also before scripts have arrived', async (t) => {
    const names = { ROLLBOOK_PRODUCT_NAME: 'Orchard', ROLLBOOK_ENVIRONMENT_NAME: 'Production (EU)' }
    const { api } = await startConsole(t, { env: names })
    const page = await openConsole(t, browser, { api, isNew: true, allowed: /Failed to load resource|net::ERR/ })
    const tag = page.getByText('Production (EU)', { exact: true })
    await page.getByRole('link', { name: 'Orchard' }).waitFor()
    await tag.waitFor()
    assert.equal(await page.title(), 'Users · Orchard · Production (EU)')
    for (const width of [1440, 900, 320]) {
      await page.setViewportSize({ width, height: 800 })
      assert.equal(await tag.isVisible(), true, `${width} px`)
      await assertFitsWidth(page, `${width} px`)
      await assertAccessibleInBoth(page, `the head at ${width} px`)
    }
    await page.goto(`${api}/docs`)
    await tag.waitFor()
    await page.getByRole('link', { name: /^Orchard .*, to the top$/ }).waitFor()
    assert.match(await page.title(), / · Production \(EU\)$/)
    // At 240 kbit/s, 30 kB arrive in a second: the page itself has the words, and is small.
    await page.route('**/console/assets/**', (route) => route.abort())
    const response = await page.goto(`${api}/console/users`, { waitUntil: 'commit' })
    await page.getByText('Loading…').waitFor()
    await page.getByText('Orchard', { exact: true }).waitFor()
    assert.ok(((await response?.body()) ?? Buffer.alloc(30_000)).length < 12_000)
  })
})
