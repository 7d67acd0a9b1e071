/** Takes the documentation's pictures of the console, with people who do not exist: `node scripts/screenshot-console.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash } from '@node-rs/argon2'
import pino from 'pino'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { serve } from '../src/app/serve.ts'
import { loadConfig } from '../src/core/config.ts'
import { RollbookClient } from '../src/sdk/client/index.ts'
import { launchBrowser } from '../test/browser.ts'

const folder = join(import.meta.dirname, '../docs/images')
const directory = mkdtempSync(join(tmpdir(), 'rollbook-screenshot-'))
const adminKey = 'key-of-the-pictures-0123456789abcdef'
const password = 'seven grey herons over the weir'
const config = loadConfig({
  ROLLBOOK_DATA_DIR: directory,
  ROLLBOOK_PORT: '0',
  ROLLBOOK_ADMIN_KEY: adminKey,
  ROLLBOOK_PRODUCT_NAME: 'Acme Reports',
  ROLLBOOK_ROLES: '{"support": ["users:read", "sessions:read", "audit:read"], "analyst": ["users:read"]}',
})

const first =
  'Ada Grace Mary Hedy Joan Radia Katherine Annie Barbara Frances José Søren Zoë Jürgen Łukasz Amélie Aïsha Noor Mei Kenji Priya Ravi Chidi Olga Nils'.split(
    ' ',
  )
const last =
  'Lovelace Hopper Jackson Lamarr Clarke Perlman Johnson Easley Liskov Allen Núñez Kierkegaard Müller Nowak Dubois Diallo Hassan Chen Tanaka Sharma Okafor Petrova Holm Silva Rossi Novák'.split(
    ' ',
  )
const count = 48_213
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
    const [given, family] = [oneOf(first), oneOf(last)]
    const name = `${given}.${family}`
      .normalize('NFD')
      .replaceAll(/[^\w.]/g, '')
      .toLowerCase()
    const created = now - (count - i) * ((400 * dayMs) / count) - random() * 3_600_000
    yield JSON.stringify({
      username: i < 26 ? name + (i > 3 ? i : '') : `${name}${i}`,
      email: `${name}${i}@example.com`,
      first_name: given,
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
const [somebody] = (await seeder.users.page({ limit: 1, q: 'hedy' })).users
if (somebody === undefined) throw new Error('There is nobody to show.')
await seeder.users.update(somebody.user_id, { role: 'analyst', first_name: 'Hedwig' })
await seeder.users.update(somebody.user_id, { first_name: 'Hedy', active: true })
await running.stop('its past is made up')
makeUpSignIns()
running = await start()

const browser = await launchBrowser()
try {
  if (browser === undefined) throw new Error('The pictures need a Chromium.')
  await shoot(browser, 'console-users', 'users', {})
  await shoot(browser, 'console-user', `users/${somebody.user_id}?tab=history`, {})
  await shoot(browser, 'console-statistics', 'statistics?days=90', { colorScheme: 'dark' })
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }
  await shoot(browser, 'console-phone', 'users', phone)
} finally {
  await browser?.close()
  await running.stop('the pictures are taken')
  rmSync(directory, { recursive: true, force: true })
}

async function shoot(chromium: Browser, name: string, path: string, options: BrowserContextOptions): Promise<void> {
  const context = await chromium.newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    ...options,
  })
  const headers = { origin: new URL(running.url).origin }
  await context.request.post(`${running.url}/sessions`, { data: { username: 'edith.clarke', password }, headers })
  const page = await context.newPage()
  await page.goto(`${running.url}/console/${path}`)
  await page.locator('h1').waitFor()
  await page.waitForLoadState('networkidle')
  writeFileSync(join(folder, `${name}.png`), await page.screenshot({ animations: 'disabled' }))
  await context.close()
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
