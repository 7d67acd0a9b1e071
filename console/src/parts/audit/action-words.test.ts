import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')

it('every action that the service records has words', () => {
  const root = '../../../../src'
  const sources = globSync('**/*.ts', { cwd: join(import.meta.dirname, root), exclude: ['**/*.test.ts'] })
  const recorded = sources.flatMap((file) =>
    [...read(root, file).matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g)].map(([, action]) => action as string),
  )
  assert.ok(recorded.length > 60)
  const words = read('action-words.ts')
  assert.deepEqual([...new Set(recorded)].filter((action) => !words.includes(`'${action}'`)).sort(), [])
})
