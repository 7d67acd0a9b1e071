/** Returns the command that runs this installation's command line, ready to paste from the banner. */
import { existsSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, sep } from 'node:path'

export type Call = {
  /** The directory of the checkout or of the installed package. */
  home: string
  /** `process.argv[1]`: the file that Node runs, with links not followed. */
  script: string
  cwd: string
  env: NodeJS.ProcessEnv
}

/** Settings that select the store and the address. Secrets stay in the reader's own environment. */
const places = ['ROLLBOOK_DATA_DIR', 'ROLLBOOK_HOST', 'ROLLBOOK_PORT', 'ROLLBOOK_BASE_PATH', 'ROLLBOOK_PUBLIC_URL']

/** For instance `./rollbook`, `npx rollbook`, or `ROLLBOOK_PORT=9000 node /opt/rollbook/bin/rollbook.js`. */
export function ownCommand({ home, script, cwd, env }: Call): string {
  const settings = places.flatMap((name) => (env[name] ? [`${name}=${quote(env[name])}`] : []))
  return [...settings, program({ home, script, cwd, env })].join(' ')
}

function program({ home, script, cwd, env }: Call): string {
  const launcher = join(home, 'rollbook')
  if (existsSync(launcher)) return quote(fromHere(launcher, cwd))
  if (script.endsWith(join('node_modules', '.bin', 'rollbook'))) return 'npx rollbook'
  const isOnPath = (env.PATH ?? '').split(delimiter).includes(dirname(script))
  if (basename(script) === 'rollbook' && isOnPath) return 'rollbook'
  return `node ${quote(fromHere(join(home, 'bin', 'rollbook.js'), cwd))}`
}

function fromHere(path: string, cwd: string): string {
  const way = relative(cwd, path)
  if (way.startsWith('..')) return path
  return way.includes(sep) ? way : `.${sep}${way}`
}

/** Quotes for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
