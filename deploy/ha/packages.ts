/** The Debian packages of the lab. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const programs = { etcd: '/usr/bin/etcd', patroni: '/usr/bin/patroni', haproxy: '/usr/sbin/haproxy' } as const
const packageOf = { etcd: 'etcd-server', patroni: 'patroni', haproxy: 'haproxy' } as const

export type Programs = Record<keyof typeof programs, string> & {
  /** The folder of PostgreSQL's programs, of the newest version if there are several. */
  postgresBin: string
}

/** Installs missing packages if we are root; otherwise says what to install. */
export function findOrInstallPrograms(say: (line: string) => void): Programs {
  if (!existsSync('/etc/debian_version')) throw new Error('The lab is made of packages of Debian, which this is not.')
  let missing = missingPackages()
  if (missing.length > 0) {
    const wanted = missing.join(' ')
    if (process.getuid?.() !== 0) {
      throw new Error(`The lab needs more of Debian. As root: apt-get install --no-install-recommends ${wanted}`)
    }
    say(`Installing ${wanted} (apt-get) …`)
    install(missing)
    missing = missingPackages()
    if (missing.length > 0) throw new Error(`These packages did not bring what the lab needs: ${missing.join(' ')}`)
  }
  return { ...programs, postgresBin: postgresBins()[0] as string }
}

function missingPackages(): string[] {
  const names = Object.keys(programs) as (keyof typeof programs)[]
  const missing: string[] = names.filter((name) => !existsSync(programs[name])).map((name) => packageOf[name])
  return postgresBins().length > 0 ? missing : [...missing, 'postgresql']
}

function postgresBins(): string[] {
  const version = (path: string) => Number.parseInt(path.split('/')[4] ?? '', 10)
  return globSync('/usr/lib/postgresql/*/bin/pg_rewind')
    .map(dirname)
    .sort((a, b) => version(b) - version(a))
}

/** Starts no service: the lab starts its own, in other folders and on other ports. */
function install(packages: string[]): void {
  const aptGet = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 600_000,
    })
  const policy = '/usr/sbin/policy-rc.d'
  const hasPolicy = existsSync(policy)
  if (!hasPolicy) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    const get = ['-o', 'DPkg::Lock::Timeout=300', 'install', '--yes', '--no-install-recommends']
    aptGet('update')
    if (packages.includes('postgresql')) {
      aptGet(...get, 'postgresql-common')
      const settings = '/etc/postgresql-common/createcluster.conf'
      if (!/^create_main_cluster *= *false/m.test(readFileSync(settings, 'utf8'))) {
        appendFileSync(settings, '\n# The lab of Rollbook needs the programs only.\ncreate_main_cluster = false\n')
      }
    }
    aptGet(...get, ...packages)
  } finally {
    if (!hasPolicy) rmSync(policy)
  }
}
