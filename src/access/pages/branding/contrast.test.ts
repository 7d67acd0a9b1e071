import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import fc from 'fast-check'
import { contrast, contrastOn, leastContrast, readableOn, shaded } from '../../../lib/contrast.ts'
import { darkGrounds, lightGrounds } from './grounds.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

it('is the ratio of WCAG 2.2', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#777777', '#777777'), 1)
  assert.equal(contrast('#ffffff', '#767676').toFixed(2), '4.54')
})

it('finds the nearest colour that can be read on every ground, and leaves one that can', () => {
  fc.assert(
    fc.property(colour, (wanted) => {
      for (const grounds of [lightGrounds, darkGrounds]) {
        const found = readableOn(grounds, wanted)
        assert.ok(contrastOn(grounds, found) >= leastContrast, `${wanted} ${found}`)
        if (contrastOn(grounds, wanted) >= leastContrast) assert.equal(found, wanted)
        assert.equal(readableOn(grounds, found), found)
      }
    }),
    { numRuns: 200 },
  )
  assert.equal(readableOn(lightGrounds, '#1f5fbf'), '#1f5fbf')
  assert.match(shaded('#1f5fbf', -0.1), /^#[0-9a-f]{6}$/)
})

it('looks at the grounds that the pages have', () => {
  const css = readFileSync(new URL('../login-pages/assets/login.css', import.meta.url), 'utf8')
  const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)')
  const ground = (part: string, name: string) =>
    new RegExp(`--${name}: (#[0-9a-f]+);`).exec(part)?.[1]?.replace('#fff', '#ffffff').slice(0, 7)
  assert.deepEqual([ground(light, 'card'), ground(light, 'ground')], lightGrounds)
  assert.deepEqual([ground(dark, 'card'), ground(dark, 'ground')], darkGrounds)
})
