/**
 * Takes the documentation's pictures of messages: `node scripts/screenshot-messages.ts`, or into a folder that is named.
 * HTML as a phone's mail program shows it, light and dark; plain text in the font of a terminal; and notices in German and Arabic, side by side.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { plainBrand } from '../src/core/brand.ts'
import type { MailKind } from '../src/record/mails/kinds.ts'
import { messageOf } from '../src/record/mails/sending/message.ts'
import { loadTemplates } from '../src/record/mails/templates/templates.ts'
import { launchBrowser } from '../test/browser.ts'

const [folder = join(import.meta.dirname, '../docs/images')] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const parts = {
  templates: loadTemplates(undefined, 'en'),
  brand: plainBrand('Acme Reports'),
  config: { publicUrl: 'https://reports.example.com/auth', mailTimeZone: 'Europe/Berlin' },
}
const token = 'q3Zk8tYw1LrV5nXc0PbE7hJd2MfSgA9uT4iOoKlRyHe'
const width = 390

const people: Record<string, [name: string, username: string]> = {
  en: ['Ada Lovelace', 'ada.lovelace'],
  de: ['Jürgen Müller', 'juergen.mueller'],
  ar: ['ليلى حداد', 'layla.haddad'],
}

function messageIn(locale: string, kind: MailKind = 'invitation') {
  const [name, username] = people[locale] as [string, string]
  const data = {
    name,
    username,
    time: '2026-11-24T21:05:00.000Z',
    device: 'Firefox, Linux',
    address: '2001:db8::7',
    remaining: '7',
  }
  const row = { kind, locale, data: JSON.stringify(data), expires_at: '2026-12-01T09:30:00.000Z' }
  return messageOf(row, token, parts)
}

type Scheme = 'light' | 'dark'

async function pictureOf(browser: Browser, html: string, colorScheme: Scheme): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height: 200 }, deviceScaleFactor: 2, colorScheme })
  await page.setContent(html)
  const picture = await page.screenshot({ fullPage: true })
  await page.close()
  return picture
}

async function shoot(browser: Browser, name: string, html: string, colorScheme: Scheme): Promise<void> {
  writeFileSync(join(folder, `${name}.png`), await pictureOf(browser, html, colorScheme))
}

/** Several messages side by side, so that the docs need one picture for them. */
async function shootBeside(browser: Browser, name: string, messages: readonly [string, Scheme][]): Promise<void> {
  const all: string[] = []
  for (const [html, scheme] of messages) all.push((await pictureOf(browser, html, scheme)).toString('base64'))
  const gap = 20
  const page = await browser.newPage({ viewport: { width: all.length * (width + gap) + gap, height: 200 } })
  const pictures = all.map((one) => `<img style="width:${width}px" src="data:image/png;base64,${one}">`).join('')
  await page.setContent(
    `<body style="margin:0"><div style="display:flex;align-items:start;gap:${gap}px;padding:${gap}px;background:#c9ced6">${pictures}</div>`,
  )
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  await page.close()
}

/** As a mail program shows it that shows no HTML. */
function textPage(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#fff"><pre style="margin:0;padding:20px 16px;font:14px/1.5 monospace;white-space:pre-wrap;overflow-wrap:anywhere;color:#1c2430">${escaped}</pre>`
}

const browser = await launchBrowser()
if (browser === undefined) throw new Error('The pictures need a Chromium.')
try {
  const [english, arabic] = [messageIn('en'), messageIn('ar')]
  await shoot(browser, 'message', english.html, 'light')
  await shoot(browser, 'message-dark', english.html, 'dark')
  await shoot(browser, 'message-arabic', arabic.html, 'light')
  await shoot(browser, 'message-text', textPage(english.text), 'light')
  await shootBeside(browser, 'messages', [
    [messageIn('de', 'password_reset').html, 'light'],
    [messageIn('de', 'recovery_code_used').html, 'dark'],
    [messageIn('ar', 'new_sign_in').html, 'light'],
    [messageIn('ar', 'password_reset').html, 'dark'],
  ])
} finally {
  await browser.close()
}
