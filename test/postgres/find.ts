import { execFile } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The variable by which `npm test` hands its one cluster to the test files: the superuser's URL, or `none`. */
export const clusterVariable = 'ROLLBOOK_TEST_CLUSTER'

/**
 * The folder of a PostgreSQL's programs: the one of `ROLLBOOK_TEST_POSTGRES`, else the machine's own, else Debian's,
 * which is installed first. Undefined (after saying why) when there is none and none can be installed; in CI that is an
 * error.
 */
export function findOrInstallPostgres(): Promise<string | undefined> {
  lookedFor ??= lookForPostgres()
  return lookedFor
}

let lookedFor: Promise<string | undefined> | undefined

async function lookForPostgres(): Promise<string | undefined> {
  const named = process.env.ROLLBOOK_TEST_POSTGRES
  if (named) {
    if (!isPostgres(named)) throw new Error(`ROLLBOOK_TEST_POSTGRES names ${named}, which has no initdb and postgres.`)
    return announce(named)
  }
  const present = findOnMachine()
  if (present !== undefined) return announce(present)
  const reason = await installPostgres()
  const installed = findOnMachine()
  if (installed !== undefined) return announce(installed)
  const message =
    `There is no PostgreSQL for the tests (${reason ?? 'its package brought none'}): install its server (Debian: postgresql, ` +
    'Fedora: postgresql-server and postgresql-contrib, macOS: brew install postgresql), or name the folder of its ' +
    'programs in ROLLBOOK_TEST_POSTGRES.'
  if (process.env.CI) throw new Error(message)
  console.error(message)
  return undefined
}

async function announce(bin: string): Promise<string> {
  const { stdout } = await run(join(bin, 'postgres'), ['--version'])
  // Not once more for each test file that `npm test` runs.
  if (!process.env[clusterVariable]) {
    console.error(`The tests run on ${stdout.trim().replace(/^postgres \((\w+)\)/, '$1')}, from ${bin}`)
  }
  return bin
}

function findOnMachine(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  // Where packages put what they do not put on the path: Debian, Fedora's and the project's own RPMs, Homebrew,
  // Postgres.app.
  const elsewhere = globSync([
    '/usr/lib/postgresql/*/bin',
    '/usr/pgsql-*/bin',
    '/opt/homebrew/opt/postgresql*/bin',
    '/usr/local/opt/postgresql*/bin',
    '/Applications/Postgres.app/Contents/Versions/*/bin',
  ]).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  return [...onPath, ...elsewhere].find(isPostgres)
}

function isPostgres(folder: string): boolean {
  return ['initdb', 'postgres'].every((name) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Installs Debian's package. Resolves to the reason when it cannot. */
async function installPostgres(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it is installed by itself on Debian and Ubuntu only'
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  // By default the package creates and starts a cluster of its own.
  const script = `
    set -e
    export DEBIAN_FRONTEND=noninteractive
    no_cluster=/etc/postgresql-common/createcluster.d/rollbook-tests.conf
    apt-get -qq update
    mkdir -p "\${no_cluster%/*}"
    echo 'create_main_cluster = false' >"$no_cluster"
    trap 'rm -f "$no_cluster"' EXIT
    apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends postgresql`
  const [file = '', ...rest] = [...prefix, 'sh', '-c', script]
  console.error('Installing postgresql for the tests (apt-get) …')
  const startedAt = Date.now()
  try {
    await run(file, rest, { timeout: 600_000, maxBuffer: 16 << 20 })
    console.error(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
    return undefined
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    return (stderr || message).trim().split('\n').slice(0, 3).join(' ')
  }
}
