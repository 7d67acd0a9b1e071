/** Takes the README's picture of the docs page: `node scripts/screenshot.ts`. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import { serve } from '../src/app/serve.ts'
import { loadConfig } from '../src/core/config.ts'
import { launchBrowser } from '../test/browser.ts'

const file = join(import.meta.dirname, '../docs/images/docs-page.png')
const directory = mkdtempSync(join(tmpdir(), 'rollbook-screenshot-'))
// On the port it has by default, since the picture shows the address.
const config = loadConfig({ ROLLBOOK_DATA_DIR: directory })
const running = await serve(config, pino({ enabled: false }), (error) => {
  throw error
})
const browser = await launchBrowser()
try {
  if (browser === undefined) throw new Error('The picture needs a Chromium.')
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 }, colorScheme: 'light' })
  await page.goto(`${running.url}/docs`)
  await page.locator('.opblock').first().waitFor()
  mkdirSync(dirname(file), { recursive: true })
  await page.screenshot({ path: file, animations: 'disabled' })
} finally {
  await browser?.close()
  await running.stop('the picture is taken')
  rmSync(directory, { recursive: true, force: true })
}
