/**
 * Decides which tests belong to `npm test`, which runs each rule once, and which to `npm run test:rest`, from the text of a file alone:
 * a new file needs no entry anywhere. `test/parts.test.ts` checks that the two together run each test once.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { partVariable } from '../test/part.ts'

export type Run = 'rules' | 'rest' | 'all'

/** What a file needs, in the order in which `npm test` runs them: the cheapest first, so that a broken rule shows soon. */
export const kinds = ['pure', 'application', 'both engines', 'processes', 'browser'] as const
export type Kind = (typeof kinds)[number]

export type TestFile = {
  file: string
  text: string
  kind: Kind
  /** Its tests on SQLite belong to `npm test`, those on PostgreSQL to the rest. */
  isDivided: boolean
  /** `npm test` tries a fifth of its combinations (test/cases.ts), the rest all of them. */
  hasCombinations: boolean
  /** The run of all its other tests. */
  belongsTo: 'rules' | 'rest'
}

/** What a file says, with the reason, to be in the other run than its kind. */
const declarations = { rules: 'belongs to npm test', rest: 'belongs to test:rest' }

const startsProcesses =
  /child_process|command-process|\/process\.ts'|[sS]tartCluster|ownCluster|startProcess|\/slapd\.ts'|proxies\/find/

/** What tests share, other than what needs neither a server nor a store. */
const startsApplication = /\btest\/(?!(cases|part|processor-time|time-limit|walks)\.ts')|\bengines\b/

const importsEngines = /^import \{[^}]*\bengines\b[^}]*\}/m

/** Tests across rooms that are about other programs, or walk at random, whatever their text contains. */
const foldersOfRest = [
  'proxies',
  'moving-in',
  'package',
  'durability',
  'journeys',
  'model',
  'embedded',
  'nodes',
  'verify',
]

export function testFile(file: string): TestFile {
  const text = readFileSync(file, 'utf8')
  const kind = kindOf(file, text)
  const declared = (['rules', 'rest'] as const).find((run) => text.includes(declarations[run]))
  const isHeavy = kind === 'processes' || kind === 'browser' || isOfFolder(file, foldersOfRest)
  const belongsTo = declared ?? (isHeavy ? 'rest' : 'rules')
  const isDivided = belongsTo === 'rules' && importsEngines.test(text)
  const hasCombinations = belongsTo === 'rules' && !isDivided && text.includes('combinations(')
  return { file, text, kind, belongsTo, isDivided, hasCombinations }
}

function kindOf(file: string, text: string): Kind {
  if (isOfFolder(file, ['browser'])) return 'browser'
  if (startsProcesses.test(text)) return 'processes'
  if (/\b(everyEngine|onlyPostgres|postgresIsMissing)\b/.test(text)) return 'both engines'
  return relative('', file).startsWith('test') || startsApplication.test(text) ? 'application' : 'pure'
}

function isOfFolder(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => !relative(`test/${folder}`, file).startsWith('..'))
}

/** The tests of a divided file that are left for the rest: those of the loops over `engines`. */
const onPostgres = 'PostgreSQL'

export type Selection = {
  files: readonly TestFile[]
  /** For the processes of these files. */
  env: Record<string, string>
  namePatterns: readonly string[]
}

/**
 * Returns what a run runs of these files: whole ones, and parts of divided ones. In the rest these need processes of their own. In `npm
 * test` they share processes with whole files, which do not import `engines`.
 */
export function select(files: readonly string[], run: Run): Selection[] {
  const all = files.map(testFile)
  if (run === 'all') return [{ files: all, env: {}, namePatterns: [] }]
  const env = { [partVariable]: run }
  const ofRun = all.filter(({ belongsTo }) => belongsTo === run)
  if (run === 'rules') return [{ files: ofRun, env, namePatterns: [] }]
  const divided = all.filter(({ isDivided }) => isDivided)
  const again = all.filter(({ hasCombinations }) => hasCombinations)
  return [
    { files: [...ofRun, ...again], env: {}, namePatterns: [] },
    { files: divided, env, namePatterns: [onPostgres] },
  ].filter(({ files }) => files.length > 0)
}
