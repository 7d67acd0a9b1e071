/**
 * Refuses a query of what can belong to an organization unless it receives the scope of its caller. `npm run check` runs it.
 *
 * Checked is each top-level function of `src/` that reads one of these tables: it must have a `Scope` among its parameters, or the filters of a
 * list, which only `filtersWithin` makes. `unscoped-queries.json` lists those that need none, by reason: whole files, or some of their functions ('' is
 * the rest of the module). The check fails when the list names a function that is gone.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const tables = [
  'users',
  'user_groups',
  'api_keys',
  'sign_in_connections',
  'provisioning_connections',
  'audit_records',
  'mails',
  'deleted_users',
  'imports',
]
const reads = new RegExp(String.raw`(?<!DELETE )\b(?:FROM|JOIN)\s+(?:${tables.join('|')})\b`)
const isScoped = /\b(?:Scope|ScopedFilters)\b/

/** Files by reason, each with the names of its functions, or `*` for all of them. */
export type Unscoped = readonly { why: string; queries: Readonly<Record<string, readonly string[] | '*'>> }[]

/** Returns `name` and text of each top-level function, and the rest of the module under the name ''. */
export function functionsIn(source: string): Map<string, string> {
  const found = new Map<string, string>()
  let name = ''
  for (const line of source.split('\n')) {
    const [, declared] = /^(?:export )?(?:async )?function\*? (\w+)/.exec(line) ?? []
    if (declared !== undefined) name = declared
    found.set(name, `${found.get(name) ?? ''}${line}\n`)
    if (line === '}') name = ''
  }
  return found
}

/** The parts of a file that read one of the tables without a scope. */
export function unscopedIn(source: string): string[] {
  return [...functionsIn(source)].flatMap(([name, text]) => {
    const parameters = name === '' ? '' : text.slice(0, /\{\n/.exec(text)?.index ?? text.length)
    return reads.test(text) && !isScoped.test(parameters) ? [name] : []
  })
}

/** Returns a sentence for each fault. */
export function faultsOf(files: ReadonlyMap<string, string>, unscoped: Unscoped): string[] {
  const listed = Map.groupBy(
    unscoped.flatMap(({ queries }) => Object.entries(queries)),
    ([file]) => file,
  )
  const faults = [...listed.keys()].flatMap((file) => (files.has(file) ? [] : [`${file} is listed, but is gone.`]))
  for (const [file, source] of files) {
    const names = (listed.get(file) ?? []).flatMap(([, some]) => some)
    const found = unscopedIn(source)
    const isWhole = names.includes('*')
    if (isWhole && found.length === 0) faults.push(`${file} is listed, but reads no such table without a scope.`)
    if (isWhole) continue
    const isMissing = (name: string) => !names.includes(name)
    faults.push(...found.filter(isMissing).map((name) => `${file}: ${name || 'the module'} reads without a scope.`))
    const isGone = (name: string) => !found.includes(name)
    faults.push(...names.filter(isGone).map((name) => `${file}: ${name || 'the module'} is listed without need.`))
  }
  return faults
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const files = globSync('src/**/*.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/migrations/') && !file.startsWith('src/sdk/'))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
  const listed = JSON.parse(readFileSync(join(import.meta.dirname, 'unscoped-queries.json'), 'utf8')) as Unscoped
  const faults = faultsOf(new Map(files), listed)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) {
    console.error(
      'Pass the scope of the caller (src/core/scope.ts), or say in scripts/unscoped-queries.json why the query needs none.',
    )
    process.exitCode = 1
  }
}
