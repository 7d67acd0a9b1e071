/**
 * `npm run test:mutations`: breaks rules on purpose, one after the other, in a copy of the checkout, and shows which tests find it
 * (test/mutations/mutations.ts). By default the files run that are named there, after they have passed without a mutation; with
 * `--whole`, all of `npm test`, and all of `npm run test:rest` if that has found nothing. Names choose some:
 * `npm run test:mutations -- etag cookie`.
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutation, mutations } from '../test/mutations/mutations.ts'
import { partVariable } from '../test/part.ts'
import { testFile } from './test-parts.ts'

type Run = Mutation['foundBy']
type Finding = { run: Run; file: string; test: string }

const root = join(import.meta.dirname, '..')
process.chdir(root)
const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { whole: { type: 'boolean', default: false } },
})

const unknown = names.filter((name) => !mutations.some((one) => one.name === name))
if (unknown.length > 0) throw new Error(`There is no such mutation: ${unknown.join(', ')}`)
const chosen = mutations.filter(({ name }) => names.length === 0 || names.includes(name))
for (const one of chosen) {
  mutated(one)
  const deleted = one.tests.filter((file) => !existsSync(file))
  if (deleted.length > 0) throw new Error(`The tests of the mutation "${one.name}" do not exist: ${deleted.join(', ')}`)
}

/** Returns the text of the file with the mutation. */
function mutated({ name, file, from, to }: Mutation): string {
  const parts = readFileSync(join(root, file), 'utf8').split(from)
  if (parts.length === 2) return parts.join(to)
  throw new Error(
    `The text of the mutation "${name}" occurs ${parts.length - 1} times in ${file}. Change the mutation with the file.`,
  )
}

/** Tests that fail without a mutation. */
const red = new Set<string>()
const tree = mkdtempSync(join(tmpdir(), 'rollbook-mutations-'))
// The tests end on these too, and then the copy is removed.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
try {
  process.exitCode = (await tryAll()) ? 0 : 1
} finally {
  rmSync(tree, { recursive: true, force: true })
}

async function tryAll(): Promise<boolean> {
  const left = new Set(
    ['node_modules', '.git', 'data', 'bench/.cache', 'bench/results'].map((path) => join(root, path)),
  )
  // The outputs of builds too, which are made again where they are out of date.
  cpSync(root, tree, { recursive: true, preserveTimestamps: true, filter: (path) => !left.has(path) })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  if (!options.whole) {
    const files = [...new Set(chosen.flatMap(({ tests }) => tests))]
    console.log(`First ${files.length} files without a mutation:`)
    for (const failure of await test(files, true)) {
      console.log(`Fails without a mutation, and finds nothing: ${describe(failure)}`)
      red.add(describe(failure))
    }
  }
  const results: { mutation: Mutation; findings: Finding[] }[] = []
  for (const mutation of chosen) {
    const path = join(tree, mutation.file)
    writeFileSync(path, mutated(mutation))
    const findings = options.whole ? await testWhole() : await test(mutation.tests)
    cpSync(join(root, mutation.file), path, { preserveTimestamps: true })
    results.push({ mutation, findings })
    console.log(lineOf(mutation, findings))
  }
  return summarize(results)
}

async function testWhole(): Promise<Finding[]> {
  const found = await test([])
  return found.length > 0 ? found : test(['--rest'])
}

/** Runs tests in the copy. Returns those that failed. */
async function test(args: readonly string[], printsOutput = false): Promise<Finding[]> {
  // A short run leaves out the tests that are only in the other run.
  const env = { ...process.env, ...(!options.whole && { [partVariable]: 'rules' }) }
  const child = spawn(process.execPath, ['scripts/test.ts', ...args], {
    cwd: tree,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      if (printsOutput) process.stdout.write(chunk)
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const findings = failuresIn(output)
  if (code === 0) return []
  // A file that could not be loaded, or a build that failed, is no test that finds something.
  if (findings.length === 0) throw new Error(`The tests did not run:\n${output.slice(-5000)}`)
  return findings.filter((one) => !red.has(describe(one)))
}

/** `✖ the path of a test`, and on the next line its place. */
function failuresIn(output: string): Finding[] {
  const found = [...output.matchAll(/^✖ (.+)\n {2}(\S+\.test\.tsx?):\d+, after /gm)]
  return found.map(([, test = '', place = '']) => {
    const file = relative(tree, join(tree, place))
    return { file, test, run: runOf(file, test) }
  })
}

function runOf(file: string, test: string): Run {
  const { belongsTo, isDivided } = testFile(file)
  return belongsTo === 'rest' || (isDivided && test.includes('PostgreSQL')) ? 'npm run test:rest' : 'npm test'
}

function describe({ file, test }: Finding): string {
  return `${file}: ${test}`
}

function lineOf({ name }: Mutation, findings: readonly Finding[]): string {
  const first = findings.find(({ run }) => run === 'npm test') ?? findings[0]
  const where = first === undefined ? 'not found' : `${first.run.padEnd(17)}  ${describe(first)}`
  return `${name.padEnd(18)}  ${where}`
}

/** Returns whether each was found by the run that should. */
function summarize(results: readonly { mutation: Mutation; findings: readonly Finding[] }[]): boolean {
  const byRun = (run: Run) => results.filter(({ findings }) => findings.some((one) => one.run === run)).length
  const found = results.filter(({ findings }) => findings.length > 0).length
  const inNpmTest = byRun('npm test')
  console.log(`\n${results.length} mutations: npm test found ${inNpmTest}, both runs together ${found}.`)
  const missed = results.filter(({ mutation, findings }) => !findings.some(({ run }) => run === mutation.foundBy))
  for (const { mutation } of missed) {
    console.log(`${mutation.foundBy} did not find "${mutation.name}" in ${mutation.file}: ${mutation.breaks}`)
  }
  return missed.length === 0
}
