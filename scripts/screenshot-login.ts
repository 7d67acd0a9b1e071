/**
 * Takes the documentation's pictures of the sign-in page and of the pages behind links in messages:
 * `node scripts/screenshot-login.ts`. With a folder it takes each page by itself, on a phone and a laptop, light and dark.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { SMTPServer } from 'smtp-server'
import { serve } from '../src/app/serve.ts'
import { loadConfig } from '../src/core/config.ts'
import { launchBrowser } from '../test/browser.ts'
import { freePort } from '../test/free-port.ts'

const [folder] = process.argv.slice(2)
const images = join(import.meta.dirname, '../docs/images')
const [adminKey, password] = ['the-key-of-the-pictures-0123456789', 'nanoseconds on a string']
const messages: string[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    let source = ''
    stream.on('data', (chunk) => {
      source += chunk
    })
    // A long line is broken with "=" at its end (RFC 2045 §6.7).
    stream.on('end', () => {
      messages.push(source.replaceAll('=\r\n', ''))
      done()
    })
  },
})
const listener = smtp.listen(0, '127.0.0.1')
await once(listener, 'listening')
const directory = mkdtempSync(join(tmpdir(), 'rollbook-screenshot-'))
const port = await freePort()
const base = `http://127.0.0.1:${port}/auth`
const config = loadConfig({
  ROLLBOOK_DATA_DIR: directory,
  ROLLBOOK_PORT: String(port),
  ROLLBOOK_PRODUCT_NAME: 'Acme Reports',
  ROLLBOOK_ADMIN_KEY: adminKey,
  ROLLBOOK_PUBLIC_URL: base,
  ROLLBOOK_SMTP_URL: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
  ROLLBOOK_MAIL_FROM: 'Acme Reports <no-reply@example.com>',
})
const running = await serve(config, pino({ enabled: false }), (error) => {
  throw error
})
const browser = await launchBrowser()

async function call(path: string, body: object, headers: Record<string, string> = { 'x-api-key': adminKey }) {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return response
}

async function createUser(username: string, more: Record<string, string> = {}): Promise<string> {
  const response = await call('/users', { username, email: `${username}@example.com`, ...more })
  return ((await response.json()) as { user_id: string }).user_id
}

async function linkFor(userId: string, kind: 'invitation' | 'password-reset'): Promise<string> {
  const response = await call(`/users/${userId}/${kind}`, { send: false })
  return ((await response.json()) as { url: string }).url
}

/** The link of a message that was mailed, and the session in which it works. */
async function addressLink(): Promise<{ url: string; cookie: string }> {
  await createUser('kim', { password })
  const signedIn = await call('/sessions', { username: 'kim', password }, {})
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
  const headers = { cookie: cookie.join('; '), 'sec-fetch-site': 'same-origin' }
  await call('/me/email-verification', {}, headers)
  for (let waits = 0; ; waits++) {
    const [url] = messages.flatMap((text) => /http:\S+\/verify-email\/[\w-]{43}/.exec(text)?.[0] ?? [])
    if (url !== undefined) return { url, cookie: headers.cookie }
    if (waits > 100) throw new Error('The message did not come.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** A look that is clearly not the usual one. */
async function brandProduct(): Promise<void> {
  const logo = (word: string) => {
    const letters =
      'M44 9h4l7 22h-4l-1.600-5h-6.800L41 31h-4zm2 5-2.400 8h4.800zM60 15h4v16h-4zM70 9h4v22h-4zM80 15h4v16h-4zM60 8h4v4h-4zM80 8h4v4h-4z'
    const mark = '<path fill="#b3246b" d="M16 4 30 34H2z"/><circle cx="16" cy="22" r="4" fill="#fff"/>'
    const text = `<svg viewBox="0 0 90 40">${mark}<path fill="${word}" d="${letters}"/></svg>`
    return `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`
  }
  const response = await fetch(`${base}/branding`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-api-key': adminKey },
    body: JSON.stringify({
      name: 'Aili',
      logo: logo('#2b1020'),
      logo_dark: logo('#ffffff'),
      accent_color: '#b3246b',
      terms_url: 'https://www.example.com/terms',
      privacy_url: 'https://www.example.com/privacy',
      support_url: 'mailto:help@example.com',
    }),
  })
  if (!response.ok) throw new Error(await response.text())
}

type Shot = { name: string; url: string; cookie?: string; press?: string }

async function linkShots(): Promise<Shot[]> {
  const [ada, grace] = [await createUser('ada.lovelace'), await createUser('grace', { password })]
  const invitation = await linkFor(ada, 'invitation')
  const replaced = await linkFor(grace, 'password-reset')
  const reset = await linkFor(grace, 'password-reset')
  const address = await addressLink()
  return [
    { name: 'invitation', url: invitation },
    { name: 'reset', url: reset },
    { name: 'reset-fault', url: reset, press: 'short' },
    { name: 'replaced', url: replaced },
    { name: 'unknown', url: `${invitation.slice(0, -1)}_` },
    { name: 'sign-in-first', url: address.url },
    { name: 'verify', ...address },
    { name: 'forgot', url: `${base}/forgot-password` },
    { name: 'sent', url: `${base}/forgot-password`, press: 'ada' },
  ]
}

type Look = { width: number; height: number; colorScheme: 'light' | 'dark' }

async function shoot({ url, cookie = '', press }: Shot, { colorScheme, ...viewport }: Look): Promise<Buffer> {
  if (browser === undefined) throw new Error('The pictures need a Chromium.')
  const page = await browser.newPage({ viewport, colorScheme })
  const pairs = cookie.split('; ').filter((pair) => pair !== '')
  await page.context().addCookies(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split('=')
      return { name, value, url: base }
    }),
  )
  await page.goto(url)
  if (press !== undefined) {
    const field = page.locator('input:visible').first()
    await field.fill(press)
    // Past what the browser checks, so that the server's own words are shown.
    await page
      .locator('form')
      .first()
      .evaluate((form) => (form as unknown as { submit(): void }).submit())
    await page.waitForLoadState('networkidle')
  }
  const picture = await page.screenshot({ animations: 'disabled' })
  await page.close()
  return picture
}

/** Pictures of one size, side by side. */
async function sideBySide(file: string, pictures: readonly Buffer[], { width, height }: Look): Promise<void> {
  if (browser === undefined) throw new Error('The pictures need a Chromium.')
  const both = await browser.newPage({ viewport: { width: width * pictures.length, height } })
  const all = pictures.map((image) => `<img src="data:image/png;base64,${image.toString('base64')}">`)
  await both.setContent(`<body style="margin: 0; display: flex">${all.join('')}`)
  writeFileSync(file, await both.screenshot())
}

const [light, dark] = ['light', 'dark'] as const
try {
  // As a user of the product sees it: on a fresh store the page says what to do first.
  const signIn = { name: 'sign-in', url: `${base}/login?return_to=/reports` }
  const shots = [signIn, ...(await linkShots())]
  if (folder === undefined) {
    const look: Look = { width: 500, height: 620, colorScheme: light }
    const pair = [await shoot(signIn, look), await shoot(signIn, { ...look, colorScheme: dark })]
    await sideBySide(join(images, 'sign-in-page.png'), pair, look)
    const phone: Look = { width: 390, height: 640, colorScheme: light }
    const named = (name: string) => shots.find((one) => one.name === name) as Shot
    const pages = [
      await shoot(named('invitation'), phone),
      await shoot(named('verify'), { ...phone, colorScheme: dark }),
      await shoot(named('replaced'), phone),
    ]
    await sideBySide(join(images, 'link-pages.png'), pages, phone)
    const [german, arabic] = [`${signIn.url}&lang=de`, `${named('invitation').url}?lang=ar`]
    const languages = [
      await shoot({ ...signIn, url: german }, look),
      await shoot({ ...signIn, url: arabic }, { ...look, colorScheme: dark }),
    ]
    await sideBySide(join(images, 'sign-in-languages.png'), languages, look)
    await brandProduct()
    const tall = { ...look, height: 700 }
    const branded = [await shoot(signIn, tall), await shoot(signIn, { ...tall, colorScheme: dark })]
    await sideBySide(join(images, 'branding.png'), branded, tall)
  } else {
    mkdirSync(folder, { recursive: true })
    for (const colorScheme of [light, dark]) {
      for (const [device, size] of Object.entries({ phone: [320, 640], laptop: [1000, 700] })) {
        const [width = 0, height = 0] = size
        for (const shot of shots) {
          const picture = await shoot(shot, { width, height, colorScheme })
          writeFileSync(join(folder, `${shot.name}-${device}-${colorScheme}.png`), picture)
        }
      }
    }
  }
} finally {
  await browser?.close()
  await running.stop('the pictures are taken')
  smtp.close()
  rmSync(directory, { recursive: true, force: true })
}
