/**
 * Takes the documentation's pictures of messages: `node scripts/screenshot-messages.ts`, or into a folder that is named.
 * HTML as a phone's mail program shows it, light and dark; Arabic; and plain text in the font of a terminal.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { messageOf } from '../src/record/mails/sending/message.ts'
import { loadTemplates } from '../src/record/mails/templates/templates.ts'
import { launchBrowser } from '../test/browser.ts'

const [folder = join(import.meta.dirname, '../docs/images')] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const parts = {
  templates: loadTemplates(undefined, 'en'),
  config: { productName: 'Acme Reports', publicUrl: 'https://reports.example.com/auth' },
}
const token = 'q3Zk8tYw1LrV5nXc0PbE7hJd2MfSgA9uT4iOoKlRyHe'
const width = 390

function messageIn(locale: string) {
  const data = { name: locale === 'ar' ? 'ليلى حداد' : 'Ada Lovelace', username: 'ada.lovelace' }
  const row = {
    kind: 'invitation',
    locale,
    data: JSON.stringify(data),
    expires_at: '2026-12-01T09:30:00.000Z',
  } as const
  return messageOf(row, token, parts)
}

async function shoot(browser: Browser, name: string, html: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 200 }, deviceScaleFactor: 2, colorScheme })
  await page.setContent(html)
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
} finally {
  await browser.close()
}
