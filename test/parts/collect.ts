/**
 * Prints the names of the tests in the given files, one line each, without running any: `describe` is run, `it` only noted.
 * `node test/parts/collect.ts <file> …`
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

type Body = (context: { name: string }) => unknown
type Arguments = [name: string, options: object | Body, body?: Body]

const names: string[] = []
let path: readonly string[] = []

function describe(...[name, options, body = options as Body]: Arguments): void {
  const outer = path
  path = [...outer, name]
  const result = body({ name })
  path = outer
  if (result instanceof Promise)
    throw new Error(`${path.join(' ')}: its suite is asynchronous, so its tests cannot be collected.`)
}

function it(name: string): void {
  // As the runner does it for name patterns.
  names.push([...path, name].join(' '))
}

const nothing = () => undefined
const replaced = {
  describe,
  suite: describe,
  it,
  test: it,
  before: nothing,
  after: nothing,
  beforeEach: nothing,
  afterEach: nothing,
}
Object.assign(createRequire(import.meta.url)('node:test'), replaced)
syncBuiltinESMExports()

for (const file of process.argv.slice(2)) {
  path = [file]
  await import(pathToFileURL(resolve(file)).href)
}
process.stdout.write(`${names.map((name) => JSON.stringify(name)).join('\n')}\n`, () => process.exit())
