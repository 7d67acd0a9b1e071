/**
 * Refuses what a newcomer gets lost in: long functions, rooms with many files, floors with many rooms, and a floor's README
 * that leaves out a room. `npm run check` runs it; `--report` also prints the figures that have no limit.
 *
 * A nested function counts for itself and for the one around it. Tests do not count: the callback of a `describe` is as long
 * as its tests. The limits may only fall.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { floors } from './import-rules.ts'

/** A function with more lines is long. */
const longLines = 100
/** How many long functions there may be. */
const longFunctions = { server: 7, 'command line and libraries': 0, console: 0 }
/** Files of a folder, tests aside. Migrations only become more, and each file of lib/ stands alone. */
const filesOfRoom = 30
const withoutFileLimit = [join('src', 'store', 'db', 'migrations'), join('src', 'lib')]
const roomsOfFloor = 14
const linesOfReadme = 20
const doors = ['service.ts', 'schema.ts', 'routes.ts', 'changes.ts']

type Node = { type: string; start: number; end: number; [member: string]: unknown }
type LongFunction = { path: string; line: number; lines: number; name: string }

const root = join(import.meta.dirname, '..')
const isCode = (path: string) => !/[.](test|d)[.]tsx?$/.test(path)
const files = globSync('{src,console/src}/**/*.{ts,tsx}', { cwd: root }).filter(isCode).sort()
const texts = new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
const faults: string[] = []

function partOf(path: string): keyof typeof longFunctions {
  if (path.startsWith('console')) return 'console'
  return /^src.(cli|moving-in|sdk)\b/.test(path) ? 'command line and libraries' : 'server'
}

function longFunctionsIn(path: string, text: string): LongFunction[] {
  const found: LongFunction[] = []
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, name)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const node = value as Node
    const inner = nameOf(node) ?? name
    const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)
    if (isFunction && node.end - node.start > longLines) {
      const lines = text.slice(node.start, node.end).split('\n').length
      if (lines > longLines) found.push({ path, line: lineAt(node.start), lines, name: inner })
    }
    for (const member of Object.values(node)) visit(member, inner)
  }
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path).body, 'a callback')
  return found
}

function nameOf({ id, key }: Node): string | undefined {
  return (id as Node | null | undefined)?.name?.toString() ?? (key as Node | undefined)?.name?.toString()
}

const long = files.flatMap((path) => longFunctionsIn(path, texts.get(path) ?? ''))
for (const [part, limit] of Object.entries(longFunctions)) {
  const those = long.filter(({ path }) => partOf(path) === part)
  console.log(`functions of more than ${longLines} lines, ${part}: ${those.length} (limit ${limit})`)
  if (those.length < limit) faults.push(`Lower the limit of long functions (${part}) to ${those.length}.`)
  if (those.length <= limit) continue
  for (const { path, line, lines, name } of those) faults.push(`${path}:${line}: ${name} has ${lines} lines. Split it.`)
}

const folders = Map.groupBy(
  files.filter((path) => path.startsWith('src')),
  (path) => dirname(path),
)
const [largest] = [...folders]
  .filter(([folder]) => !withoutFileLimit.includes(folder))
  .sort(([, a], [, b]) => b.length - a.length)
console.log(`files of a room: at most ${largest?.[1].length}, in ${largest?.[0]} (limit ${filesOfRoom})`)
for (const [folder, { length }] of folders) {
  if (length > filesOfRoom && !withoutFileLimit.includes(folder)) {
    faults.push(`${folder} has ${length} files. Give a subject of it a folder of its own.`)
  }
}

const linesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + (texts.get(path) ?? '').split('\n').length - 1, 0)
const houses = floors
  .filter(({ name }) => !name.includes('.'))
  .map(({ name }) => {
    const inside = files.filter((path) => path.startsWith(join('src', name, '/')))
    const rooms = new Set(
      inside
        .map((path) => path.slice(join('src', name, '/').length).split('/'))
        .flatMap(([room, file]) => (file === undefined ? [] : (room ?? []))),
    )
    return { name, rooms: [...rooms], lines: linesOf(inside) }
  })
const fullest = houses.toSorted((a, b) => b.rooms.length - a.rooms.length)[0]
console.log(`rooms of a floor: at most ${fullest?.rooms.length}, in src/${fullest?.name} (limit ${roomsOfFloor})`)
for (const { name, rooms } of houses) {
  if (rooms.length > roomsOfFloor) faults.push(`src/${name} has ${rooms.length} rooms. It is two floors.`)
  const readme = readFileSync(join(root, 'src', name, 'README.md'), 'utf8')
  const lines = readme.split('\n').length - 1
  if (lines > linesOfReadme) faults.push(`src/${name}/README.md has ${lines} lines. It may have ${linesOfReadme}.`)
  // The names of rooms are bold, several of them between one pair of asterisks.
  const named = [...readme.matchAll(/\*\*([^*]+)\*\*/g)].flatMap(([, names]) => (names ?? '').split(/[,\s]+/))
  for (const room of rooms) {
    if (!named.includes(room) && room !== 'generated')
      faults.push(`src/${name}/README.md does not say what ${room} is.`)
  }
}

if (process.argv.includes('--report')) {
  const rooms = Map.groupBy(
    files.filter((path) =>
      /^src.(access.[^/]+|directory|administration|record|operations).[^/]+.[^/]+[.]ts$/.test(path),
    ),
    (path) => dirname(path),
  )
  const doorsOf = [...rooms.values()].map(
    (paths) => paths.filter((path) => doors.includes(path.split('/').at(-1) ?? '')).length,
  )
  console.log(
    `doors of feature rooms: ${doorsOf.reduce((sum, count) => sum + count, 0)}, at most ${Math.max(...doorsOf)} of a room`,
  )
  for (const { name, rooms, lines } of houses) console.log(`src/${name}: ${lines} lines, ${rooms.length} rooms`)
  const server = files.filter((path) => partOf(path) === 'server')
  const all = files.filter((path) => path.startsWith('src'))
  console.log(`src: ${linesOf(all)} lines, without cli and sdk ${linesOf(server)}`)
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
