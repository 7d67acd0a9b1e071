import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { it } from 'node:test'

/** Changes of what a configuration file may manage. Secrets that are rotated, and members of groups, are not in a file. */
const change =
  /api\.(?:attributes|branding|connections|groups|keys|policies|provisioning|roles|webhooks)\.(?:update|replace|delete|revoke)\(/g

it('every change of what a file may manage can override it', () => {
  const root = new URL('../../', import.meta.url)
  const calls = globSync('**/*.{ts,tsx}', { cwd: root }).flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8')
    return [...text.matchAll(change)].map(({ index, 0: start }) => ({ file, call: callAt(text, index + start.length) }))
  })
  assert.ok(calls.length > 15, String(calls.length))
  const deaf = calls.filter(({ call }) => !/\bhow(ToTry)?\b/.test(call))
  assert.deepEqual(deaf, [])
})

/** The text up to the closing parenthesis. */
function callAt(text: string, start: number): string {
  let depth = 1
  let at = start
  while (depth > 0 && at < text.length) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    at++
  }
  return text.slice(start, at)
}
