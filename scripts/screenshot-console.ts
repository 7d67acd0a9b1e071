/**
 * Takes the documentation's pictures of the console, with invented users: `node scripts/screenshot-console.ts`. With a
 * folder as its argument it takes pictures of every route in three widths, light and dark, and writes them there.
 * Further arguments name the routes to take, `--locale=de` the language, and `--users=2000` how many users there are:
 * `node scripts/screenshot-console.ts /tmp/pictures keys webhooks --locale=ar`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { hash } from '@node-rs/argon2'
import pino from 'pino'
import type { Browser, BrowserContext, BrowserContextOptions, Cookie, Page } from 'playwright-core'
import { serve } from '../src/app/serve.ts'
import { loadConfig } from '../src/core/config.ts'
import { RollbookClient } from '../src/sdk/client/index.ts'
import { launchBrowser } from '../test/browser.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { locale: { type: 'string', default: 'en-GB' }, users: { type: 'string', default: '48216' } },
})
const [everyRouteIn, ...chosen] = positionals
const { locale } = values
const folder = everyRouteIn ?? join(import.meta.dirname, '../docs/images')
mkdirSync(folder, { recursive: true })
const directory = mkdtempSync(join(tmpdir(), 'rollbook-screenshot-'))
const adminKey = 'key-of-the-pictures-0123456789abcdef'
const password = 'seven grey herons over the weir'
const config = loadConfig({
  ROLLBOOK_DATA_DIR: directory,
  ROLLBOOK_PORT: '0',
  ROLLBOOK_ADMIN_KEY: adminKey,
  ROLLBOOK_PRODUCT_NAME: 'Acme Reports',
  ROLLBOOK_ROLES: '{"support": ["users:read", "sessions:read", "audit:read"], "analyst": ["users:read"]}',
  // The receiver of the webhooks is this process.
  ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  ROLLBOOK_WEBHOOK_ALLOW_HTTP: 'true',
})

const first =
  'Ada Grace Mary Hedy Joan Radia Katherine Annie Barbara Frances José Søren Zoë Jürgen Łukasz Amélie Aïsha Noor Mei Kenji Priya Ravi Chidi Olga Nils'.split(
    ' ',
  )
const last =
  'Lovelace Hopper Jackson Lamarr Clarke Perlman Johnson Easley Liskov Allen Núñez Kierkegaard Müller Nowak Dubois Diallo Hassan Chen Tanaka Sharma Okafor Petrova Holm Silva Rossi Novák'.split(
    ' ',
  )
const count = Number(values.users)
const dayMs = 86_400_000
// One hash for all users, to save time.
const password_hash = await hash(password, { memoryCost: 8192, timeCost: 1 })
// Always the same people.
let state = 20_261_122
const random = () => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return state / 2_147_483_648
}
const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() ** 1.3 * list.length)] as T

function* people(now: number): Generator<string> {
  for (let i = 0; i < count; i++) {
    const [input, family] = [oneOf(first), oneOf(last)]
    const name = `${input}.${family}`
      .normalize('NFD')
      .replaceAll(/[^\w.]/g, '')
      .toLowerCase()
    // A product that grows.
    const age = (count - i) / count
    const created = now - (0.6 * age + 0.4 * age ** 2) * 400 * dayMs - random() * 20_000_000
    yield JSON.stringify({
      username: i < 26 ? name + (i > 3 ? i : '') : `${name}${i}`,
      email: `${name}${i}@example.com`,
      first_name: input,
      last_name: family,
      role: random() < 0.02 ? 'support' : random() < 0.05 ? 'analyst' : 'user',
      active: random() > 0.03,
      created_at: new Date(created).toISOString(),
      ...(random() < 0.85 && { password_hash }),
      ...(random() < 0.8 && { last_login_at: new Date(now - (now - created) * random() ** 3).toISOString() }),
    })
  }
}

const start = () =>
  serve(config, pino({ enabled: false }), (error) => {
    throw error
  })

let signedIn: Cookie[] | undefined
let running = await start()
const now = Date.now()
const seeder = new RollbookClient({ url: running.url, apiKey: adminKey })
await seeder.users.create({
  username: 'edith.clarke',
  password,
  role: 'admin',
  first_name: 'Edith',
  last_name: 'Clarke',
  email: 'edith@example.com',
})
const rows = [...people(now)]
while (rows.length > 0) {
  const { rejected } = await seeder.users.import(rows.splice(0, 10_000).join('\n'), {
    contentType: 'application/x-ndjson',
  })
  if (rejected > 0) throw new Error(`${rejected} of the people were refused.`)
}
const [somebody] = (await seeder.users.page({ limit: 1, q: 'hedy', has_password: true })).users
if (somebody === undefined) throw new Error('There is nobody to show.')
await seeder.users.update(somebody.user_id, { role: 'analyst', first_name: 'Hedwig' })
await seeder.users.update(somebody.user_id, { first_name: 'Hedy', active: true })
const receiver = createServer((_, response) => response.writeHead(204).end())
await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
const subjects = await addEverythingElse(somebody.user_id)
await running.stop('its past is made up')
makeUpSignIns()
running = await start()

const browser = await launchBrowser()
try {
  if (browser === undefined) throw new Error('The pictures need a Chromium.')
  if (everyRouteIn === undefined) {
    await shoot(browser, 'console-users', 'users', {})
    await shoot(browser, 'console-user', `users/${somebody.user_id}?tab=history`, {})
    await shoot(browser, 'console-statistics', 'statistics?days=90', { colorScheme: 'dark' })
    await shoot(browser, 'console-second-factors', 'second-factors', {})
    const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }
    await shoot(browser, 'console-phone', 'users', phone)
    // Last: with organizations the other pages have a column and a filter more.
    const organization_id = await addOrganizations()
    await shoot(browser, 'console-organization', `organizations/${organization_id}`, {})
    await shoot(browser, 'organization-branding', `organizations/${organization_id}?tab=branding`, {})
  } else await shootEveryRoute(browser)
} finally {
  await browser?.close()
  await running.stop('the pictures are taken')
  receiver.close()
  rmSync(directory, { recursive: true, force: true })
}

type Subject = 'endpoint_id' | 'job_id' | 'group_id' | 'connection_id' | 'provisioning_id' | 'service_id' | 'review_id'

/** Adds what the other pages show; returns the IDs in their addresses. */
async function addEverythingElse(user_id: string): Promise<Record<Subject, string>> {
  const deleted = await seeder.users.page({ limit: 4, q: 'olga' })
  for (const user of deleted.users) await seeder.users.delete(user.user_id)
  const group_id = await addGroups(user_id)
  await seeder.keys.create({ name: 'nightly report', permissions: ['users:read', 'audit:read'] })
  await seeder.keys.create({
    name: 'CRM synchronization',
    permissions: ['users:read', 'users:write', 'events:read'],
    expires_at: new Date(now + 60 * dayMs).toISOString(),
  })
  const old = await seeder.keys.create({ name: 'old importer', permissions: ['users:write'] })
  await seeder.keys.revoke(old.key_id)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/rollbook`
  const { endpoint_id } = await seeder.webhooks.create({
    url,
    description: 'Customer relations',
    event_types: ['user.*'],
  })
  await seeder.webhooks.create({ url: `${url}/mail`, description: 'Newsletter', event_types: ['user.created'] })
  await seeder.webhooks.test(endpoint_id)
  await seeder.users.update(user_id, { last_name: 'Lamarr' })
  const text = [
    '{"username":"emmy.noether","email":"emmy@example.com"}',
    '{"username":"not valid"}',
    '{"usrname":"lise"}',
  ]
  const { job_id } = await seeder.users.import(text.join('\n'), {
    contentType: 'application/x-ndjson',
    file_name: 'new-staff.ndjson',
  })
  const { connection_id } = await seeder.connections.create({
    kind: 'oidc',
    preset: 'okta',
    name: 'Acme Holding',
    issuer: 'https://acme.okta.com',
    active: false,
    client_id: '0oa1example',
    provisioning_domains: ['example.com'],
    trusted_domains: ['example.com'],
  })
  await addAttributes(user_id)
  const provisioning_id = await addRejectedRequests()
  const service_id = await addServiceAccount()
  const review_id = await addEnds(user_id, group_id)
  return { endpoint_id, job_id, group_id, connection_id, provisioning_id, service_id, review_id }
}

/** Access that ends, a rule about inactivity, and a review. */
async function addEnds(user_id: string, group_id: string): Promise<string> {
  const after = (days: number) => new Date(now + days * dayMs).toISOString()
  await seeder.users.update(user_id, { expires_at: after(3) })
  const { users } = await seeder.users.page({ q: 'hopper', limit: 2 })
  for (const [index, one] of users.entries()) {
    await seeder.users.update(one.user_id, { expires_at: after(index === 0 ? -1 : 40) })
  }
  await seeder.groups.addMember(group_id, user_id, { expires_at: after(5) })
  await seeder.policies.update({
    inactivity: { '*': { days: 90, notice_days: 14 }, analyst: { days: 30, notice_days: 7 } },
  })
  const { review_id } = await seeder.reviews.create({
    name: 'Support, Q4',
    due_at: after(14),
    filter: { role: 'support' },
  })
  const { rows } = await seeder.reviews.rowsPage(review_id, { limit: 3 })
  const [first, second] = rows
  if (first === undefined || second === undefined) throw new Error('There is nothing to review.')
  await seeder.reviews.decide(review_id, { row_ids: [first.row_id], decision: 'keep' })
  const comment = 'Has moved to another team'
  await seeder.reviews.decide(review_id, { row_ids: [second.row_id], decision: 'remove', comment })
  return review_id
}

/** Two customers; the first has people, a group, domains, a link for its IT administrator, and a look. */
async function addOrganizations(): Promise<string> {
  // The service has started again since the others were added.
  const seeder = new RollbookClient({ url: running.url, apiKey: adminKey })
  const { organization_id } = await seeder.organizations.create({ name: 'Harbour Logistics', external_id: 'crm-4711' })
  await seeder.organizations.create({ name: 'Nordwind Energie' })
  await seeder.organizations.addDomain(organization_id, { domain: 'harbour.example', verified: true })
  await seeder.organizations.addDomain(organization_id, { domain: 'harbour-freight.example' })
  const { users } = await seeder.users.page({ q: 'liskov', active: true, limit: 12 })
  for (const { user_id } of users) await seeder.users.update(user_id, { organization_id })
  await seeder.groups.create({ name: 'Harbour dispatch', organization_id })
  await seeder.organizations.createSetupLink(organization_id, { features: ['domains', 'connection'] })
  await seeder.organizations.replaceBranding(organization_id, {
    name: 'Harbour portal',
    accent_color: '#0b6b57',
    logo: `data:image/svg+xml,${encodeURIComponent(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b57"/><path d="M15 6h2v12h7a8 8 0 0 1-16 0h7z" fill="#fff"/></svg>',
    )}`,
    support_url: 'mailto:help@harbour.example',
  })
  return organization_id
}

async function addServiceAccount(): Promise<string> {
  const { user_id } = await seeder.users.create({ username: 'billing', kind: 'service', email: 'ops@example.com' })
  await seeder.keys.createOf(user_id, { name: 'production', expires_at: new Date(now + 300 * dayMs).toISOString() })
  return user_id
}

async function addAttributes(user_id: string): Promise<void> {
  await seeder.attributes.create({ name: 'department', label: 'Department', type: 'string', searchable: true })
  await seeder.attributes.create({ name: 'badge', label: 'Badge', type: 'string', editable_by: 'nobody' })
  await seeder.attributes.create({ name: 'seats', label: 'Seats', type: 'number', minimum: 0, maximum: 10 })
  await seeder.attributes.create({ name: 'size', label: 'Size', type: 'enum', options: ['S', 'M', 'L'] })
  await seeder.users.update(user_id, { attributes: { department: 'Radio', seats: 3, size: 'M' } })
}

async function addRejectedRequests(): Promise<string> {
  const { connection_id, key } = await seeder.provisioning.create({ name: 'Workday' })
  for (const body of [{ userName: 'not valid' }, { userName: 'lise', emails: [{ value: 'lise' }] }]) {
    const response = await fetch(`${running.url}/scim/v2/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], ...body }),
    })
    if (response.ok) throw new Error(`SCIM answered ${response.status}: ${await response.text()}`)
  }
  return connection_id
}

async function addGroups(user_id: string): Promise<string> {
  const support = await seeder.groups.create({ name: 'Support', role: 'support', description: 'Answers customers' })
  const analysts = await seeder.groups.create({ name: 'Analysts', role: 'analyst', description: 'Reads the reports' })
  await seeder.groups.create({ name: 'Hamburg', external_id: '00g1emaKYZTWRYYRRTSK' })
  for (const [group, q] of [
    [support, 'lamarr'],
    [analysts, 'hopper'],
  ] as const) {
    const { users } = await seeder.users.page({ q, limit: 400 })
    await seeder.groups.changeMembers(group.group_id, { add: users.map((user) => user.user_id) })
  }
  await seeder.groups.addMember(analysts.group_id, user_id)
  return support.group_id
}

async function shootEveryRoute(chromium: Browser): Promise<void> {
  const { endpoint_id, job_id, group_id, connection_id, provisioning_id, service_id, review_id } = subjects
  const organization_id = await addOrganizations()
  const routes: Record<string, string> = { users: 'users', 'users-none-found': 'users?q=nobody-has-this-name' }
  for (const tab of ['details', 'groups', 'password', 'security', 'sessions', 'history', 'database'])
    routes[`user-${tab}`] = `users/${somebody?.user_id}?tab=${tab}`
  for (const tab of ['details', 'keys', 'history']) routes[`service-account-${tab}`] = `users/${service_id}?tab=${tab}`
  for (const tab of ['users', 'domains', 'setup-links', 'branding', 'audit'])
    routes[`organization-${tab}`] = `organizations/${organization_id}?tab=${tab}`
  for (const page of [
    'groups',
    'organizations',
    'attributes',
    'deleted-users',
    'statistics',
    'imports',
    'keys',
    'sign-in-connections',
    'provisioning',
    'branding',
    'configuration',
    'webhooks',
    'mails',
    'audit',
    'roles',
    'second-factors',
    'inactivity',
    'reviews',
    'system',
  ])
    routes[page] = page
  Object.assign(routes, {
    import: `imports/${job_id}`,
    'sign-in-connection': `sign-in-connections/${connection_id}`,
    'sign-in-connection-new': 'sign-in-connections/new',
    'sign-in-connection-addresses': `sign-in-connections/new?connection=${connection_id}`,
    'provisioning-connection': `provisioning/${provisioning_id}`,
    webhook: `webhooks/${endpoint_id}`,
    group: `groups/${group_id}`,
    review: `reviews/${review_id}`,
    'users-expired': 'users?state=expired',
    'not-found': 'no-such-page',
  })
  const empty = mkdtempSync(join(tmpdir(), 'rollbook-screenshot-'))
  const fresh = await serve({ ...config, dataDir: empty }, pino({ enabled: false }), (error) => {
    throw error
  })
  const link = await fresh.makeSetupLink()
  const pages: Record<string, string> = {
    'sign-in': `${running.url}/login?return_to=/reports`,
    'sign-in-fresh': `${fresh.url}/login`,
    setup: link ?? '',
    'setup-without-link': `${fresh.url}/console/setup`,
  }
  const wanted = (name: string) => chosen.length === 0 || chosen.some((one) => name.startsWith(one))
  try {
    for (const [width, height] of [
      [1440, 900],
      [768, 1024],
      [390, 844],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        const options = { viewport: { width, height }, colorScheme }
        for (const [name, path] of Object.entries(routes))
          if (wanted(name)) await shoot(chromium, `${name}-${width}-${colorScheme}`, path, options)
        for (const [name, url] of Object.entries(pages))
          if (wanted(name)) await shootPage(chromium, `${name}-${width}-${colorScheme}`, url, options)
      }
  } finally {
    await fresh.stop('the pictures are taken')
    rmSync(empty, { recursive: true, force: true })
  }
}

/** A page of a visitor who is not signed in. */
async function shootPage(chromium: Browser, name: string, url: string, options: BrowserContextOptions): Promise<void> {
  const page = await chromium.newPage({ locale, timezoneId: 'UTC', ...options })
  await page.goto(url)
  await page.locator('h1').waitFor()
  await page.waitForLoadState('networkidle')
  writeFileSync(join(folder, `${name}.png`), await page.screenshot({ animations: 'disabled' }))
  await page.close()
}

async function shoot(chromium: Browser, name: string, path: string, options: BrowserContextOptions): Promise<void> {
  const viewport = { width: 1280, height: 800 }
  const context = await chromium.newContext({ locale, timezoneId: 'UTC', viewport, ...options })
  // One session for all pictures: the pages show sessions, sign-ins and webhooks about them.
  signedIn ??= await signIn(context)
  await context.addCookies(signedIn)
  const page = await context.newPage()
  await page.goto(`${running.url}/console/${path}`)
  await page.locator('main h1').waitFor()
  writeFileSync(join(folder, `${name}.png`), await pictureWhenStill(page))
  await context.close()
}

/** A slow machine is idle for longer than `networkidle` waits, between a page and what it loads. */
async function pictureWhenStill(page: Page): Promise<Buffer> {
  const placeholders = page.locator('main').locator('[aria-busy=true], [class*=_waiting], [class*=keleton]')
  let before: Buffer | undefined
  for (let tries = 0; tries < 60; tries++) {
    await page.waitForLoadState('networkidle')
    const picture = await page.screenshot({ animations: 'disabled' })
    if (before?.equals(picture) && (await placeholders.count()) === 0) return picture
    before = picture
    await page.waitForTimeout(500)
  }
  throw new Error(`${page.url()} does not come to rest.`)
}

async function signIn(context: BrowserContext): Promise<Cookie[]> {
  const headers = { origin: new URL(running.url).origin }
  const data = { username: 'edith.clarke', password }
  const { ok, status } = await context.request
    .post(`${running.url}/sessions`, { data, headers })
    .then((response) => ({ ok: response.ok(), status: response.status() }))
  if (!ok) throw new Error(`The sign-in was answered with ${status}.`)
  return context.cookies()
}

/** What a year of a product might have left. */
function makeUpSignIns(): void {
  const database = new DatabaseSync(join(directory, 'rollbook.db'))
  const insert = database.prepare('INSERT OR REPLACE INTO daily_counts (date, kind, count) VALUES (?, ?, ?)')
  database.exec('BEGIN')
  for (let day = 1; day <= 365; day++) {
    const at = new Date(now - day * dayMs)
    const weekend = at.getUTCDay() % 6 === 0 ? 0.45 : 1
    const grown = weekend * (1 - day / 600)
    const date = at.toISOString().slice(0, 10)
    const active = Math.round(9_000 * grown * (0.92 + random() * 0.16))
    insert.run(date, 'sign_ins', Math.round(active * (1.3 + random() * 0.1)))
    insert.run(date, 'failed_sign_ins', Math.round(active * (0.05 + random() * 0.03)) + (day === 17 ? 2600 : 0))
    insert.run(date, 'active_users', active)
  }
  database.exec('COMMIT')
  database.close()
}
