import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, describe, it } from 'node:test'
import { problems } from '../../src/core/errors.ts'
import { launchBrowser } from '../browser.ts'
import { start } from '../harness.ts'

const browser = await launchBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the problems page in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`shows the problem that a type leads to on a phone, readably, in the ${colorScheme} colour scheme`, async (t) => {
      const app = await start(t, { name: 'SQLite' })
      const url = `${await app.listen()}/users`
      const refused = (await (await fetch(url)).json()) as { type: string }
      const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 844 } })
      t.after(() => context.close())
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      await page.goto(new URL(refused.type, url).href)

      assert.equal(await page.locator(':target h2').textContent(), 'credential_missing')
      const { y = -1 } = (await page.locator(':target').boundingBox()) ?? {}
      assert.ok(y >= 0 && y < 844, `the paragraph is out of sight, at ${y}`)
      assert.equal(await page.locator('section').count(), Object.keys(problems).length)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= 390, `it scrolls sideways, ${width} px`)
      assert.deepEqual(complaints, [])

      await page.evaluate(axe)
      const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run()')
      assert.deepEqual(violations, [])
    })
  }
})
