/** `rollbook doctor`: checks a deployment and gives advice. */
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { Finding, Group, Status } from '../../operations/doctor/service.ts'
import { addRemoteOptions, type RemoteOptions } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'
import { visible, visibleJson } from '../terminal/visible-text.ts'

const groups = ['configuration', 'storage', 'disk', 'files', 'clock', 'mail', 'deployment'] as const satisfies Group[]

type Options = RemoteOptions & {
  dataDir?: string
  only?: Group[]
  thorough?: boolean
  json?: true
  nameServer?: string
}

export function addDoctor(program: Command): void {
  const doctor = program
    .command('doctor')
    .summary('check this machine, and the deployment from outside')
    .description(
      'Checks the configuration, the store, the disk, file modes and the clock of this machine, and the mail server with what the domain of the sender publishes (SPF, DKIM, DMARC), without sending a message. With --url or --profile, also checks the deployment as clients see it: prefix, Host, scheme, client address, cookies, headers and event streams. Run it as the user of the service, with its environment. It changes nothing. Each result is ok, warning, failed or skipped, with advice what to do.',
    )
    .option('--data-dir <directory>', 'data directory of the SQLite store (default: the configured store)')
    .option('--only <groups>', `only these checks: ${groups.join(', ')}`, readGroups)
    .option('--thorough', 'also check all indexes, references and the search index; takes seconds per gigabyte')
    .option('--name-server <address>', 'ask this name server about the sender, such as 192.0.2.53:53')
    .option('--json', 'print JSON')
    .action(runDoctor)
  addRemoteOptions(doctor)
  examples(doctor, [
    ['rollbook doctor', 'check this machine'],
    ['rollbook doctor --only mail', 'check the mail server and the domain of the sender'],
    ['rollbook doctor --url https://example.com/auth --only deployment', 'check the deployment from outside'],
  ])
}

function readGroups(text: string): Group[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !groups.includes(name as Group))
  if (unknown.length === 0) return names as Group[]
  throw new UsageError(`--only accepts ${groups.join(', ')}, separated by commas.`)
}

async function runDoctor(options: Options): Promise<void> {
  const wanted = new Set<Group>(options.only ?? groups)
  const findings: Finding[] = []
  if (groups.some((group) => group !== 'deployment' && wanted.has(group))) {
    findings.push(...(await lookHere(wanted, options)))
  }
  if (wanted.has('deployment')) findings.push(...(await lookFromOutside(options)))
  await put(options.json ? `${visibleJson(JSON.stringify(toJson(findings), undefined, 2))}\n` : toText(findings))
  const { warning, failed } = toJson(findings).counts
  const summary = `${failed} failed, ${counted(warning, 'warning')}.`
  if (failed > 0) throw new Failed(summary, exitCodes.failed)
  tell(summary)
}

async function lookHere(
  wanted: ReadonlySet<Group>,
  { dataDir, thorough = false, timeout = 10, nameServer }: Options,
): Promise<Finding[]> {
  const doctor = await import('../../operations/doctor/service.ts')
  const { config: configured, findings } = await doctor.checkConfiguration(process.env)
  if (configured === undefined) return findings
  const config = dataDir === undefined ? configured : { ...configured, dataDir, databaseUrl: undefined }
  const all = wanted.has('configuration') ? findings : []
  const timeoutMs = timeout * 1000
  if (wanted.has('configuration')) all.push(...(await doctor.checkNameServers(config, { timeoutMs })))
  if (wanted.has('storage') || wanted.has('clock')) {
    const opened = await doctor.openStore(config, thorough)
    try {
      if (wanted.has('storage')) all.push(...opened.findings)
      if (opened.db !== undefined) {
        if (wanted.has('storage')) all.push(...(await doctor.checkStore(opened.db, config)))
        if (wanted.has('storage') && thorough) all.push(...(await doctor.checkIndexes(opened.db)))
        if (wanted.has('clock')) all.push(...(await doctor.checkClocks(opened.db)))
      }
    } finally {
      await opened.close?.()
    }
  }
  const directory = resolve(config.dataDir)
  if (wanted.has('disk') && config.databaseUrl === undefined) all.push(...doctor.checkDisk(directory))
  if (wanted.has('files')) {
    if (config.databaseUrl === undefined) all.push(...doctor.checkDataFiles(directory))
    all.push(...doctor.checkNamedFiles(process.env))
  }
  if (wanted.has('mail')) {
    const nameServers = nameServer === undefined ? undefined : [nameServer]
    all.push(...(await doctor.checkMail(config, { timeoutMs, nameServers })))
  }
  return all
}

async function lookFromOutside(options: Options): Promise<Finding[]> {
  const { ROLLBOOK_URL, ROLLBOOK_PROFILE } = process.env
  if (![options.url, options.profile, ROLLBOOK_URL, ROLLBOOK_PROFILE].some(Boolean)) {
    if (options.only?.includes('deployment'))
      throw new UsageError('Give --url, the address at which clients reach the service.')
    return []
  }
  const [{ checkDeployment }, server] = await Promise.all([
    import('../../operations/doctor/service.ts'),
    serverOf(options),
  ])
  return checkDeployment({ ...server, timeoutMs: (options.timeout ?? 10) * 1000 })
}

/** Returns the server. The key is optional, because many checks need none. */
async function serverOf(options: Options): Promise<{ url: string; key: string | undefined }> {
  const { findServer, readUrl } = await import('../server/find-server.ts')
  try {
    return await findServer(options, process.env)
  } catch (error) {
    const url = options.url ?? process.env.ROLLBOOK_URL
    const { exitCode } = error as { exitCode?: number }
    if (exitCode !== exitCodes.notAuthorized || url === undefined) throw error
    return { url: readUrl(url, '--url'), key: undefined }
  }
}

function toJson(findings: readonly Finding[]) {
  const count = (status: Status) => findings.filter((one) => one.status === status).length
  return {
    ok: count('failed') === 0,
    counts: { ok: count('ok'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') },
    findings: findings.map(({ advice = null, ...rest }) => ({ ...rest, advice })),
  }
}

const colours = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const

function toText(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ check }) => check.length))
  let text = ''
  for (const group of groups) {
    const ofGroup = findings.filter((one) => one.group === group)
    if (ofGroup.length > 0) text += `${group[0]?.toUpperCase()}${group.slice(1)}\n`
    for (const { check, status, found, advice } of ofGroup) {
      const word = styleText(colours[status], status.padEnd(7), { stream: process.stdout })
      text += `  ${word}  ${check.padEnd(width)}  ${visible(found)}\n`
      if (advice !== undefined) text += `           ${' '.repeat(width)}  → ${visible(advice)}\n`
    }
  }
  return text
}
