import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Run, select, testFile } from '../../scripts/test-parts.ts'
import { partVariable } from '../part.ts'
import { postgresIsMissing } from '../postgres.ts'

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'])

/** Returns the names of the tests that a run has in divided files. */
async function testsOf(run: Run): Promise<string[]> {
  const divided = files.filter((file) => testFile(file).isDivided)
  const perProcess = select(divided, run).map(async ({ files, env, namePatterns }) => {
    const names = await collect(
      files.map(({ file }) => file),
      env,
    )
    const patterns = namePatterns.map((pattern) => new RegExp(pattern))
    return names.filter((name) => patterns.length === 0 || patterns.some((pattern) => pattern.test(name)))
  })
  return (await Promise.all(perProcess)).flat()
}

async function collect(files: readonly string[], env: Record<string, string>): Promise<string[]> {
  const program = join(import.meta.dirname, 'collect.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...files], {
    env: { ...process.env, [partVariable]: undefined, ...env },
    maxBuffer: 64 << 20,
  })
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('"'))
    .map((line) => JSON.parse(line) as string)
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

describe('npm test and npm run test:rest', () => {
  it('have each file in one of them, unless its tests are divided by the engine, or it has more combinations for the rest', () => {
    const inRules = select(files, 'rules').flatMap(({ files }) => files.map(({ file }) => file))
    const inRest = select(files, 'rest').flatMap(({ files }) => files.map(({ file }) => file))
    const inBoth = inRules.filter((file) => inRest.includes(file))
    assert.deepEqual(new Set([...inRules, ...inRest]), new Set(files))
    const isInBoth = (file: string) => testFile(file).isDivided || testFile(file).hasCombinations
    assert.deepEqual(inBoth.sort(), files.filter(isInBoth).sort())
  })

  const skip = postgresIsMissing && 'there is no PostgreSQL, on which the rest runs'
  it('together run each test of a divided file once', { skip }, async () => {
    const all = countsOf(await testsOf('all'))
    const both = countsOf([...(await testsOf('rules')), ...(await testsOf('rest'))])
    const names = new Set([...all.keys(), ...both.keys()])
    const wrong = [...names].filter((name) => all.get(name) !== both.get(name))
    // A loop over `engines` names its engine in the title of its suite, a loop over `everyEngine` is for what runs on both in npm test.
    assert.deepEqual(wrong, [], 'left out, or run twice')
  })
})
