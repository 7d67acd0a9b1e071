/** Takes the documentation's picture of the sign-in page, light and dark: `node scripts/screenshot-login.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { serve } from '../src/app/serve.ts'
import { loadConfig } from '../src/core/config.ts'
import { launchBrowser } from '../test/browser.ts'

const file = join(import.meta.dirname, '../docs/images/sign-in-page.png')
const directory = mkdtempSync(join(tmpdir(), 'rollbook-screenshot-'))
const config = loadConfig({ ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ROLLBOOK_PRODUCT_NAME: 'Acme Reports' })
const running = await serve(config, pino({ enabled: false }), (error) => {
  throw error
})
const browser = await launchBrowser()
try {
  if (browser === undefined) throw new Error('The picture needs a Chromium.')
  const halves = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: 500, height: 620 }, colorScheme })
    // As a user of the product sees it: on a fresh store the page says what to do first.
    await page.goto(`${running.url}/login?return_to=/reports`)
    await page.getByRole('button', { name: 'Show password' }).waitFor()
    halves.push((await page.screenshot({ animations: 'disabled' })).toString('base64'))
  }
  const both = await browser.newPage({ viewport: { width: 1000, height: 620 } })
  const images = halves.map((image) => `<img src="data:image/png;base64,${image}">`)
  await both.setContent(`<body style="margin: 0; display: flex">${images.join('')}`)
  writeFileSync(file, await both.screenshot())
} finally {
  await browser?.close()
  await running.stop('the picture is taken')
  rmSync(directory, { recursive: true, force: true })
}
