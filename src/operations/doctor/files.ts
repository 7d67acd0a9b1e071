/** Checks whether other users of this machine can read the data. */
import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, reportOf } from './finding.ts'

const { ok, warning, failed, skipped } = reportOf('files')

const own = /^(rollbook\.db|admin-key|lock)\b/

/** Node has no such modes on Windows. */
const hasModes = process.platform !== 'win32'

export function checkDataFiles(directory: string): Finding[] {
  const stats = statSync(directory, { throwIfNoEntry: false })
  if (stats === undefined) return [skipped('data directory', `${directory} does not exist yet`)]
  if (!hasModes) return [skipped('data directory', 'this system has no file modes')]
  const names = readdirSync(directory).filter((name) => own.test(name))
  const files = names.flatMap((name) => {
    const found = statSync(join(directory, name), { throwIfNoEntry: false })
    return found === undefined ? [] : [{ path: join(directory, name), stats: found }]
  })
  const open = files.filter((file) => (file.stats.mode & 0o077) !== 0)
  const findings = [ownDirectory(directory, stats)]
  if (open.length === 0) findings.push(ok('data files', `${files.length}, for their owner only`))
  for (const { path, stats: found } of open) {
    const advice = `chmod 600 ${path}${path.endsWith('admin-key') ? ', and rotate the key, because others could read it' : ''}`
    findings.push(failed('data files', `${path} is open to others (${octal(found)})`, advice))
  }
  const owners = new Set([stats.uid, ...files.map((file) => file.stats.uid)])
  if (owners.size > 1) {
    const advice = 'Make the user of the service the owner of all of it: chown -R.'
    findings.push(
      warning('owners', `the directory and its files have several owners: ${[...owners].join(', ')}`, advice),
    )
  }
  return findings
}

function ownDirectory(directory: string, stats: Stats): Finding {
  if ((stats.mode & 0o077) === 0) return ok('data directory', `${directory}, for its owner only`)
  return warning(
    'data directory',
    `${directory} is open to others (${octal(stats)})`,
    `chmod 700 ${directory}, unless other users keep files there too.`,
  )
}

/** The files that the configuration names: of settings and of secrets. */
export function checkNamedFiles(env: Record<string, string | undefined>): Finding[] {
  if (!hasModes) return []
  return Object.entries(env).flatMap(([name, path]): Finding[] => {
    if (!/^ROLLBOOK_\w+_FILE$/.test(name) || !path) return []
    const stats = statSync(path, { throwIfNoEntry: false })
    // An unreadable file is a fault of the configuration, and reported there.
    if (stats === undefined) return []
    if ((stats.mode & 0o007) === 0) return [ok(name, `other users cannot read the file (${octal(stats)})`)]
    const found = `every user of this machine may read the file (${octal(stats)})`
    return [warning(name, found, 'chmod 600, unless it is on a mount that only the service sees.')]
  })
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(3, '0')
}
